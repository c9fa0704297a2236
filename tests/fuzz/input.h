// Reads an input field by field. After its end it reads zeros, so that every input is valid.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace crivo::testing {

class Input {
 public:
  explicit Input(std::span<const std::uint8_t> bytes) : left_(bytes) {}

  /// The next field, little-endian.
  template <std::unsigned_integral T>
  [[nodiscard]] T take() {
    std::uint64_t value = 0;
    const std::size_t size = std::min(sizeof(T), left_.size());
    for (std::size_t i = size; i-- > 0;) value = value << 8 | left_[i];
    left_ = left_.subspan(size);
    return static_cast<T>(value);
  }
  [[nodiscard]] unsigned take_below(unsigned end) { return take<std::uint8_t>() % end; }

  [[nodiscard]] std::span<const std::uint8_t> left() const { return left_; }

 private:
  std::span<const std::uint8_t> left_;
};

/// Reads at most 256 hashes, in runs of up to 16. The hashes of a run are equal, consecutive, a power of two apart, or
/// unrelated. No hash function produces such patterns, but filters are most likely to fail on them.
[[nodiscard]] inline std::vector<std::uint64_t> take_hashes(Input& input) {
  std::vector<std::uint64_t> hashes;
  const unsigned runs = input.take_below(17);
  for (unsigned run = 0; run < runs; ++run) {
    const unsigned length = 1 + input.take_below(16);
    const unsigned choice = input.take_below(66);
    const std::uint64_t step = choice == 0 ? 0 : choice == 65 ? 0x9E3779B97F4A7C15 : std::uint64_t{1} << (choice - 1);
    std::uint64_t hash = input.take<std::uint64_t>();
    for (unsigned i = 0; i < length; ++i, hash += step) hashes.push_back(hash);
  }
  return hashes;
}

}  // namespace crivo::testing
