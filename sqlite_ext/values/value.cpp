#include "values/value.h"

#include <new>

#include "crivo/host/text.h"

namespace crivo::sqlite {
namespace {

std::string_view text_of(sqlite3_value* value) {
  const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(value));
  if (text == nullptr) throw std::bad_alloc();
  return {text, static_cast<std::size_t>(sqlite3_value_bytes(value))};
}

/// The number of a key in a filter of kind range. Rejects REAL, and TEXT, which could mean a text, a date or digits.
std::uint64_t ordered_key(std::string_view name, sqlite3_value* value) {
  const int type = sqlite3_value_type(value);
  if (type == SQLITE_INTEGER) return ordered(std::int64_t{sqlite3_value_int64(value)});
  if (type == SQLITE_BLOB) return ordered(KeyBytes(value).view());
  throw SqlError{std::string(name) + " must be an INTEGER or a BLOB for a filter of kind range, got " + shown(value) +
                 (type == SQLITE_TEXT ? "; CAST a text to BLOB or INTEGER, and use unixepoch() of a date"
                                      : "; CAST it to INTEGER")};
}

}  // namespace

// Checks the type before it reads any text, because sqlite3_value_text would convert the value in place.
KeyBytes::KeyBytes(sqlite3_value* value) : value_(value) {
  switch (sqlite3_value_type(value)) {
    case SQLITE_INTEGER:
      number_.emplace(std::int64_t{sqlite3_value_int64(value)});
      break;
    case SQLITE_FLOAT:
      number_.emplace(sqlite3_value_double(value));
      break;
    case SQLITE_TEXT:
      bytes_ = text_of(value);
      break;
    case SQLITE_BLOB: {
      const std::span<const std::byte> blob = blob_of(value);
      bytes_ = {reinterpret_cast<const char*>(blob.data()), blob.size()};
      break;
    }
    default:
      is_null_ = true;
  }
}

std::uint64_t KeyBytes::hash(HashId id, std::uint64_t seed) const {
  return id == HashId::kOrdered ? ordered_key("key", value_) : hash_key(view(), seed);
}

KeyRange::KeyRange(sqlite3_value* low_value, sqlite3_value* high_value)
    : low(ordered_key("lo", low_value)), high(ordered_key("hi", high_value)) {
  if (sqlite3_value_type(low_value) != sqlite3_value_type(high_value)) {
    throw SqlError{"lo and hi must be two INTEGERs or two BLOBs, got " + shown(low_value) + " and " +
                   shown(high_value)};
  }
  if (sqlite3_value_type(high_value) == SQLITE_BLOB) high = last_ordered(KeyBytes(high_value).view());
}

std::optional<std::int64_t> whole_number(sqlite3_value* value) {
  const int type = sqlite3_value_type(value);
  const std::int64_t number = sqlite3_value_int64(value);
  const bool is_whole =
      type == SQLITE_INTEGER || (type == SQLITE_FLOAT && sqlite3_value_double(value) == static_cast<double>(number) &&
                                 sqlite3_value_double(value) < 0x1p63);  // SQLite converts a REAL of 2^63 to 2^63 - 1
  return is_whole ? std::optional(number) : std::nullopt;
}

std::span<const std::byte> blob_of(sqlite3_value* value) {
  const void* bytes = sqlite3_value_blob(value);
  const auto size = static_cast<std::size_t>(sqlite3_value_bytes(value));
  if (bytes == nullptr && size != 0) throw std::bad_alloc();
  return {static_cast<const std::byte*>(bytes), size};
}

const char* name_of(sqlite3_value* value, std::string_view field) {
  if (sqlite3_value_type(value) != SQLITE_TEXT) {
    throw SqlError{std::string(field) + " must be a text, got " + shown(value)};
  }
  const std::string_view name = text_of(value);
  if (name.find('\0') != std::string_view::npos)
    throw SqlError{std::string(field) + " must be a name without NUL, got " + in_quotes(name)};
  return name.data();
}

std::string shown(sqlite3_value* value) {
  switch (sqlite3_value_type(value)) {
    case SQLITE_NULL:
      return "NULL";
    case SQLITE_BLOB:
      return "a blob of " + std::to_string(sqlite3_value_bytes(value)) + " bytes";
    case SQLITE_TEXT:
      return in_quotes(text_of(value));
    default:
      return std::string(KeyBytes(value).view());
  }
}

}  // namespace crivo::sqlite
