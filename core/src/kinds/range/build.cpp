// Two passes: the first maps numbers to codes, which are sorted; the second writes the codes in descending order.
#include "kinds/range/build.h"

#include <bit>
#include <utility>
#include <vector>

#include "base/error_text.h"
#include "build/hash_collector.h"
#include "kinds/checks.h"
#include "kinds/range/layout.h"

namespace crivo {
namespace {

// The approximate shares of the build at the end of each pass.
constexpr double kCodesMade = 0.5;
constexpr double kCodesWritten = 0.95;

/// The codes of the numbers in ascending order, shifted left by `scale` so that their highest bit is bit 63, for which
/// sorting is fastest.
Result<std::unique_ptr<HashSource>> make_codes(const RangeHash& hash, int scale, std::unique_ptr<HashSource> numbers,
                                               BuildTask& task) {
  const auto all = static_cast<double>(numbers->size());
  HashCollector codes(numbers->size(), task);
  std::vector<std::uint64_t> part;
  double done = 0;
  for (;;) {
    const auto taken = numbers->take_highest();
    if (!taken) return taken.error();
    if (taken->empty()) break;
    constexpr std::size_t kAtOnce = 4096;  // limits the memory for the codes of a part
    for (auto left = *taken; !left.empty(); left = left.subspan(part.size())) {
      part.assign(left.begin(), left.begin() + static_cast<std::ptrdiff_t>(std::min(kAtOnce, left.size())));
      for (std::uint64_t& number : part) {
        const std::uint64_t block = hash.block_of(number);
        number = hash.advance(hash.start_of(block), number - block * hash.universe) << scale;
      }
      if (auto added = codes.add(part); !added) return added.error();
    }
    done += static_cast<double>(taken->size());
    if (auto wanted = task.advance(kSortShare + (kCodesMade - kSortShare) * done / all); !wanted) return wanted.error();
  }
  numbers.reset();
  return std::move(codes).sorted_distinct();
}

void set_bit(std::byte* words, std::uint64_t bit) noexcept { words[bit / 8] |= static_cast<std::byte>(1U << bit % 8); }

/// Writes the lower bits of a code; the destination bits are 0.
void store_low(std::byte* words, std::uint64_t number, unsigned low_bits, std::uint64_t low) noexcept {
  const std::uint64_t bit = number * low_bits;
  std::byte* at = words + bit / 64 * 8;
  const auto shift = static_cast<unsigned>(bit % 64);
  store_le(at, load_le<std::uint64_t>(at) | low << shift);
  if (shift + low_bits > 64) store_le(at + 8, load_le<std::uint64_t>(at + 8) | low >> (64 - shift));
}

Result<void> write_codes(const RangeLayout& layout, unsigned low_bits, int scale, HashSource& codes, std::byte* payload,
                         BuildTask& task) {
  std::byte* const lows = payload + 8 * kRangeHeaderWords;
  std::byte* const upper = payload + 8 * layout.upper;
  const std::uint64_t mask = (std::uint64_t{1} << low_bits) - 1;
  for (std::uint64_t number = layout.codes; number > 0;) {
    const auto taken = codes.take_highest();
    if (!taken) return taken.error();
    if (taken->empty()) break;
    for (std::size_t i = taken->size(); i-- > 0;) {
      const std::uint64_t code = (*taken)[i] >> scale;
      --number;
      if (low_bits != 0) store_low(lows, number, low_bits, code & mask);
      set_bit(upper, number + (code >> low_bits));
    }
    const double left = static_cast<double>(number) / static_cast<double>(layout.codes);
    if (auto wanted = task.advance(kCodesWritten - (kCodesWritten - kCodesMade) * left); !wanted) return wanted;
  }
  return {};
}

void write_directory(const RangeLayout& layout, std::byte* payload) noexcept {
  constexpr std::uint64_t kBlockWords = kRangeDirectoryBits / 64;
  std::uint64_t zeros = 0;
  for (std::uint64_t word = 0; word < layout.words - layout.upper; ++word) {
    if (word % kBlockWords == 0) store_le(payload + 8 * (layout.directory + word / kBlockWords), zeros);
    const auto ones = load_le<std::uint64_t>(payload + 8 * (layout.upper + word));
    zeros += static_cast<std::uint64_t>(64 - std::popcount(ones));
  }
}

}  // namespace

Result<AlignedBytes> build_range(const Shape& shape, std::unique_ptr<HashSource> numbers, std::uint64_t max_bytes,
                                 BuildTask& task) {
  const std::uint64_t keys = numbers->size();
  const std::uint64_t universe = RangeScale(shape).universe(keys);
  const std::uint64_t planned = 8 * RangeLayout(shape.k, universe, keys).words;
  if (planned > max_bytes) return keys_too_large(max_bytes, keys, planned);
  const int scale = std::countl_zero((universe - 1) | 1);
  const auto codes = make_codes(RangeHash(shape.seed, universe), scale, std::move(numbers), task);
  if (!codes) return codes.error();
  const RangeLayout layout(shape.k, universe, (*codes)->size());
  AlignedBytes payload(static_cast<std::size_t>(8 * layout.words), task.payload_memory());
  store_le(payload.data(), keys);
  store_le(payload.data() + 8, layout.codes);
  if (auto written = write_codes(layout, shape.k, scale, **codes, payload.data(), task); !written) {
    return written.error();
  }
  write_directory(layout, payload.data());
  return payload;
}

}  // namespace crivo
