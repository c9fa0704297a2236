#include "sst/table_file.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <new>
#include <optional>

#include "crivo/hash.h"
#include "sst/checked_reader.h"

#ifdef CRIVO_IN_ROCKSDB
#include "util/xxhash.h"
#else
#ifndef __clang_analyzer__  // the analyzer explores paths that cannot occur
#define XXH_INLINE_ALL
#endif
#include <xxhash.h>
#endif

namespace crivo::sst {
namespace {

using rocksdb::Status;

constexpr std::uint64_t kBlockBasedMagic = 0x88e241b785f4cff7;
constexpr std::uint64_t kOldBlockBasedMagic = 0xdb4775248b80fb57;  // format_version 0
constexpr std::uint64_t kOtherMagics[] = {0x8242229663bf9564, 0x4f3418eb7a8f13b8, 0x926789d0c5f17873};  // plain, cuckoo

constexpr std::size_t kOldFooterBytes = 48;
constexpr std::size_t kFooterBytes = 53;
constexpr std::size_t kTrailerBytes = 5;  // after each block: compression type, checksum
constexpr std::uint32_t kNewestFormat = 7;
constexpr std::uint32_t kExtendedMagic = 0x007a003e;  // in footers from format_version 6 on
// Keys share prefixes, so a forged block of 1 MiB could have keys of 100 GiB. No real index comes near this limit.
constexpr std::size_t kMaxKeyBytes = std::size_t{256} << 20;
constexpr const char* kGlobalSeqno = "rocksdb.external_sst_file.global_seqno";

// RocksDB has no public function for these checksums, except one that reads the whole file. CRC-32C (Castagnoli,
// reversed polynomial 0x82f63b78), the default of older versions, is computed byte by byte with a table.
constexpr std::array<std::uint32_t, 256> kCrcTable = [] {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x82f63b78U : 0U);
    table[byte] = crc;
  }
  return table;
}();

std::uint32_t crc32c(std::string_view data) noexcept {
  std::uint32_t crc = ~0U;
  for (const char byte : data) crc = kCrcTable[(crc ^ static_cast<unsigned char>(byte)) & 0xff] ^ (crc >> 8);
  return ~crc;
}

/// RocksDB and LevelDB mask CRCs, because the CRC of data that contains CRCs is weak.
std::uint32_t masked(std::uint32_t crc) noexcept { return std::rotr(crc, 15) + 0xa282ead8U; }

/// RocksDB hashes all but the last byte, and mixes the last byte in, to avoid the hash's slower streaming interface.
std::uint32_t xxh3(std::string_view data) noexcept {
  if (data.empty()) return 0;
  const auto last = static_cast<unsigned char>(data.back());
  data.remove_suffix(1);
  return static_cast<std::uint32_t>(hash_key(data, 0)) ^ (last * 0x6b9083d9U);
}

/// The checksum of `data`: a block, and the byte of its compression type, which follows the block. `type` is the number
/// in the file's footer, as in rocksdb::ChecksumType: 1 is CRC-32C, 2 XXH32, 3 XXH64 and 4 XXH3. No value for 0 (no
/// checksum) or unknown numbers.
std::optional<std::uint32_t> block_checksum(std::uint8_t type, std::string_view data) noexcept {
  switch (type) {
    case 1:
      return masked(crc32c(data));
    case 2:
      return XXH32(data.data(), data.size(), 0);
    case 3:
      return static_cast<std::uint32_t>(XXH64(data.data(), data.size(), 0));
    case 4:
      return xxh3(data);
    default:
      return std::nullopt;
  }
}

/// From format_version 6 on, checksums also depend on the file and the offset.
std::uint32_t context_at(std::uint32_t base, std::uint64_t offset) noexcept {
  if (base == 0) return 0;
  return base ^ (static_cast<std::uint32_t>(offset) + static_cast<std::uint32_t>(offset >> 32));
}

bool read_handle(CheckedReader& reader, BlockHandle* handle) {
  return reader.varint(&handle->offset) && reader.varint(&handle->size);
}

