// The manifest of a filter in parts: it names the file of each part. docs/format.md, "Parts".
#pragma once

#include <cstdint>
#include <vector>

#include "crivo/types.h"

namespace crivo {

inline constexpr std::uint32_t kMaxParts = 65536;

/// The part that has a key of this hash, of so many parts, which are a power of two.
[[nodiscard]] std::uint32_t part_of(std::uint64_t key_hash, std::uint32_t parts) noexcept;

/// A part's file, as a manifest names it.
struct Part {
  std::uint64_t checksum = 0;  // of its header
  std::uint64_t bytes = 0;     // of the file
  Facts facts;
};

struct Manifest {
  std::uint64_t seed = 0;  // of all parts
  std::vector<Part> parts;

  /// What the filter states as a whole: all keys, the capacity of all, and the largest rate.
  [[nodiscard]] Facts facts() const noexcept;
  /// The bytes of all parts' files.
  [[nodiscard]] std::uint64_t bytes() const noexcept;
};

}  // namespace crivo
