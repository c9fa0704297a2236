// Texts of messages, JSON, and numbers in texts.
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

/// The number of bytes, 1 to 4, of the character at the start of a text; 0 if the text does not start with a
/// well-formed one, and for an empty text. Source: The Unicode Standard, table 3-7.
[[nodiscard]] std::size_t utf8_character_bytes(std::string_view text) noexcept;

/// A text as valid UTF-8 in one line whatever it holds: each control character and each byte that belongs to no
/// character becomes a '?'.
[[nodiscard]] std::string printable(std::string_view text);

/// A text as messages quote it: 'like this', or 'cut after 40 bytes...', between two characters. Made printable.
[[nodiscard]] std::string in_quotes(std::string_view text);

/// An error's message "<field> must ...", by the name that the field has in a host; any other message as it is.
[[nodiscard]] std::string rename_field(std::string message, std::string_view field, std::string_view name);

/// The number that the whole text is, in decimal and whatever the locale; nothing for any other text.
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

/// The shortest text that reads back as the same number; or one with so many digits at most, as of printf's %g.
[[nodiscard]] inline std::string number_text(double number) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, number).ptr};
}
[[nodiscard]] inline std::string number_text(double number, int digits) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, number, std::chars_format::general, digits).ptr};
}

/// The texts in one, with something between each two: "a, b".
template <class Texts>
[[nodiscard]] std::string joined(const Texts& texts, std::string_view between = ", ") {
  std::string all;
  for (const auto& text : texts) all.append(all.empty() ? "" : between).append(text);
  return all;
}

/// A text of UTF-8 as a string of JSON.
[[nodiscard]] std::string json_text(std::string_view text);

/// A JSON object that is written field by field, each with its value as JSON.
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
