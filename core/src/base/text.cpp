#include "crivo/host/text.h"

#include <locale.h>
#include <stdlib.h>

#include <cerrno>
#include <cmath>

namespace crivo {
namespace {

constexpr std::size_t kMaxQuotedBytes = 40;

}  // namespace

// Not std::from_chars, which most C++ libraries outside Linux lack for real numbers.
std::optional<double> read_real(std::string_view text) {
  if (text.empty() || text.front() == '+' || text.find_first_not_of("0123456789.eE+-infa") != text.npos)
    return std::nullopt;
  static const locale_t plain = ::newlocale(LC_ALL_MASK, "C", nullptr);
  const std::string ended(text);
  char* stop = nullptr;
  const locale_t before = ::uselocale(plain);
  errno = 0;
  const double number = ::strtod(ended.c_str(), &stop);
  ::uselocale(before);
  const bool out_of_range = errno == ERANGE && (number == 0 || std::isinf(number));  // also set for subnormal numbers
  const bool is_number = stop == ended.c_str() + ended.size() && !out_of_range;
  return is_number ? std::optional(number) : std::nullopt;
}

std::size_t utf8_character_bytes(std::string_view text) noexcept {
  const auto byte = [text](std::size_t at) { return at < text.size() ? static_cast<unsigned char>(text[at]) : 0U; };
  const auto continues = [&byte](std::size_t at) { return (byte(at) & 0xC0) == 0x80; };
  const unsigned first = byte(0);
  if (first < 0x80) return text.empty() ? 0 : 1;
  if (first < 0xC2) return 0;  // a continuation byte, or the start of an overlong form
  if (first < 0xE0) return continues(1) ? 2 : 0;
  const unsigned second = byte(1);
  if (first < 0xF0) {
    const bool needlessly_long = first == 0xE0 && second < 0xA0;
    const bool surrogate = first == 0xED && second >= 0xA0;
    return !needlessly_long && !surrogate && continues(1) && continues(2) ? 3 : 0;
  }
  const bool needlessly_long = first == 0xF0 && second < 0x90;
  const bool too_large = first > 0xF4 || (first == 0xF4 && second >= 0x90);
  return !needlessly_long && !too_large && continues(1) && continues(2) && continues(3) ? 4 : 0;
}

std::string printable(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t bytes = utf8_character_bytes(text.substr(at));
    const auto first = static_cast<unsigned char>(text[at]);
    if (bytes == 0 || first < 0x20 || first == 0x7F) {
      result += '?';
      ++at;
    } else {
      result += text.substr(at, bytes);
      at += bytes;
    }
  }
  return result;
}

std::string in_quotes(std::string_view text) {
  const std::string shown = printable(text.substr(0, kMaxQuotedBytes + 4));  // later bytes are not shown
  std::string result = "'";
  for (std::size_t at = 0; at < shown.size();) {
    const std::size_t bytes = utf8_character_bytes(std::string_view(shown).substr(at));
    if (at + bytes > kMaxQuotedBytes) return result + "...'";
    result.append(shown, at, bytes);
    at += bytes;
  }
  return result + "'";
}

std::string rename_field(std::string message, std::string_view field, std::string_view name) {
  if (message.starts_with(std::string(field) + " must ")) message.replace(0, field.size(), name);
  return message;
}

std::string json_text(std::string_view text) {
  std::string json = "\"";
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20) {
      constexpr std::string_view kHex = "0123456789abcdef";
      json.append("\\u00").append({kHex[static_cast<unsigned>(c) >> 4], kHex[static_cast<unsigned>(c) & 15]});
      continue;
    }
    if (c == '"' || c == '\\') json += '\\';
    json += c;
  }
  return json + "\"";
}

}  // namespace crivo
