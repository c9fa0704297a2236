#include "items.h"

#include <bit>
#include <cmath>
#include <limits>

namespace crivo::python {
namespace {

template <class Int8, class Int16, class Int32, class Int64>
Int64 load_any(const char* item, size_t width) {
  if (width == 1) return load<Int8>(item);
  if (width == 2) return load<Int16>(item);
  return width == 4 ? Int64{load<Int32>(item)} : load<Int64>(item);
}

int64_t load_signed(const char* item, size_t width) { return load_any<int8_t, int16_t, int32_t, int64_t>(item, width); }
uint64_t load_unsigned(const char* item, size_t width) {
  return load_any<uint8_t, uint16_t, uint32_t, uint64_t>(item, width);
}

/// A half-precision real (IEEE 754). C++20 has no type for it.
double load_half(const char* item) {
  const auto bits = load<uint16_t>(item);
  const int exponent = bits >> 10 & 0x1F;
  const int fraction = bits & 0x3FF;
  double value = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(fraction + 0x400, exponent - 25);
  if (exponent == 0x1F) value = fraction == 0 ? HUGE_VAL : std::numeric_limits<double>::quiet_NaN();
  return (bits & 0x8000) != 0 ? -value : value;
}

double load_real(const char* item, size_t width) {
  if (width == 2) return load_half(item);
  return width == sizeof(float) ? load<float>(item) : load<double>(item);
}

bool is_among(char letter, const char* letters) { return letter != '\0' && std::strchr(letters, letter) != nullptr; }

/// The type of numeric items, by the letter of their format.
Items numbers_of(char letter, size_t width) {
  if ((letter == 'e' && width == 2) || (letter == 'f' && width == 4) || (letter == 'd' && width == 8)) {
    return Items::kReal;
  }
  if (letter == '?' && width == 1) return Items::kBool;
  if (!std::has_single_bit(width) || width > 8) return Items::kUnknown;
  if (is_among(letter, "bB") && width != 1) return Items::kUnknown;  // ctypes gives unions this format
  if (is_among(letter, "bhilqn")) return Items::kSigned;
  return is_among(letter, "BHILQN") ? Items::kUnsigned : Items::kUnknown;
}

}  // namespace

/// A buffer without a format contains unsigned bytes, as with the format "B".
Items items_of(const Py_buffer& view) {
  const char* format = view.format == nullptr ? "B" : view.format;
  const auto width = static_cast<size_t>(view.itemsize);
  bool swapped = false;
  if (is_among(*format, "@=<>!")) {
    const bool big = is_among(*format, ">!") || (std::endian::native == std::endian::big && *format != '<');
    swapped = width > 1 && big != (std::endian::native == std::endian::big);
    ++format;
  }
  const bool counted = is_among(*format, "0123456789");
  while (is_among(*format, "0123456789")) ++format;
  const char letter = *format;
  if (letter == '\0' || format[1] != '\0') return Items::kUnknown;

  if (view.ndim == 2) {
    const bool side_by_side = view.shape[1] <= 1 || view.strides == nullptr || view.strides[1] == 1;
    return is_among(letter, "bBc") && !counted && side_by_side ? Items::kBytes : Items::kUnknown;
  }
  if (view.ndim > 2) return Items::kUnknown;
  if (letter == 's') return Items::kTrimmedBytes;
  if (letter == 'x' || letter == 'c') return Items::kBytes;
  return counted || swapped ? Items::kUnknown : numbers_of(letter, width);
}

ItemKey item_key(Items items, const char* item, size_t width, char number[CRIVO_NUMBER_KEY_BYTES]) {
  switch (items) {
    case Items::kSigned:
      return {number, crivo_integer_key(load_signed(item, width), number)};
    case Items::kUnsigned:
      return {number, crivo_unsigned_key(load_unsigned(item, width), number)};
    case Items::kBool:
      return {number, crivo_unsigned_key(*item != 0 ? 1 : 0, number)};  // any byte but 0 is True
    case Items::kReal:
      return {number, crivo_real_key(load_real(item, width), number)};
    case Items::kTrimmedBytes:
      while (width > 0 && item[width - 1] == '\0') --width;
      [[fallthrough]];
    default:
      return {item, width};
  }
}

bool item_integer(Items items, const char* item, size_t width, uint64_t* value, int64_t* negative) {
  if (items == Items::kSigned) {
    *negative = load_signed(item, width);
    *value = static_cast<uint64_t>(*negative);
    return *negative >= 0;
  }
  *value = items == Items::kBool ? (*item != 0 ? 1 : 0) : load_unsigned(item, width);
  return true;
}

uint64_t item_number(Items items, const char* item, size_t width) {
  switch (items) {
    case Items::kSigned:
      return crivo_ordered_integer(load_signed(item, width));
    case Items::kUnsigned:
      return crivo_ordered_integer(static_cast<int64_t>(load_unsigned(item, width)));
    case Items::kBool:
      return crivo_ordered_integer(*item != 0 ? 1 : 0);
    default:  // bytes: trailing NULs make no difference
      return crivo_ordered_bytes(item, width);
  }
}

}  // namespace crivo::python
