// Keys for benchmarks. They are computed when they are needed, because keys that are read from memory would push the
// filter out of the cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace crivo::bench {

/// Key number i, eight bytes. Different numbers give different keys. Those with numbers below the filter's number of
/// keys are present, the others absent.
class Key {
 public:
  Key() noexcept = default;
  explicit Key(std::uint64_t number) noexcept : bytes_(number * 0x9E3779B97F4A7C15) {}
  [[nodiscard]] std::string_view view() const noexcept {
    return {reinterpret_cast<const char*>(&bytes_), sizeof bytes_};
  }

 private:
  std::uint64_t bytes_ = 0;
};

/// An endless stream of key numbers, a given share of them present. The generator is wyrand, which takes one
/// multiplication per number.
class Queries {
 public:
  Queries(std::uint64_t keys, unsigned hit_percent, std::uint64_t seed) noexcept
      : keys_(keys),
        threshold_(hit_percent == 100 ? ~0U : static_cast<std::uint32_t>(hit_percent * 42949672U)),
        state_(seed) {}

  /// The next key number. `salt` is added to the state: a caller that passes its last answer makes the next key depend
  /// on it.
  std::uint64_t next(std::uint64_t salt = 0) noexcept {
    state_ += 0xA0761D6478BD642F + salt;
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(state_) * (state_ ^ 0xE7037ED1A0B428DB);
    const auto random = static_cast<std::uint64_t>(product >> 64) ^ static_cast<std::uint64_t>(product);
    const std::uint64_t absent = keys_ + (random >> 8);
    const auto present = static_cast<std::uint64_t>((static_cast<Wide>(random) * keys_) >> 64);
    // This takes no branch. At 50% hits one would be mispredicted half the time, and would hide the mispredictions of
    // the filters.
    const std::uint64_t is_present = -static_cast<std::uint64_t>(static_cast<std::uint32_t>(random) < threshold_);
    return absent ^ ((absent ^ present) & is_present);
  }

 private:
  std::uint64_t keys_;
  std::uint32_t threshold_;
  std::uint64_t state_;
};

}  // namespace crivo::bench
