// Little-endian loads and stores at any address, a reader and a writer of fields, and a bit count.
#pragma once

#include <bit>
#include <cassert>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "crivo/cxx20.h"

namespace crivo {

template <std::unsigned_integral T>
[[nodiscard]] constexpr T little_endian(T value) noexcept {
  if constexpr (std::endian::native == std::endian::little || sizeof(T) == 1) {
    return value;
  } else {
    T swapped = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i)
      swapped = static_cast<T>(swapped << 8) | static_cast<T>((value >> (8 * i)) & 0xFF);
    return swapped;
  }
}

template <std::unsigned_integral T>
[[nodiscard]] inline T load_le(const std::byte* from) noexcept {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return little_endian(value);
}

template <std::unsigned_integral T>
inline void store_le(std::byte* to, T value) noexcept {
  value = little_endian(value);
  std::memcpy(to, &value, sizeof(T));
}

/// The number of bits set. The length must be a multiple of 8 bytes.
[[nodiscard]] inline std::uint64_t count_bits(std::span<const std::byte> bytes) noexcept {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < bytes.size(); i += 8) {
    count += static_cast<std::uint64_t>(std::popcount(load_le<std::uint64_t>(bytes.data() + i)));
  }
  return count;
}

/// Reads consecutive fields. The caller must check the length beforehand.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <std::unsigned_integral T>
  [[nodiscard]] T read() noexcept {
    assert(bytes_.size() >= sizeof(T));
    const T value = load_le<T>(bytes_.data());
    bytes_ = bytes_.subspan(sizeof(T));
    return value;
  }
  [[nodiscard]] std::uint64_t read_u48() noexcept {
    const std::uint64_t low = read<std::uint32_t>();
    return low | std::uint64_t{read<std::uint16_t>()} << 32;
  }
  [[nodiscard]] double read_f64() noexcept { return std::bit_cast<double>(read<std::uint64_t>()); }

 private:
  std::span<const std::byte> bytes_;
};

/// Writes consecutive fields. The caller must check the length beforehand.
class ByteWriter {
 public:
  explicit ByteWriter(std::span<std::byte> bytes) : bytes_(bytes) {}

  template <std::unsigned_integral T>
  void write(T value) noexcept {
    assert(bytes_.size() >= sizeof(T));
    store_le(bytes_.data(), value);
    bytes_ = bytes_.subspan(sizeof(T));
  }
  void write_u48(std::uint64_t value) noexcept {
    assert(value >> 48 == 0);
    write(static_cast<std::uint32_t>(value));
    write(static_cast<std::uint16_t>(value >> 32));
  }
  void write_f64(double value) noexcept { write(std::bit_cast<std::uint64_t>(value)); }

 private:
  std::span<std::byte> bytes_;
};

}  // namespace crivo
