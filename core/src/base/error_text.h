// Makes errors whose message is put together from parts: error(code, "capacity must lie in [1, ", max, "], got ",
// value).
#pragma once

#include <charconv>
#include <concepts>
#include <string>
#include <string_view>
#include <system_error>

#include "crivo/result.h"

namespace crivo {

inline void append_text(std::string& text, std::string_view part) { text += part; }

/// Appends an integer in decimal, and a real number as the shortest text that reads back as the same number.
template <class Number>
requires std::integral<Number> || std::floating_point<Number>
void append_text(std::string& text, Number part) {
  char digits[40];
  const auto end = std::to_chars(digits, digits + sizeof digits, part);
  text.append(digits, end.ptr);
}

template <class... Parts>
[[nodiscard]] Error error(ErrorCode code, const Parts&... parts) {
  Error result{code, {}};
  (append_text(result.message, parts), ...);
  return result;
}

/// The error for a limit on bytes that must be at least so high.
template <class... Parts>
[[nodiscard]] Error limit_error(ErrorCode code, std::uint64_t needed_bytes, const Parts&... parts) {
  Error result = error(code, parts...);
  result.needed_bytes = needed_bytes;
  return result;
}

/// The error for what the system refused, with its reason at the end: reason is an errno.
template <class... Parts>
[[nodiscard]] Error system_error(int reason, const Parts&... parts) {
  Error result = error(ErrorCode::kSystem, parts..., ": ", std::generic_category().message(reason));
  result.system_reason = reason;
  return result;
}

}  // namespace crivo
