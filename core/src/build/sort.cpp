// A radix sort that starts with the most significant digit. A range of hashes that is too large for the cache is
// partitioned in place by its next eight bits, by swaps. This is the American flag sort of McIlroy, Bostic & McIlroy
// 1993, "Engineering radix sort", with the loop order of Skarupke's ska_sort (2016): a pass swaps each hash with the
// hash at its destination, and leaves the displaced hash to the next pass. The original algorithm moves the displaced
// hash at once, so each step waits for the memory access of the step before, which took four times as long. A range of
// n hashes that fits in the cache is scattered once, by a digit of about log2(n) bits. Each value of this digit has at
// most four hashes on average, and an insertion sort finishes the range.
#include "build/sort.h"

#include <algorithm>
#include <array>
#include <bit>
#include <memory_resource>
#include <utility>
#include <vector>

#include "base/error_text.h"
#include "build/parallel.h"

namespace crivo {
namespace {

constexpr unsigned kRangeBits = 8;
constexpr std::size_t kRanges = std::size_t{1} << kRangeBits;
constexpr unsigned kMaxScatterBits = 13;
constexpr std::size_t kMaxScattered = std::size_t{1} << 15;
constexpr std::size_t kMinScattered = 64;
constexpr std::size_t kMaxInserted = 24;  // hashes per digit value; insertion is slow for more

template <class Record>
void insertion_sort(std::span<Record> hashes) noexcept {
  for (std::size_t i = 1; i < hashes.size(); ++i) {
    const Record hash = hashes[i];
    std::size_t at = i;
    for (; at > 0 && hashes[at - 1] > hash; --at) hashes[at] = hashes[at - 1];
    hashes[at] = hash;
  }
}

using Ends = std::array<std::size_t, kRanges>;  // the end of each range that partition() makes

/// Groups the hashes by their bits shift ... shift + 7, in ascending order of these bits.
template <class Record>
Ends partition(std::span<Record> hashes, unsigned shift) noexcept {
  const auto digit = [shift](const Record& record) {
    return static_cast<std::size_t>(hash_of(record) >> shift) % kRanges;
  };
  std::array<std::size_t, kRanges> next{};
  for (const Record& record : hashes) ++next[digit(record)];
  Ends ends;
  std::size_t end = 0;
  for (std::size_t range = 0; range < kRanges; ++range) {
    ends[range] = end + next[range];
    next[range] = std::exchange(end, ends[range]);
  }
  for (bool done = false; !done;) {
    done = true;
    for (std::size_t range = 0; range < kRanges; ++range) {
      for (std::size_t at = next[range]; at < ends[range]; ++at)
        std::swap(hashes[at], hashes[next[digit(hashes[at])]++]);
      done &= next[range] == ends[range];
    }
  }
  return ends;
}

std::size_t begin_of(const Ends& ends, std::size_t range) noexcept { return range == 0 ? 0 : ends[range - 1]; }

template <class Record>
class Sorter {
 public:
  explicit Sorter(std::pmr::memory_resource* memory) : scratch_(memory) {}

  /// Sorts hashes that are equal except for their lower `bits` bits.
  void sort(std::span<Record> hashes, unsigned bits) {
    if (hashes.size() < kMinScattered || bits < kMaxScatterBits) {
      std::sort(hashes.begin(), hashes.end());
    } else if (hashes.size() <= kMaxScattered) {
      scatter(hashes, bits);
    } else {
      sort_ranges(hashes, partition(hashes, bits - kRangeBits), 0, kRanges, bits - kRangeBits);
    }
  }
  void sort_ranges(std::span<Record> hashes, const Ends& ends, std::size_t from, std::size_t to, unsigned bits) {
    for (std::size_t range = from; range < to; ++range) {
      const std::size_t begin = begin_of(ends, range);
      sort(hashes.subspan(begin, ends[range] - begin), bits);
    }
  }