/// Decodes the entries of a block one by one. A key is stored as the length of the prefix that it shares with the
/// previous key (`shared`), and its other bytes; `key` is the whole key. Calls `value(key, reader, shared, size)`,
/// which decodes the entry's value from the reader, and returns false if there are too few bytes. If has_sizes, the
/// value's size is stored before the key; otherwise `size` is 0.
template <typename Value>
Status read_entries(std::string_view block, bool has_sizes, const Value& value) {
  // The entries are followed by restart points, which only a binary search needs.
  const std::uint64_t behind =
      block.size() < 4 ? 4 : (std::uint64_t{fixed<std::uint32_t>(block.substr(block.size() - 4))} + 1) * 4;
  if (behind > block.size()) return Status::Corruption("block must have entries, got none");
  std::string key;
  std::size_t key_bytes_left = kMaxKeyBytes;
  for (CheckedReader reader(block.substr(0, block.size() - behind)); !reader.empty();) {
    std::uint64_t shared = 0, rest = 0, size = 0;
    std::string_view suffix;
    const bool whole = reader.varint(&shared) && reader.varint(&rest) && (!has_sizes || reader.varint(&size)) &&
                       shared <= key.size() && reader.take(rest, &suffix);
    if (whole) key.replace(static_cast<std::size_t>(shared), std::string::npos, suffix);
    if (!whole || key.size() > key_bytes_left || !value(key, reader, shared, size)) {
      return Status::Corruption("block must contain complete entries of at most 256 MiB of keys");
    }
    key_bytes_left -= key.size();
  }
  return Status::OK();
}

}  // namespace

Status TableFile::open(rocksdb::FileSystem& files, const std::string& path) try {
  Status status = files.GetFileSize(path, rocksdb::IOOptions(), &bytes_, nullptr);
  // A pipe has no size, and opening one would wait for a writer.
  if (status.ok() && bytes_ < kOldFooterBytes) {
    status = Status::Corruption("file must have at least 48 bytes, got " + std::to_string(bytes_));
  }
  if (status.ok()) status = files.NewRandomAccessFile(path, rocksdb::FileOptions(), &file_, nullptr);
  BlockHandle metaindex;
  if (status.ok()) status = read_footer(&metaindex);
  Block block;
  if (status.ok()) status = read(metaindex, &block);
  if (!status.ok()) return status;
  if (!block.matches) return Status::Corruption("metaindex block must match its checksum, got a damaged one");
  std::vector<std::pair<std::string, std::string>> entries;
  if (status = decode_entries(block.contents, &entries); !status.ok()) return status;
  for (const auto& [name, value] : entries) {
    CheckedReader reader(value);
    if (BlockHandle handle; read_handle(reader, &handle)) meta_blocks_[name] = handle;
  }
  const auto found = meta_blocks_.find("rocksdb.properties");
  return found != meta_blocks_.end() ? read_properties(found->second) : Status::OK();
} catch (const std::bad_alloc&) {
  return Status::MemoryLimit("out of memory for the blocks of the file");
}

Status TableFile::read_bytes(std::uint64_t offset, std::size_t size, std::string* bytes) const {
  bytes->resize(size);
  rocksdb::Slice got;
  Status status = file_->Read(offset, size, rocksdb::IOOptions(), &got, bytes->data(), nullptr);
  if (!status.ok()) return status;
  if (got.size() != size) return Status::Corruption("file must contain the referenced block, got a truncated file");
  if (got.data() != bytes->data()) bytes->assign(got.data(), got.size());  // the file is mapped
  return Status::OK();
}

Status TableFile::read_footer(BlockHandle* metaindex) {
  const std::size_t size = std::min<std::uint64_t>(kFooterBytes, bytes_);
  std::string footer;
  if (Status status = read_bytes(bytes_ - size, size, &footer); !status.ok()) return status;
  return decode_footer(footer, metaindex);
}

