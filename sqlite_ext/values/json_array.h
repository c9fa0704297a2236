// Reads a JSON array (RFC 8259) of numbers, strings, booleans and nulls, element by element.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace crivo::sqlite {

/// Thrown for a text that is not a JSON array of scalars.
struct NotAnArray {};

/// Walks over the elements without building a document. Strict: the text must be UTF-8 without a byte order mark, and
/// no comments, no trailing commas, and nothing but white space before and after the array are allowed.
class JsonArray {
 public:
  enum class Type { kNull, kFalse, kTrue, kNumber, kString };
  struct Element {
    Type type;
    std::string_view text;  // a number's literal, a string without its quotes and escapes; valid until the next call
  };

  /// Borrows the text.
  explicit JsonArray(std::string_view text) noexcept : text_(text) {}

  /// The next element, or nothing after the last, once the rest of the text has been checked. Throws NotAnArray.
  [[nodiscard]] std::optional<Element> next();

 private:
  [[nodiscard]] char peek() const noexcept { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool skip(char wanted) noexcept;
  void skip_space() noexcept;
  Element element();
  Element word(std::string_view word, Type type);
  Element number();
  std::size_t digits();
  Element string();
  void unescape();
  unsigned hex4();

  std::string_view text_;
  std::size_t at_ = 0;
  bool inside_ = false;
  std::string unescaped_;
};

}  // namespace crivo::sqlite
