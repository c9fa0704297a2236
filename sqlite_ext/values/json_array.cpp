// Parses a JSON array of scalars; see json_array.h.
#include "values/json_array.h"

#include "crivo/host/text.h"

namespace crivo::sqlite {
namespace {

/// Appends a code point as UTF-8.
void append_utf8(std::string& text, unsigned code) {
  const auto byte = [&text](unsigned value) { text += static_cast<char>(value); };
  if (code < 0x80) return byte(code);
  if (code < 0x800) {
    byte(0xC0 | (code >> 6));
  } else {
    if (code < 0x10000) {
      byte(0xE0 | (code >> 12));
    } else {
      byte(0xF0 | (code >> 18));
      byte(0x80 | ((code >> 12) & 0x3F));
    }
    byte(0x80 | ((code >> 6) & 0x3F));
  }
  byte(0x80 | (code & 0x3F));
}

}  // namespace

bool JsonArray::skip(char wanted) noexcept {
  const bool there = at_ < text_.size() && text_[at_] == wanted;
  at_ += there;
  return there;
}

void JsonArray::skip_space() noexcept {
  while (skip(' ') || skip('\t') || skip('\n') || skip('\r')) {
  }
}

std::optional<JsonArray::Element> JsonArray::next() {
  skip_space();
  const bool first = !inside_;
  if (first && !skip('[')) throw NotAnArray{};
  inside_ = true;
  skip_space();
  if (skip(']')) {
    skip_space();
    if (at_ != text_.size()) throw NotAnArray{};
    return std::nullopt;
  }
  if (!first && !skip(',')) throw NotAnArray{};
  skip_space();
  return element();
}

JsonArray::Element JsonArray::element() {
  switch (peek()) {
    case '"':
      return string();
    case 'n':
      return word("null", Type::kNull);
    case 't':
      return word("true", Type::kTrue);
    case 'f':
      return word("false", Type::kFalse);
    default:
      return number();
  }
}

JsonArray::Element JsonArray::word(std::string_view word, Type type) {
  if (text_.substr(at_, word.size()) != word) throw NotAnArray{};
  at_ += word.size();
  return {type, word};
}

std::size_t JsonArray::digits() {
  const std::size_t start = at_;
  while (peek() >= '0' && peek() <= '9') ++at_;
  if (at_ == start) throw NotAnArray{};
  return at_ - start;
}

JsonArray::Element JsonArray::number() {
  const std::size_t start = at_;
  skip('-');
  const bool zero = peek() == '0';
  if (digits() > 1 && zero) throw NotAnArray{};
  if (skip('.')) digits();
  if (skip('e') || skip('E')) {
    if (!skip('+')) skip('-');
    digits();
  }
  return {Type::kNumber, text_.substr(start, at_ - start)};
}

/// Reads a string. A string without escapes, the usual case, is borrowed from the text.
JsonArray::Element JsonArray::string() {
  std::size_t start = ++at_;
  bool escaped = false;
  unescaped_.clear();
  for (;;) {
    const auto byte = static_cast<unsigned char>(peek());
    if (byte == '"') break;
    if (byte < 0x20) throw NotAnArray{};  // also at the end of the text, where peek() returns 0
    if (byte == '\\') {
      escaped = true;
      unescaped_ += text_.substr(start, at_ - start);
      unescape();
      start = at_;
    } else if (byte < 0x80) {
      ++at_;
    } else {
      const std::size_t bytes = utf8_character_bytes(text_.substr(at_));
      if (bytes == 0) throw NotAnArray{};
      at_ += bytes;
    }
  }
  const std::string_view rest = text_.substr(start, at_ - start);
  ++at_;
  if (!escaped) return {Type::kString, rest};
  unescaped_ += rest;
  return {Type::kString, unescaped_};
}

void JsonArray::unescape() {
  constexpr std::string_view kLetters = "\"\\/bfnrt";
  constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
  ++at_;  // the backslash
  if (!skip('u')) {
    const std::size_t letter = at_ < text_.size() ? kLetters.find(text_[at_]) : std::string_view::npos;
    if (letter == std::string_view::npos) throw NotAnArray{};
    ++at_;
    unescaped_ += kMeanings[letter];
    return;
  }
  unsigned code = hex4();
  if (code >= 0xDC00 && code < 0xE000) throw NotAnArray{};
  if (code >= 0xD800 && code < 0xDC00) {  // a high surrogate
    if (!skip('\\') || !skip('u')) throw NotAnArray{};
    const unsigned low = hex4();
    if (low < 0xDC00 || low >= 0xE000) throw NotAnArray{};
    code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
  }
  append_utf8(unescaped_, code);
}

unsigned JsonArray::hex4() {
  unsigned value = 0;
  for (int i = 0; i < 4; ++i, ++at_) {
    const char digit = peek();
    value *= 16;
    if (digit >= '0' && digit <= '9') {
      value += static_cast<unsigned>(digit - '0');
    } else if (digit >= 'a' && digit <= 'f') {
      value += static_cast<unsigned>(digit - 'a') + 10;
    } else if (digit >= 'A' && digit <= 'F') {
      value += static_cast<unsigned>(digit - 'A') + 10;
    } else {
      throw NotAnArray{};
    }
  }
  return value;
}

}  // namespace crivo::sqlite