Status TableFile::decode_footer(std::string_view footer, BlockHandle* metaindex) {
  const auto magic = fixed<std::uint64_t>(footer.substr(footer.size() - 8));
  if (std::ranges::find(kOtherMagics, magic) != std::end(kOtherMagics)) {
    return Status::NotSupported("table format must be BlockBasedTable, got one without filter blocks");
  }
  const bool old = magic == kOldBlockBasedMagic;
  if (!old && (magic != kBlockBasedMagic || footer.size() < kFooterBytes)) {
    return Status::Corruption("file must end in an SST footer, got an unknown magic number (is it complete?)");
  }
  checksum_type_ = old ? 1 : static_cast<std::uint8_t>(footer.front());
  format_version_ = old ? 0 : fixed<std::uint32_t>(footer.substr(footer.size() - 12));
  if (format_version_ > kNewestFormat) {
    return Status::NotSupported("format_version must be at most 7, got " + std::to_string(format_version_));
  }
  CheckedReader reader(footer.substr(old ? footer.size() - kOldFooterBytes : 1));
  if (format_version_ < 6) {
    return read_handle(reader, metaindex) ? Status::OK() : Status::Corruption("footer must refer to a metaindex block");
  }
  std::uint32_t magic_here = 0, stored = 0, size = 0;
  reader.fixed(&magic_here), reader.fixed(&stored), reader.fixed(&checksum_context_), reader.fixed(&size);
  const std::uint64_t footer_offset = bytes_ - kFooterBytes;
  std::string unsigned_footer(footer);
  std::fill_n(unsigned_footer.begin() + 5, 4, '\0');
  const auto checksum = block_checksum(checksum_type_, unsigned_footer);
  if (magic_here != kExtendedMagic || size + kTrailerBytes > footer_offset ||
      (checksum && *checksum + context_at(checksum_context_, footer_offset) != stored)) {
    return Status::Corruption("footer must match its checksum, got a damaged one");
  }
  *metaindex = {footer_offset - kTrailerBytes - size, size};
  return Status::OK();
}

Status TableFile::read(BlockHandle handle, Block* block) const try {
  if (handle.size > std::numeric_limits<std::uint32_t>::max() || handle.offset > bytes_ ||
      handle.size + kTrailerBytes > bytes_ - handle.offset) {
    return Status::Corruption("block must be inside the file, got offset " + std::to_string(handle.offset) +
                              " and size " + std::to_string(handle.size));
  }
  const auto size = static_cast<std::size_t>(handle.size);
  Status status = read_bytes(handle.offset, size + kTrailerBytes, &block->contents);
  if (!status.ok()) return status;
  const std::string_view bytes = block->contents;
  const auto checksum = block_checksum(checksum_type_, bytes.substr(0, size + 1));
  const auto stored = fixed<std::uint32_t>(bytes.substr(size + 1));
  block->matches = !checksum || *checksum + context_at(checksum_context_, handle.offset) == stored;
  const bool compressed = bytes[size] != 0;
  block->contents.resize(size);
  if (compressed && block->matches) return Status::Corruption("block must not be compressed, got a compressed one");
  return Status::OK();
} catch (const std::bad_alloc&) {
  return Status::MemoryLimit("out of memory for a block of " + std::to_string(handle.size) + " bytes");
}

Status TableFile::read_properties(BlockHandle handle) {
  Block block;
  if (Status status = read(handle, &block); !status.ok()) return status;
  std::vector<std::pair<std::string, std::string>> entries;
  Status status = decode_entries(block.contents, &entries);
  if (status.ok()) properties_.insert(entries.begin(), entries.end());
  // Ingesting a file may write a number into this block without updating the checksum.
  if (!block.matches && properties_.count(kGlobalSeqno) == 0) {
    return Status::Corruption("properties block must match its checksum, got a damaged one");
  }
  return status;
}

std::string TableFile::text_property(const std::string& name) const {
  const auto found = properties_.find(name);
  return found != properties_.end() ? found->second : std::string();
}

std::uint64_t TableFile::number_property(const std::string& name) const {
  const auto found = properties_.find(name);
  if (found == properties_.end()) return 0;
  CheckedReader reader(found->second);
  std::uint64_t number = 0;
  return reader.varint(&number) ? number : 0;
}

Status decode_entries(std::string_view block, std::vector<std::pair<std::string, std::string>>* entries) {
  return read_entries(block, true,
                      [&](const std::string& key, CheckedReader& reader, std::uint64_t, std::uint64_t size) {
                        std::string_view value;
                        if (!reader.take(size, &value)) return false;
                        entries->emplace_back(key, value);
                        return true;
                      });
}

Status decode_index(std::string_view block, bool deltas, std::vector<std::pair<std::string, BlockHandle>>* entries) {
  BlockHandle handle;
  return read_entries(block, !deltas,
                      [&](const std::string& key, CheckedReader& reader, std::uint64_t shared, std::uint64_t) {
                        std::uint64_t difference = 0;  // of the sizes, in zigzag encoding; the blocks are adjacent
                        const bool whole = !deltas || shared == 0;
                        if (whole ? !read_handle(reader, &handle) : !reader.varint(&difference)) return false;
                        if (!whole) {
                          handle.offset += handle.size + kTrailerBytes;
                          handle.size += (difference >> 1) ^ (0 - (difference & 1));
                        }
                        entries->emplace_back(key, handle);
                        return true;
                      });
}

}  // namespace crivo::sst
