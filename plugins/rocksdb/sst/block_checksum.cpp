// RocksDB has no public function for these checksums, and reads all of a file where it checks one. XXH3 is the core's
// hash function. The others stand here, each in a few lines after its specification: they are the defaults of older
// versions or are seldom chosen, so they need not be as quick as a library's.
#include "block_checksum.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstring>

#include "crivo/hash.h"

namespace crivo::sst {
namespace {

template <typename Word>
Word load(const char* at) noexcept {
  Word word;
  std::memcpy(&word, at, sizeof word);
  if constexpr (std::endian::native == std::endian::big) return __builtin_bswap64(word) >> (64 - 8 * sizeof word);
  return word;
}

// CRC-32C (Castagnoli), bit-reversed polynomial 0x82f63b78, a byte at a time by a table.
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

/// RocksDB and LevelDB store a CRC rotated and moved, because a CRC over data that has its own CRC in it says little.
std::uint32_t masked(std::uint32_t crc) noexcept { return std::rotr(crc, 15) + 0xa282ead8U; }

/// XXH32 and XXH64 are one algorithm on words of two sizes (xxHash specification 0.8), under the seed 0.
struct Xxh32 {
  using Word = std::uint32_t;
  static constexpr Word kPrimes[] = {0x9e3779b1U, 0x85ebca77U, 0xc2b2ae3dU, 0x27d4eb2fU, 0x165667b1U};
  static constexpr int kRoundTurn = 13;
};
struct Xxh64 {
  using Word = std::uint64_t;
  static constexpr Word kPrimes[] = {0x9e3779b185ebca87U, 0xc2b2ae3d27d4eb4fU, 0x165667b19e3779f9U, 0x85ebca77c2b2ae63U,
                                     0x27d4eb2f165667c5U};
  static constexpr int kRoundTurn = 31;
};

template <typename Kind>
typename Kind::Word round_of(typename Kind::Word sum, typename Kind::Word input) noexcept {
  return std::rotl(sum + input * Kind::kPrimes[1], Kind::kRoundTurn) * Kind::kPrimes[0];
}

/// Takes the data in stripes of four words, and leaves in `data` what is shorter than a stripe.
template <typename Kind>
typename Kind::Word stripes(std::string_view& data) noexcept {
  using Word = typename Kind::Word;
  constexpr const Word* kPrime = Kind::kPrimes;
  constexpr std::size_t kStripe = 4 * sizeof(Word);
  const Word size = static_cast<Word>(data.size());
  if (data.size() < kStripe) return kPrime[4] + size;
  Word sums[4] = {kPrime[0] + kPrime[1], kPrime[1], 0, Word{0} - kPrime[0]};
  for (; data.size() >= kStripe; data.remove_prefix(kStripe)) {
    for (std::size_t i = 0; i < 4; ++i) {
      sums[i] = round_of<Kind>(sums[i], load<Word>(data.data() + i * sizeof(Word)));
    }
  }
  Word hash = std::rotl(sums[0], 1) + std::rotl(sums[1], 7) + std::rotl(sums[2], 12) + std::rotl(sums[3], 18);
  if constexpr (sizeof(Word) == 8) {
    for (const Word sum : sums) hash = (hash ^ round_of<Kind>(0, sum)) * kPrime[0] + kPrime[3];
  }
  return hash + size;
}

std::uint32_t xxh32(std::string_view data) noexcept {
  constexpr const std::uint32_t* kPrime = Xxh32::kPrimes;
  std::uint32_t hash = stripes<Xxh32>(data);
  for (; data.size() >= 4; data.remove_prefix(4)) {
    hash = std::rotl(hash + load<std::uint32_t>(data.data()) * kPrime[2], 17) * kPrime[3];
  }
  for (const char byte : data) hash = std::rotl(hash + static_cast<unsigned char>(byte) * kPrime[4], 11) * kPrime[0];
  hash = (hash ^ (hash >> 15)) * kPrime[1];
  hash = (hash ^ (hash >> 13)) * kPrime[2];
  return hash ^ (hash >> 16);
}

std::uint64_t xxh64(std::string_view data) noexcept {
  constexpr const std::uint64_t* kPrime = Xxh64::kPrimes;
  std::uint64_t hash = stripes<Xxh64>(data);
  for (; data.size() >= 8; data.remove_prefix(8)) {
    const std::uint64_t mixed = round_of<Xxh64>(0, load<std::uint64_t>(data.data()));
    hash = std::rotl(hash ^ mixed, 27) * kPrime[0] + kPrime[3];
  }
  if (data.size() >= 4) {
    hash = std::rotl(hash ^ (load<std::uint32_t>(data.data()) * kPrime[0]), 23) * kPrime[1] + kPrime[2];
    data.remove_prefix(4);
  }
  for (const char byte : data) hash = std::rotl(hash ^ (static_cast<unsigned char>(byte) * kPrime[4]), 11) * kPrime[0];
  hash = (hash ^ (hash >> 33)) * kPrime[1];
  hash = (hash ^ (hash >> 29)) * kPrime[2];
  return hash ^ (hash >> 32);
}

/// RocksDB hashes all but the last byte, and mixes that one in by itself, which spares it the hash's slower interface
/// for data in pieces.
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
      return xxh32(data);
    case 3:
      return static_cast<std::uint32_t>(xxh64(data));
    case 4:
      return xxh3(data);
    default:
      return std::nullopt;
  }
}

}  // namespace crivo::sst