 private:
  void scatter(std::span<Record> hashes, unsigned bits) {
    const auto scatter_bits = std::min(kMaxScatterBits, static_cast<unsigned>(std::bit_width(hashes.size())));
    const unsigned shift = bits - scatter_bits;
    const std::uint64_t mask = (std::uint64_t{1} << scatter_bits) - 1;
    std::fill_n(counts_.begin(), mask + 2, 0);
    for (const Record& record : hashes) ++counts_[(hash_of(record) >> shift & mask) + 1];
    bool crowded = false;
    for (std::size_t i = 1; i <= mask + 1; ++i) {
      crowded |= counts_[i] > kMaxInserted;
      counts_[i] += counts_[i - 1];
    }
    if (crowded) {
      std::sort(hashes.begin(), hashes.end());
      return;
    }
    scratch_.assign(hashes.begin(), hashes.end());
    for (const Record& record : scratch_) hashes[counts_[hash_of(record) >> shift & mask]++] = record;
    insertion_sort<Record>(hashes);
  }

  std::array<std::uint32_t, (std::size_t{1} << kMaxScatterBits) + 1> counts_;
  std::pmr::vector<Record> scratch_;
};

constexpr unsigned kHashBits = 64;
constexpr std::size_t kRangesPerReport = kRanges / 4;  // starting threads more often would cost too much time
constexpr std::size_t kRangesPerCall = 4;

Result<std::size_t> drop_repeated(std::span<std::uint64_t> hashes) {
  // clang-tidy 14 cannot parse std::ranges::unique
  return static_cast<std::size_t>(std::unique(hashes.begin(), hashes.end()) - hashes.begin());
}

Result<std::size_t> drop_repeated(std::span<HashedValue> keys) {
  const auto distinct = keys.first(static_cast<std::size_t>(std::unique(keys.begin(), keys.end()) - keys.begin()));
  const auto same_hash = [](const HashedValue& a, const HashedValue& b) { return a.hash == b.hash; };
  const auto twice = std::adjacent_find(distinct.begin(), distinct.end(), same_hash);
  if (twice == distinct.end()) return distinct.size();
  Error two_values = bad_argument("value must be the same for each occurrence of a key, got ", twice[0].value, " and ",
                                  twice[1].value, " for the key with hash ", twice->hash);
  two_values.key_hash = twice->hash;
  return two_values;
}

template <class Record>
Result<void> sort_with(BuildTask& task, double share, std::span<Record> hashes) {
  if (std::is_sorted(hashes.begin(), hashes.end())) return {};
  if (hashes.size() <= kMaxScattered) {
    Sorter<Record>(task.memory()).sort(hashes, kHashBits);
    return {};
  }
  constexpr unsigned kBits = kHashBits - kRangeBits;
  const Ends ends = partition(hashes, kBits);
  for (std::size_t first = 0; first < kRanges; first += kRangesPerReport) {
    parallel_for(task.threads(), kRangesPerReport / kRangesPerCall, [&](std::size_t call) {
      const std::size_t from = first + call * kRangesPerCall;
      Sorter<Record>(task.memory()).sort_ranges(hashes, ends, from, from + kRangesPerCall, kBits);
    });
    const auto done = static_cast<double>(first + kRangesPerReport) / kRanges;
    if (auto wanted = task.advance(share * done); !wanted) return wanted;
  }
  return {};
}

template <class Record>
Result<std::size_t> sorted_distinct(std::span<Record> hashes, BuildTask& task, double share) {
  if (auto sorted = sort_with(task, share, hashes); !sorted) return sorted.error();
  return drop_repeated(hashes);
}

}  // namespace

Result<std::size_t> sort_distinct(std::span<std::uint64_t> hashes, BuildTask& task, double share) {
  return sorted_distinct(hashes, task, share);
}
Result<std::size_t> sort_distinct(std::span<HashedValue> keys, BuildTask& task, double share) {
  return sorted_distinct(keys, task, share);
}

std::span<std::uint64_t> sort_distinct(std::span<std::uint64_t> hashes) {
  if (!std::is_sorted(hashes.begin(), hashes.end()))
    Sorter<std::uint64_t>(std::pmr::new_delete_resource()).sort(hashes, kHashBits);
  return hashes.first(*drop_repeated(hashes));
}

}  // namespace crivo
