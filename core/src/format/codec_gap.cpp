// The gaps between the set bits of a random bit array have a geometric distribution. Each gap is divided by a power of
// two: the smallest for which the mean quotient is at most 16. The quotients are spread evenly enough for Huffman
// codes; the remainders are almost uniform, and are stored unchanged. (zstd alone spends a whole bit on each zero byte.
// If 1% of the bits are set, its result is 1.78 times the entropy.) Papers: Golomb 1966, "Run-length encodings";
// Gallager & Van Voorhis 1975, "Optimal source codes for geometrically distributed integer alphabets".
#include "format/codec_gap.h"

#include <algorithm>
#include <bit>

#include "base/bit_array.h"
#include "base/error_text.h"
#include "crivo/host/bytes.h"
#include "format/codec_zstd.h"
#include "kinds/bloom/sizes.h"

namespace crivo {
namespace {

constexpr std::size_t kHeadBytes = 8;
constexpr std::uint8_t kMore = 255;  // a symbol that continues its gap

Error broken(const auto&... parts) { return corrupt("gap coding must ", parts...); }

// These limits bound a reader's work. Random bits are within these limits: a gap takes 3.2 bits if a quarter of the
// bits are set, and more if fewer bits are set.
constexpr std::uint64_t kMinBitsPerSet = 4;
constexpr std::uint64_t kMaxSetPerByte = 4;

constexpr double kMaxOverEntropy = 1.03;  // for random bits: the largest ratio of coded size to entropy

/// The number of low bits of each gap that are stored unchanged.
unsigned low_bits_for(std::uint64_t bits, std::uint64_t set) noexcept {
  unsigned low_bits = 0;
  while (set != 0 && set << (low_bits + 4) < bits) ++low_bits;
  return low_bits;
}

/// Calls visit(word, index of its first bit) for each 64 bits. The last word is padded with zeros.
template <class Visit>
void for_each_word(std::span<const std::byte> payload, const Visit& visit) {
  const std::size_t whole = payload.size() / 8 * 8;
  for (std::size_t i = 0; i < whole; i += 8) visit(load_le<std::uint64_t>(payload.data() + i), std::uint64_t{i} * 8);
  if (whole == payload.size()) return;
  std::byte last[8] = {};
  std::copy(payload.begin() + static_cast<std::ptrdiff_t>(whole), payload.end(), last);
  visit(load_le<std::uint64_t>(last), std::uint64_t{whole} * 8);
}

/// Calls visit(gap) for each set bit. The gap is the number of clear bits before it.
template <class Visit>
void for_each_gap(std::span<const std::byte> payload, const Visit& visit) {
  std::uint64_t next = 0;
  for_each_word(payload, [&](std::uint64_t word, std::uint64_t first) {
    for (; word != 0; word &= word - 1) {
      const std::uint64_t position = first + static_cast<unsigned>(std::countr_zero(word));
      visit(position - next);
      next = position + 1;
    }
  });
}

/// Appends numbers that all have the same width, at most 56 bits, least significant bit first.
class BitWriter {
 public:
  BitWriter(std::vector<std::byte>& out, unsigned width) : out_(out), width_(width) {}
  void put(std::uint64_t value) {
    pending_ |= (value & ((std::uint64_t{1} << width_) - 1)) << held_;
    for (held_ += width_; held_ >= 8; held_ -= 8, pending_ >>= 8) out_.push_back(static_cast<std::byte>(pending_));
  }
  void finish() {
    if (held_ != 0) out_.push_back(static_cast<std::byte>(pending_));
  }

 private:
  std::vector<std::byte>& out_;
  unsigned width_;
  std::uint64_t pending_ = 0;
  unsigned held_ = 0;
};

/// Reads what a BitWriter wrote. The caller guarantees enough bytes.
class BitReader {
 public:
  BitReader(std::span<const std::byte> bytes, unsigned width) : bytes_(bytes), width_(width) {}
  [[nodiscard]] std::uint64_t read() noexcept {
    for (; held_ < width_; held_ += 8) pending_ |= std::to_integer<std::uint64_t>(bytes_[read_++]) << held_;
    const std::uint64_t value = pending_ & ((std::uint64_t{1} << width_) - 1);
    pending_ >>= width_;
    held_ -= width_;
    return value;
  }
  [[nodiscard]] bool only_zeros_left() const noexcept { return pending_ == 0 && read_ == bytes_.size(); }

