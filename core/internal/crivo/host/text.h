// Text helpers: messages, JSON, and numbers as text.
#pragma once

#include <charconv>
#include <concepts>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "crivo/cxx20.h"

namespace crivo {

/// The length, 1 to 4, of the UTF-8 character at the start of a text; 0 if the text is empty or does not start with a
/// well-formed character. Source: The Unicode Standard, table 3-7.
[[nodiscard]] std::size_t utf8_character_bytes(std::string_view text) noexcept;

/// The text as one line of valid UTF-8: each control character, and each byte outside a valid character, becomes '?'.
[[nodiscard]] std::string printable(std::string_view text);

/// The printable text in quotes, for messages: 'like this'. A text of more than 40 bytes is cut at the end of a
/// character: 'long te...'.
[[nodiscard]] std::string in_quotes(std::string_view text);

/// Replaces the field in a message "<field> must ..." with the host's name for the field. Returns other messages
/// unchanged.
[[nodiscard]] std::string rename_field(std::string message, std::string_view field, std::string_view name);

/// Parses the whole text as a decimal number, independently of the locale; no value for any other text.
[[nodiscard]] std::optional<double> read_real(std::string_view text);
template <class Number>
[[nodiscard]] std::optional<Number> read_number(std::string_view text) {
  if constexpr (std::same_as<Number, double>) {
    return read_real(text);
  } else {
    Number number{};
    const char* const end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data(), end, number);
    return parsed.ec == std::errc() && parsed.ptr == end ? std::optional(number) : std::nullopt;
  }
}

/// The shortest text that reads back as the same number, or a text with at most `digits` digits, like printf's %g.
[[nodiscard]] inline std::string number_text(double number) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, number).ptr};
}
[[nodiscard]] inline std::string number_text(double number, int digits) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, number, std::chars_format::general, digits).ptr};
}

/// Concatenates texts with a separator: "a, b".
template <class Texts>
[[nodiscard]] std::string joined(const Texts& texts, std::string_view between = ", ") {
  std::string all;
  for (const auto& text : texts) all.append(all.empty() ? "" : between).append(text);
  return all;
}

/// UTF-8 text as a JSON string.
[[nodiscard]] std::string json_text(std::string_view text);

/// Builds a JSON object field by field. Values are passed as JSON.
class JsonObject {
 public:
  void add(std::string_view name, const std::string& json) {
    json_.append(json_.empty() ? "{" : ",").append(json_text(name)).append(":").append(json);
  }
  [[nodiscard]] std::string str() const { return json_ + "}"; }

 private:
  std::string json_;
};

}  // namespace crivo
