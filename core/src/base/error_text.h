// Errors with a message made of parts: error(code, "capacity must be in [1, ", max, "], got ", value).
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <system_error>
#include <variant>

#include "crivo/result.h"

namespace crivo {

/// A part of a message. Not a template, so that the hundreds of places that make an error stay small.
class TextPart {
 public:
  TextPart(std::string_view text) noexcept : value_(text) {}
  TextPart(const char* text) noexcept : value_(std::string_view(text)) {}
  TextPart(const std::string& text) noexcept : value_(std::string_view(text)) {}
  TextPart(std::floating_point auto number) noexcept : value_(static_cast<double>(number)) {}
  TextPart(std::signed_integral auto number) noexcept : value_(static_cast<std::int64_t>(number)) {}
  TextPart(std::unsigned_integral auto number) noexcept : value_(static_cast<std::uint64_t>(number)) {}

  /// Appends integers in decimal, and reals as the shortest text that reads back as the same number.
  void append_to(std::string& text) const;

 private:
  std::variant<std::string_view, double, std::int64_t, std::uint64_t> value_;
};

/// "1 key", "2 keys".
[[nodiscard]] inline std::string counted_keys(std::uint64_t keys) {
  return std::to_string(keys) + (keys == 1 ? " key" : " keys");
}

[[nodiscard]] Error error_of(ErrorCode code, std::initializer_list<TextPart> parts);

template <class... Parts>
[[nodiscard]] Error error(ErrorCode code, const Parts&... parts) {
  return error_of(code, {TextPart(parts)...});
}

template <class... Parts>
[[nodiscard]] Error corrupt(const Parts&... parts) {
  return error(ErrorCode::kCorrupt, parts...);
}

template <class... Parts>
[[nodiscard]] Error bad_argument(const Parts&... parts) {
  return error(ErrorCode::kBadArgument, parts...);
}

/// The error for a limit on bytes, with the lowest sufficient limit.
template <class... Parts>
[[nodiscard]] Error limit_error(ErrorCode code, std::uint64_t needed_bytes, const Parts&... parts) {
  Error result = error(code, parts...);
  result.needed_bytes = needed_bytes;
  return result;
}

/// The error for a failed system call. Appends the text of `reason`, an errno.
template <class... Parts>
[[nodiscard]] Error system_error(int reason, const Parts&... parts) {
  Error result = error(ErrorCode::kSystem, parts..., ": ", std::generic_category().message(reason));
  result.system_reason = reason;
  return result;
}

}  // namespace crivo
