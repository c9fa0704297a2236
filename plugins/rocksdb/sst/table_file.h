// Reads an SST file of RocksDB's block-based table format without RocksDB's table reader.
//
// RocksDB has no interface for a file's filter blocks. Its table reader opens a file with its whole index, silently
// answers "maybe" if a filter cannot be read, and does not expose offsets or checksums of blocks. The format, however,
// is stable: every release must read the files of earlier releases, and additions come with a new format_version, which
// is rejected here until it has been reviewed. So this class reads the five structures that lead to the filters:
// footer, metaindex, properties, the index of filter partitions, and block checksums. It reads nothing else except the
// filters. It validates every number before use, because files may be damaged or forged.
//
// Checked against the sources of RocksDB 7.0 to 11.8 (format_version 0 to 7).
#pragma once

#include <rocksdb/file_system.h>
#include <rocksdb/metadata.h>
#include <rocksdb/status.h>

#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "crivo/rocksdb.h"

namespace crivo::sst {

/// RocksDB's own column family, which exists if persist_stats_to_disk was ever set. RocksDB opens it with options of
/// its own, so it has no filter policy.
inline constexpr std::string_view kStatisticsFamily = "___rocksdb_stats_history___";

[[nodiscard]] inline std::string path_of(const rocksdb::FileStorageInfo& file) {
  return file.directory + "/" + file.relative_filename;
}

/// The number in a path such as "000123.sst".
[[nodiscard]] inline std::uint64_t number_of(const std::string& path) {
  return std::strtoull(path.c_str() + path.find_last_of('/') + 1, nullptr, 10);
}

/// The place of a block in its file. The five bytes after it are its compression type and its checksum.
struct BlockHandle {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

struct Block {
  std::string contents;
  bool matches = true;  // its checksum is right, or there is none
};

/// The file stays open for the object's lifetime.
class TableFile {
 public:
  /// Opens the file and reads its metadata. Errors: as the file system's; NotSupported if the table is not block-based
  /// or its format_version is too new; Corruption if the file is not a complete SST file; MemoryLimit.
  rocksdb::Status open(rocksdb::FileSystem& files, const std::string& path);

  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }
  /// The meta blocks by name: "fullfilter.rocksdb.BuiltinBloomFilter", "rocksdb.properties".
  [[nodiscard]] const std::map<std::string, BlockHandle>& meta_blocks() const noexcept { return meta_blocks_; }
  /// The properties by name, such as "rocksdb.filter.policy", as text or encoded numbers.
  [[nodiscard]] const std::map<std::string, std::string>& properties() const noexcept { return properties_; }
  /// A text property; empty if there is none.
  [[nodiscard]] std::string text_property(const std::string& name) const;
  /// A numeric property; 0 if there is none.
  [[nodiscard]] std::uint64_t number_property(const std::string& name) const;

  /// Reads a block. Errors: as the file system's; MemoryLimit; Corruption if the block is not within the file, or is
  /// compressed.
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
  std::uint32_t checksum_context_ = 0;  // since format_version 6: distinguishes this file's blocks
  std::map<std::string, BlockHandle> meta_blocks_;
  std::map<std::string, std::string> properties_;
};

/// The entries of a block of keys and values, such as the metaindex. Errors: Corruption.
rocksdb::Status decode_entries(std::string_view block, std::vector<std::pair<std::string, std::string>>* entries);

/// The entries of an index block: keys, and the handles of their blocks. From format_version 4 on, most handles are
/// stored as differences from the previous handle (`deltas`). Errors: Corruption.
rocksdb::Status decode_index(std::string_view block, bool deltas,
                             std::vector<std::pair<std::string, BlockHandle>>* entries);

}  // namespace crivo::sst
