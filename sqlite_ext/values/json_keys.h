// Keys in a JSON array: how the functions for many keys take more than the 127 arguments that SQLite allows.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "values/boundary.h"
#include "values/json_array.h"
#include "values/statement.h"

namespace crivo::sqlite {

/// Walks over the keys of a JSON array, in their order. A string's key is its UTF-8; a number's is the key of the value
/// that SQLite's json_each gives for it; true counts as 1 and false as 0; null is no key.
class JsonKeys {
 public:
  /// Borrows the text. Throws SqlError for a value of another type.
  JsonKeys(sqlite3* db, sqlite3_value* array);
  JsonKeys(const JsonKeys&) = delete;  // text_ may lie in array_
  JsonKeys& operator=(const JsonKeys&) = delete;

  /// Goes to the next element, and first to the first one. False behind the last. Throws SqlError for a text that is
  /// not a JSON array, or an array that holds anything else.
  [[nodiscard]] bool next();

  [[nodiscard]] bool is_null() const noexcept { return std::holds_alternative<std::monostate>(value_); }
  /// The element's key, which must not be null. Valid until next().
  [[nodiscard]] std::string_view key() const noexcept { return number_ ? number_->view() : text_; }
  /// The hash by which a filter of this shape knows that key. Throws SqlError for one that is no integer, if the filter
  /// is of ordered numbers.
  [[nodiscard]] std::uint64_t hash(const Shape& shape) const;
  /// Gives the element to SQLite, as json_each does.
  void set_result(sqlite3_context* context) const;

 private:
  enum class Text {};
  [[nodiscard]] SqlError wrong() const;
  void take(const JsonArray::Element& element);
  void take_number(std::string_view literal);
  void take_value(auto number) {
    value_ = number;
    number_.emplace(number);
  }
  [[nodiscard]] double read_real(std::string_view literal);

  sqlite3_value* array_value_;
  JsonArray array_;
  /// Asks SQLite which value its JSON functions give for a number. The last digit of that value depends on SQLite's
  /// version and on how it was compiled, and neither strtod nor CAST always gives the same one. SQLite offers it
  /// through SQL only. The statement is prepared when the first real number comes, for most arrays have none, and ends
  /// with the array: a statement that is kept would not let the connection close.
  Statement decimals_;
  std::variant<std::monostate, std::int64_t, double, Text> value_;
  std::string_view text_;            // of a string
  std::optional<NumberKey> number_;  // of any other value but null
};

/// The hashes, for a filter of this shape, of the keys in a JSON array, in their order; null is left out. Throws as
/// JsonKeys.
[[nodiscard]] std::vector<std::uint64_t> hash_json_keys(sqlite3* db, sqlite3_value* array, const Shape& shape);
}  // namespace crivo::sqlite
