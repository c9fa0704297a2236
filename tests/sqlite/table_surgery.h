// Forges the shadow tables of a filter table with right checksums, so that no checksum detects the damage.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "crivo/hash.h"

namespace crivo::testing {

/// The state's text with its checksum repaired.
inline std::string with_checksum(std::string text) {
  text.resize(std::min(text.size(), text.rfind(" check=")));
  const std::uint64_t checksum = hash_key(text, 0);
  return text + " check=" + std::to_string(checksum);
}

/// The state's text with another value in the first field of this name, if there is one, and a right checksum.
inline std::string with_field(std::string text, std::string_view name, std::string_view value) {
  const std::string start = std::string(" ").append(name).append("=");
  if (text.find(start) == std::string::npos) return text;
  const std::size_t from = text.find(start) + start.size();
  text.replace(from, text.find(' ', from) - from, value);
  return with_checksum(std::move(text));
}

/// The bytes of a page's row with a right checksum at the start. Bytes that are too short stay unchanged.
inline std::string with_row_checksum(std::int64_t page, std::string row) {
  constexpr std::size_t kChecksumBytes = 8;
  if (row.size() < kChecksumBytes) return row;
  const std::uint64_t checksum =
      hash_key(std::string_view(row).substr(kChecksumBytes), static_cast<std::uint64_t>(page) + 1);
  for (unsigned i = 0; i < kChecksumBytes; ++i) row[i] = static_cast<char>(checksum >> (8 * i));
  return row;
}

}  // namespace crivo::testing