 private:
  std::span<const std::byte> bytes_;
  unsigned width_;
  std::size_t read_ = 0;
  std::uint64_t pending_ = 0;
  unsigned held_ = 0;
};

/// Sets `set` bits of a zeroed payload at the decoded distances. Keeps its state in local variables, because members
/// would be reloaded after each store to the payload.
Result<void> decode_gaps(SymbolReader& symbols, BitReader low, unsigned low_bits, std::uint64_t set,
                         std::span<std::byte> payload) {
  const std::uint64_t bits = std::uint64_t{payload.size()} * 8;
  std::uint64_t next = 0;  // one past the last bit set
  std::uint64_t gap = 0;   // the part of the current gap read so far
  for (;;) {
    const auto stretch = symbols.next();
    if (!stretch) return stretch.error();
    if (stretch->empty()) break;
    for (const std::uint8_t symbol : *stretch) {
      gap += std::uint64_t{symbol} << low_bits;
      if (symbol == kMore) {
        if (gap > bits) return broken("have gaps of at most ", bits, " bits, got ", gap);
        continue;
      }
      if (set == 0) return broken("have as many gaps as bits set, got more");
      gap += low.read();
      if (gap >= bits - next) return broken("stay inside ", bits, " bits, got a gap of ", gap, " at ", next);
      const std::uint64_t position = next + gap;
      payload[position >> 3] |= static_cast<std::byte>(1U << (position & 7));
      next = position + 1;
      gap = 0;
      --set;
    }
  }
  if (set != 0 || gap != 0) return broken("have as many gaps as bits set, got ", set, " too few");
  if (!low.only_zeros_left()) return broken("have clear padding bits");
  return {};
}

}  // namespace

std::optional<std::vector<std::byte>> compress_gap(std::span<const std::byte> payload, std::size_t header_bytes) {
  const std::uint64_t bits = std::uint64_t{payload.size()} * 8;
  std::uint64_t set = 0;
  for_each_word(payload, [&](std::uint64_t word, auto) { set += static_cast<unsigned>(std::popcount(word)); });
  if (set > bits / kMinBitsPerSet) return std::nullopt;
  const unsigned low_bits = low_bits_for(bits, set);

  std::vector<std::byte> out(header_bytes + kHeadBytes);
  if (set != 0) {
    const double entropy_bits =
        bit_entropy(static_cast<double>(set) / static_cast<double>(bits)) * static_cast<double>(bits);
    out.reserve(out.size() + static_cast<std::size_t>(kMaxOverEntropy * entropy_bits / 8) + SymbolWriter::kSpareBytes);
  }
  store_le(out.data() + header_bytes, set);
  BitWriter low(out, low_bits);
  for_each_gap(payload, [&](std::uint64_t gap) { low.put(gap); });
  low.finish();
  SymbolWriter symbols(out);
  for_each_gap(payload, [&](std::uint64_t gap) {
    std::uint64_t high = gap >> low_bits;
    for (; high >= kMore; high -= kMore) symbols.put(kMore);
    symbols.put(static_cast<std::uint8_t>(high));
  });
  symbols.finish();
  if (set / kMaxSetPerByte > out.size() - header_bytes) return std::nullopt;
  return out;
}

Result<AlignedBytes> decompress_gap(std::span<const std::byte> stored, std::uint64_t raw_bytes) {
  if (stored.size() < kHeadBytes) return broken("have at least ", kHeadBytes, " bytes, got ", stored.size());
  const auto set = load_le<std::uint64_t>(stored.data());
  const std::uint64_t bits = raw_bytes * 8;  // cannot overflow: the header's field has 48 bits
  if (set > bits / kMinBitsPerSet) return broken("have at most ", bits / kMinBitsPerSet, " bits set, got ", set);
  if (set / kMaxSetPerByte > stored.size()) {
    return broken("have at least ", set / kMaxSetPerByte, " bytes for ", set, " bits set, got ", stored.size());
  }
  const unsigned low_bits = low_bits_for(bits, set);
  const std::uint64_t low_bytes = (set * low_bits + 7) / 8;
  if (low_bytes > stored.size() - kHeadBytes) {
    return broken("have ", low_bytes, " bytes of low bits, got ", stored.size() - kHeadBytes);
  }
  const auto low = stored.subspan(kHeadBytes, static_cast<std::size_t>(low_bytes));
  SymbolReader symbols(stored.subspan(kHeadBytes + low.size()));
  const auto bytes = static_cast<std::size_t>(raw_bytes);
  AlignedBytes payload = set < bytes / kPageBytes ? sparse_payload(bytes) : AlignedBytes(bytes);
  if (auto decoded = decode_gaps(symbols, BitReader(low, low_bits), low_bits, set, payload); !decoded) {
    return decoded.error();
  }
  return payload;
}

}  // namespace crivo
