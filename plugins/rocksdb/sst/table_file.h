// An SST file of RocksDB's block-based table format, read without RocksDB's table reader.
//
// RocksDB shows nobody the filter blocks of a file: its table reader opens a file with all of its index, answers
// "maybe" without a word where a filter cannot be read, and tells neither where a block lies nor whether its checksum
// holds. The format, on the other hand, is stable: every release must read the files of those before it, and what a
// release adds comes with a new format_version, which is refused here until somebody has looked at it. So the five
// structures that lead to the filters are read here: footer, metaindex, properties, the index of filter partitions,
// and the blocks' checksums. Nothing else of a file is read, its data least of all, and every number in it is checked
// before it is used, as files may be damaged or forged.
//
// Read against the sources of RocksDB 7.0 to 11.8 (format_version 0 to 7).
#pragma once

#include <rocksdb/file_system.h>
#include <rocksdb/status.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "crivo/rocksdb.h"

namespace crivo::sst {

/// Where a block lies in its file. The five bytes behind it are its compression type and its checksum.
struct BlockHandle {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

/// The contents of a block.
struct Block {
  std::string contents;
  bool matches = true;  // its checksum is the right one, or there is none
};

/// The file is kept open until the object is destroyed.
class TableFile {
 public:
  /// Opens the file and reads what leads to its blocks. Errors: as the file system's; NotSupported for a table that is
  /// not block-based, or whose format_version is newer than those that are known here; Corruption for everything else
  /// that is not a whole SST file.
  rocksdb::Status open(rocksdb::FileSystem& files, const std::string& path);

  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }
  [[nodiscard]] std::uint32_t format_version() const noexcept { return format_version_; }
  /// The meta blocks by their names: "fullfilter.rocksdb.BuiltinBloomFilter", "rocksdb.properties".
  [[nodiscard]] const std::map<std::string, BlockHandle>& meta_blocks() const noexcept { return meta_blocks_; }
  /// The file's properties by their names, "rocksdb.filter.policy", as the texts or encoded numbers that stand there.
  [[nodiscard]] const std::map<std::string, std::string>& properties() const noexcept { return properties_; }
  /// A property that is text; empty if the file has none of this name.
  [[nodiscard]] std::string text_property(const std::string& name) const;
  /// A property that is a number; 0 if the file has none of this name.
  [[nodiscard]] std::uint64_t number_property(const std::string& name) const;

  /// Reads a block. Errors: as the file system's; Corruption if it does not lie within the file, or is compressed.
  rocksdb::Status read(BlockHandle handle, Block* block) const;

 private:
  rocksdb::Status read_bytes(std::uint64_t offset, std::size_t size, std::string* bytes) const;
  rocksdb::Status read_footer(BlockHandle* metaindex);
  rocksdb::Status decode_footer(std::string_view footer, BlockHandle* metaindex);
  rocksdb::Status read_properties(BlockHandle handle);

  std::unique_ptr<rocksdb::FSRandomAccessFile> file_;
  std::uint64_t bytes_ = 0;
  std::uint32_t format_version_ = 0;
  std::uint8_t checksum_type_ = 0;
  std::uint32_t checksum_context_ = 0;  // format_version 6 and later: what distinguishes this file's blocks
  std::map<std::string, BlockHandle> meta_blocks_;
  std::map<std::string, std::string> properties_;
};

/// The entries of a block of keys and values, such as the metaindex. Errors: Corruption.
rocksdb::Status decode_entries(std::string_view block, std::vector<std::pair<std::string, std::string>>* entries);

/// The entries of an index block: keys and the handles of the blocks that they lead to. From format_version 4 on most
/// handles are stored as a difference from the one before (`deltas`). Errors: Corruption.
rocksdb::Status decode_index(std::string_view block, bool deltas,
                             std::vector<std::pair<std::string, BlockHandle>>* entries);

}  // namespace crivo::sst
