// Decodes RocksDB's encodings of numbers. CheckedReader checks bounds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "crivo/host/bytes.h"

namespace crivo::sst {

/// Decodes a little-endian number from the first sizeof(Number) bytes, which must exist.
template <typename Number>
[[nodiscard]] Number fixed(std::string_view bytes) noexcept {
  return load_le<Number>(reinterpret_cast<const std::byte*>(bytes.data()));
}

/// The reading functions return false, and consume nothing, if there are too few bytes.
class CheckedReader {
 public:
  explicit CheckedReader(std::string_view bytes) noexcept : bytes_(bytes) {}

  [[nodiscard]] bool empty() const noexcept { return bytes_.empty(); }

  [[nodiscard]] bool take(std::uint64_t size, std::string_view* taken) noexcept {
    if (size > bytes_.size()) return false;
    *taken = bytes_.substr(0, static_cast<std::size_t>(size));
    bytes_.remove_prefix(static_cast<std::size_t>(size));
    return true;
  }

  template <typename Number>
  bool fixed(Number* number) noexcept {
    std::string_view taken;
    if (!take(sizeof *number, &taken)) return false;
    *number = sst::fixed<Number>(taken);
    return true;
  }

  /// Reads a number of seven bits per byte, least significant first. The top bit means that another byte follows.
  [[nodiscard]] bool varint(std::uint64_t* number) noexcept {
    *number = 0;
    std::size_t used = 0;
    for (unsigned shift = 0; shift < 64 && used < bytes_.size(); shift += 7) {
      const auto byte = static_cast<unsigned char>(bytes_[used++]);
      *number |= std::uint64_t{byte & 0x7fU} << shift;
      if ((byte & 0x80U) != 0) continue;
      bytes_.remove_prefix(used);
      return true;
    }
    return false;
  }

 private:
  std::string_view bytes_;
};

}  // namespace crivo::sst
