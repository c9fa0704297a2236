// RocksDB has no public function for these checksums, except one that reads the whole file. XXH3 is the core's hash
// function; XXH32 and XXH64 are in the same library. CRC-32C, the default of older versions, takes a few lines here,
// and need not be fast.
#include "sst/block_checksum.h"

#include <array>
#include <bit>

#include "crivo/hash.h"

#ifdef CRIVO_IN_ROCKSDB
#include "util/xxhash.h"
#else
#ifndef __clang_analyzer__  // which explores paths that no call takes
#define XXH_INLINE_ALL
#endif
#include <xxhash.h>
#endif

namespace crivo::sst {
namespace {

// CRC-32C (Castagnoli), reversed polynomial 0x82f63b78, table-driven by bytes.
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

/// RocksDB and LevelDB mask CRCs, because the CRC of data that contains its own CRC is weak.
std::uint32_t masked(std::uint32_t crc) noexcept { return std::rotr(crc, 15) + 0xa282ead8U; }

/// RocksDB hashes all but the last byte, and mixes that in separately, to avoid the hash's slower streaming interface.
std::uint32_t xxh3(std::string_view data) noexcept {
  if (data.empty()) return 0;
  const auto last = static_cast<unsigned char>(data.back());
  data.remove_suffix(1);
  return static_cast<std::uint32_t>(hash_key(data, 0)) ^ (last * 0x6b9083d9U);
}

}  // namespace

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

}  // namespace crivo::sst
