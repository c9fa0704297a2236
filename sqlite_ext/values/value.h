// Reads SQL values as keys, numbers and bytes, and sets results.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "crivo/hash.h"
#include "crivo/key.h"
#include "crivo/ordered.h"
#include "values/error.h"

namespace crivo::sqlite {

/// The bytes of a key. Borrows the value until the call ends.
class KeyBytes {
 public:
  explicit KeyBytes(sqlite3_value* value);
  [[nodiscard]] bool is_null() const noexcept { return is_null_; }
  [[nodiscard]] std::string_view view() const noexcept { return number_ ? number_->view() : bytes_; }
  /// The key's hash in a filter with this hash function and seed. The key must not be NULL. Throws SqlError if a filter
  /// of ordered numbers does not support the key.
  [[nodiscard]] std::uint64_t hash(HashId id, std::uint64_t seed) const;

 private:
  sqlite3_value* value_;
  bool is_null_ = false;
  std::optional<NumberKey> number_;
  std::string_view bytes_;
};

/// The ordered numbers from `low` to `high`, inclusive (crivo/ordered.h). For blobs, the range ends with the last key
/// that starts with `high`. Throws SqlError unless both are INTEGER or both BLOB.
struct KeyRange {
  KeyRange(sqlite3_value* low_value, sqlite3_value* high_value);
  std::uint64_t low;
  std::uint64_t high;
};

// OwnedValue owns a copy of a SQL value. The copy can outlive the call.
struct FreeValue {
  void operator()(sqlite3_value* value) const noexcept { sqlite3_value_free(value); }
};
using OwnedValue = std::unique_ptr<sqlite3_value, FreeValue>;

/// Copies a value. Throws std::bad_alloc.
[[nodiscard]] inline OwnedValue copy_of(sqlite3_value* value) {
  OwnedValue copy(sqlite3_value_dup(value));
  if (copy == nullptr) throw std::bad_alloc();
  return copy;
}

[[nodiscard]] inline bool is_null(sqlite3_value* value) { return sqlite3_value_type(value) == SQLITE_NULL; }
/// The value of an INTEGER, or of a REAL that equals a 64-bit integer (1 and 1.0 are the same key); else no value.
[[nodiscard]] std::optional<std::int64_t> whole_number(sqlite3_value* value);
/// Borrows the bytes of a BLOB. Throws std::bad_alloc.
[[nodiscard]] std::span<const std::byte> blob_of(sqlite3_value* value);
/// Borrows a value as the name of a table, column or schema. Throws SqlError unless the value is a text without NUL,
/// because SQLite would end the name at the NUL.
[[nodiscard]] const char* name_of(sqlite3_value* value, std::string_view field);
/// Formats a value for an error message: 12, 0.5, 'text', a blob of 3 bytes, NULL.
[[nodiscard]] std::string shown(sqlite3_value* value);

/// Clamps a count to SQLite's largest integer, 2^63 - 1.
[[nodiscard]] constexpr std::int64_t saturated(std::uint64_t count) noexcept {
  return static_cast<std::int64_t>(std::min(count, std::uint64_t{INT64_MAX}));
}

// Set the result of a function, or a column of a virtual table.
inline void set_value(sqlite3_context* context, double value) { sqlite3_result_double(context, value); }
inline void set_value(sqlite3_context* context, std::int64_t value) { sqlite3_result_int64(context, value); }
inline void set_value(sqlite3_context* context, std::uint64_t value) {
  sqlite3_result_int64(context, saturated(value));
}
inline void set_value(sqlite3_context* context, std::string_view text) {
  sqlite3_result_text64(context, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}
inline void set_value(sqlite3_context* context, std::span<const std::byte> blob) {
  sqlite3_result_blob64(context, blob.data(), blob.size(), SQLITE_TRANSIENT);
}

}  // namespace crivo::sqlite
