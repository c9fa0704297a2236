// A filter that is forged to have another filter's header: valid, of the same size, and with almost no keys.
#pragma once

#include <array>
#include <cstring>
#include <optional>

#include "crivo/blob.h"
#include "crivo/hash.h"
#include "database.h"

namespace crivo::testing {

/// Makes a payload with the same checksum as another: a number at the start of each of the first eight 4096-byte
/// segments of zeros. Solves a generalized birthday problem (Wagner 2002). Merges eight lists of 2^17 hashes in pairs,
/// and keeps the sums whose lowest 17 bits are 0 (in the last pair: those of the wanted sum). Merges these lists in the
/// same way, with 34 bits. Of the remaining 2^34 sums, one in 2^30 is the wanted sum.
class Forger {
 public:
  using Numbers = std::array<std::uint32_t, 8>;

  /// A number for each segment, such that the segments' hashes add up to this sum; no value if none are found.
  static std::optional<Numbers> numbers_for(std::uint64_t sum) {
    const List left = merge(merge(hashes(0), hashes(1), 0, 17), merge(hashes(2), hashes(3), 0, 17), 0, 34);
    const List right = merge(merge(hashes(4), hashes(5), 0, 17), merge(hashes(6), hashes(7), sum, 17), sum, 34);
    const List all = merge(left, right, sum, 64);
    return all.empty() ? std::nullopt : std::optional(all.front().numbers);
  }

 private:
  struct Item {
    std::uint64_t sum;
    Numbers numbers;  // the numbers of the segments in the sum; 0 for others
  };
  using List = std::vector<Item>;

  static List hashes(std::size_t segment) {
    List list;
    std::string bytes(4096, '\0');
    for (std::uint32_t number = 0; number < 1U << 17; ++number) {
      std::memcpy(bytes.data(), &number, sizeof number);
      list.push_back({hash_key(bytes, segment + 1), {}});
      list.back().numbers[segment] = number;
    }
    return list;
  }

  /// The pairs whose sum agrees with `wanted` in the lowest bits.
  static List merge(const List& a, const List& b, std::uint64_t wanted, unsigned bits) {
    const auto low = [bits](std::uint64_t x) { return x << (64 - bits); };
    std::unordered_multimap<std::uint64_t, const Item*> by_low;
    for (const Item& item : b) by_low.emplace(low(item.sum), &item);
    List merged;
    for (const Item& item : a) {
      const auto [first, last] = by_low.equal_range(low(wanted - item.sum));
      for (auto other = first; other != last; ++other) {
        Item pair{item.sum + other->second->sum, item.numbers};
        for (std::size_t i = 0; i < pair.numbers.size(); ++i) pair.numbers[i] += other->second->numbers[i];
        merged.push_back(pair);
      }
    }
    return merged;
  }
};

/// A raw filter with almost no keys and the header of `good`, a raw filter of at least eight segments of 4096 bytes.
inline std::optional<Blob> forged_twin(const Blob& good) {
  const std::size_t payload = good.bytes.size() - kBlobHeaderBytes;
  Blob forged{good.bytes.substr(0, kBlobHeaderBytes) + std::string(payload, '\0')};
  std::uint64_t sum = 0;
  for (std::size_t segment = 0; segment * 4096 < payload; ++segment) {
    const auto at = [&](const Blob& blob) { return std::string_view(blob.bytes).substr(64 + segment * 4096, 4096); };
    sum += hash_key(at(good), segment + 1) - (segment < 8 ? 0 : hash_key(at(forged), segment + 1));
  }
  const std::optional<Forger::Numbers> numbers = Forger::numbers_for(sum);
  if (!numbers) return std::nullopt;
  for (std::size_t segment = 0; segment < 8; ++segment) {
    std::memcpy(forged.bytes.data() + kBlobHeaderBytes + segment * 4096, &(*numbers)[segment], 4);
  }
  return forged;
}

}  // namespace crivo::testing
