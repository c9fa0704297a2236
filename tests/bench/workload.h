// Keys for benchmarks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace crivo::bench {

/// Key number i, eight bytes. Different numbers give different keys. Keys with numbers below the filter's number of
/// keys are present, the others are absent.
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

/// An endless stream of key numbers, of which a given fraction is present. The generator is wyrand, which needs one
/// multiplication per number.
class Queries {
 public:
  Queries(std::uint64_t keys, unsigned hit_percent, std::uint64_t seed) noexcept
      : keys_(keys),
        threshold_(hit_percent == 100 ? ~0U : static_cast<std::uint32_t>(hit_percent * 42949672U)),
        state_(seed) {}

  /// The next key number.
  std::uint64_t next() noexcept {
    state_ += 0xA0761D6478BD642F;
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(state_) * (state_ ^ 0xE7037ED1A0B428DB);
    const auto random = static_cast<std::uint64_t>(product >> 64) ^ static_cast<std::uint64_t>(product);
    const std::uint64_t absent = keys_ + (random >> 8);
    const auto present = static_cast<std::uint64_t>((static_cast<Wide>(random) * keys_) >> 64);
    return static_cast<std::uint32_t>(random) < threshold_ ? present : absent;
  }

 private:
  std::uint64_t keys_;
  std::uint32_t threshold_;
  std::uint64_t state_;
};

/// Keys of one length, stored consecutively, so that the measured time includes only the hash and the filter.
class KeyList {
 public:
  /// Reserves memory for `count` keys of at least eight bytes.
  KeyList(std::size_t count, std::size_t key_bytes) : key_bytes_(key_bytes) { text_.reserve(count * key_bytes); }

  void add(std::uint64_t number) {
    for (std::size_t i = 0; i < key_bytes_; i += 8) text_ += Key(number + i).view().substr(0, key_bytes_ - i);
  }
  [[nodiscard]] std::size_t size() const noexcept { return text_.size() / key_bytes_; }
  std::string_view operator[](std::size_t i) const noexcept { return {text_.data() + i * key_bytes_, key_bytes_}; }

 private:
  std::size_t key_bytes_;
  std::string text_;
};

/// The keys of a filter: numbers 0 to count - 1.
inline KeyList present_keys(std::uint64_t count, std::size_t key_bytes) {
  KeyList keys(count, key_bytes);
  for (std::uint64_t number = 0; number < count; ++number) keys.add(number);
  return keys;
}

/// Keys to look up.
inline KeyList questions(Queries numbers, std::size_t count, std::size_t key_bytes) {
  KeyList keys(count, key_bytes);
  for (std::size_t i = 0; i < count; ++i) keys.add(numbers.next());
  return keys;
}

}  // namespace crivo::bench
