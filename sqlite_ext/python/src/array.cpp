#include "array.h"

#include <bit>
#include <charconv>
#include <cstring>

#include "crivo.h"

namespace crivo::python {
namespace {

template <class T>
T load(const char* item) {
  T value;
  std::memcpy(&value, item, sizeof value);  // an array may be misaligned
  return value;
}

int64_t load_signed(const char* item, size_t width) {
  switch (width) {
    case 1:
      return load<int8_t>(item);
    case 2:
      return load<int16_t>(item);
    case 4:
      return load<int32_t>(item);
    default:
      return load<int64_t>(item);
  }
}

uint64_t load_unsigned(const char* item, size_t width) {
  switch (width) {
    case 1:
      return load<uint8_t>(item);
    case 2:
      return load<uint16_t>(item);
    case 4:
      return load<uint32_t>(item);
    default:
      return load<uint64_t>(item);
  }
}

uint64_t hash_signed(int64_t value, uint64_t seed) {
  char key[CRIVO_NUMBER_KEY_BYTES];
  return crivo_hash(key, crivo_integer_key(value, key), seed);
}

uint64_t hash_unsigned(uint64_t value, uint64_t seed) {
  if (value <= INT64_MAX) return hash_signed(static_cast<int64_t>(value), seed);
  char key[CRIVO_NUMBER_KEY_BYTES];
  const char* end = std::to_chars(key, key + sizeof key, value).ptr;
  return crivo_hash(key, static_cast<size_t>(end - key), seed);
}

uint64_t hash_real(double value, uint64_t seed) {
  char key[CRIVO_NUMBER_KEY_BYTES];
  return crivo_hash(key, crivo_real_key(value, key), seed);
}

uint64_t hash_trimmed(const char* item, size_t width, uint64_t seed) {
  while (width > 0 && item[width - 1] == '\0') --width;
  return crivo_hash(item, width, seed);
}

bool is_among(char letter, const char* letters) { return letter != '\0' && std::strchr(letters, letter) != nullptr; }

}  // namespace

/// What the format (module struct) says; an array without one has bytes.
Array::Items Array::items() const {
  const char* format = view_.format == nullptr ? "B" : view_.format;
  const auto width = static_cast<size_t>(view_.itemsize);
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

  if (view_.ndim == 2) {
    const bool side_by_side = view_.shape[1] <= 1 || view_.strides == nullptr || view_.strides[1] == 1;
    return is_among(letter, "bBc") && !counted && side_by_side ? Items::kBytes : Items::kUnknown;
  }
  if (view_.ndim != 1) return Items::kUnknown;
  if (letter == 's') return Items::kTrimmedBytes;
  if (letter == 'x' || letter == 'c') return Items::kBytes;
  if (counted || swapped) return Items::kUnknown;
  if ((letter == 'f' && width == sizeof(float)) || (letter == 'd' && width == sizeof(double))) return Items::kReal;
  if (letter == '?' && width == 1) return Items::kBool;
  if (!std::has_single_bit(width) || width > 8) return Items::kUnknown;
  if (is_among(letter, "bhilqn")) return Items::kSigned;
  return is_among(letter, "BHILQN") ? Items::kUnsigned : Items::kUnknown;
}

Array::Opened Array::open(PyObject* keys, bool hashed) {
  if (!PyObject_CheckBuffer(keys)) return Opened::kOther;
  if (PyObject_GetBuffer(keys, &view_, PyBUF_RECORDS_RO) != 0) {
    PyErr_Clear();
    return Opened::kOther;
  }
  items_ = items();
  if (items_ == Items::kUnknown) return Opened::kOther;
  if (hashed) {
    if (items_ != Items::kUnsigned || view_.itemsize != 8) {
      PyErr_Format(PyExc_TypeError, "keys must be an array of 64-bit unsigned integers where hashed is true, got %s",
                   view_.format == nullptr ? "bytes" : view_.format);
      return Opened::kFailed;
    }
    items_ = Items::kHash;
  }
  first_ = static_cast<const char*>(view_.buf);
  count_ = static_cast<size_t>(view_.shape[0]);
  width_ = static_cast<size_t>(view_.ndim == 2 ? view_.shape[1] : view_.itemsize);
  stride_ = view_.strides == nullptr ? static_cast<ptrdiff_t>(width_) : view_.strides[0];  // ctypes gives no strides
  return Opened::kArray;
}

uint64_t Array::hash(const char* item, uint64_t seed) const {
  switch (items_) {
    case Items::kHash:
      return load<uint64_t>(item);
    case Items::kSigned:
      return hash_signed(load_signed(item, width_), seed);
    case Items::kUnsigned:
      return hash_unsigned(load_unsigned(item, width_), seed);
    case Items::kBool:
      return hash_unsigned(*item != 0 ? 1 : 0, seed);  // any byte but 0 is True
    case Items::kReal:
      return hash_real(width_ == sizeof(float) ? load<float>(item) : load<double>(item), seed);
    case Items::kTrimmedBytes:
      return hash_trimmed(item, width_, seed);
    default:
      return crivo_hash(item, width_, seed);
  }
}

/// Hashes keys of a fixed width all at once, if they lie side by side. Returns whether it has.
bool Array::hash_side_by_side(size_t first, size_t count, uint64_t seed, uint64_t* hashes) const {
  if (items_ != Items::kBytes && items_ != Items::kTrimmedBytes) return false;
  if (width_ == 0 || stride_ != static_cast<ptrdiff_t>(width_)) return false;
  const crivo_keys keys{item(first), count * width_, nullptr, width_, count};
  if (crivo_hash_keys(&keys, seed, hashes, nullptr) != CRIVO_OK) return false;
  if (items_ == Items::kBytes) return true;
  for (size_t i = 0; i < count; ++i) {
    const char* key = item(first + i);
    if (key[width_ - 1] == '\0') hashes[i] = hash_trimmed(key, width_, seed);
  }
  return true;
}

const uint64_t* Array::hashes(size_t first, size_t count, uint64_t seed, uint64_t* scratch) const {
  if (items_ == Items::kHash && stride_ == sizeof(uint64_t) &&
      reinterpret_cast<uintptr_t>(first_) % alignof(uint64_t) == 0) {
    return reinterpret_cast<const uint64_t*>(item(first));
  }
  if (hash_side_by_side(first, count, seed, scratch)) return scratch;
  for (size_t i = 0; i < count; ++i) scratch[i] = hash(item(first + i), seed);
  return scratch;
}

}  // namespace crivo::python
