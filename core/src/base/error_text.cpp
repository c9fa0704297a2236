#include "base/error_text.h"

#include <charconv>

namespace crivo {
namespace {

void append(std::string& text, std::string_view part) { text += part; }

template <class Number>
void append(std::string& text, Number part) {
  char digits[40];
  const auto end = std::to_chars(digits, digits + sizeof digits, part);
  text.append(digits, end.ptr);
}

}  // namespace

void TextPart::append_to(std::string& text) const {
  std::visit([&text](auto part) { append(text, part); }, value_);
}

Error error_of(ErrorCode code, std::initializer_list<TextPart> parts) {
  Error result{code, {}};
  for (const TextPart& part : parts) part.append_to(result.message);
  return result;
}

}  // namespace crivo
