// Keys in a JSON array, for functions with many keys: older versions of SQLite allow at most 127 arguments.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "crivo/filter.h"
#include "values/json_array.h"
#include "values/statement.h"
#include "values/value.h"

namespace crivo::sqlite {

/// Iterates over the keys of a JSON array in order. The key of a string is its UTF-8 text. A number has the key of the
/// value that json_each returns. The keys of true and false are those of 1 and 0; null is not a key.
class JsonKeys {
 public:
  /// Borrows the array's text. Throws SqlError if the value is not a TEXT.
  JsonKeys(sqlite3* db, sqlite3_value* array);
  JsonKeys(const JsonKeys&) = delete;  // text_ may point into array_
  JsonKeys& operator=(const JsonKeys&) = delete;

  /// Advances to the next element; the first call reads the first element. Returns false at the end. Throws SqlError if
  /// the text is not a JSON array of scalars, or if SQLite cannot convert a number.
  [[nodiscard]] bool next();

  [[nodiscard]] bool is_null() const noexcept { return std::holds_alternative<std::monostate>(value_); }
  /// The element's key. The element must not be null. Valid until next().
  [[nodiscard]] std::string_view key() const noexcept { return number_ ? number_->view() : text_; }
  /// The key's hash in a filter of this shape. Throws SqlError if the filter is of ordered numbers and the key is not
  /// an integer.
  [[nodiscard]] std::uint64_t hash(const Shape& shape) const;
  /// Sets the element as the result of a SQL call, as json_each would.
  void set_result(sqlite3_context* context) const;

 private:
  enum class Text {};
  [[nodiscard]] SqlError wrong() const;
  void set_element(const JsonArray::Element& element);
  void set_number(auto number) {
    value_ = number;
    number_.emplace(number);
  }
  [[nodiscard]] double read_real(std::string_view literal);

  sqlite3_value* array_value_;
  JsonArray array_;
  /// Converts a number to the REAL of json_each. The last digit depends on SQLite's version and build. Neither strtod
  /// nor CAST always returns this digit, so json_extract converts the number. The statement is prepared at the first
  /// REAL, because most arrays have none. It is finalized with this object, because an open statement would prevent the
  /// connection from closing.
  Statement decimals_;
  std::variant<std::monostate, std::int64_t, double, Text> value_;
  std::string_view text_;            // the key of a string
  std::optional<NumberKey> number_;  // the key of any other value except null
};

/// The hashes of the keys in a JSON array, in order, for a filter of this shape. Skips null. Throws as JsonKeys does.
[[nodiscard]] std::vector<std::uint64_t> hash_json_keys(sqlite3* db, sqlite3_value* array, const Shape& shape);

}  // namespace crivo::sqlite
