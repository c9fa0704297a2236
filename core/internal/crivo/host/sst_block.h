// A filter as a RocksDB filter block: the payload first, then the name of the function that changed the keys (if there
// was one), and a trailer of 32 bytes that ends in RocksDB's five metadata bytes. docs/format.md, "The SST framing".
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "crivo/filter.h"
#include "crivo/result.h"

namespace crivo {

inline constexpr std::size_t kSstTrailerBytes = 32;

/// The reserved negative marker at byte [size - 5]: RocksDB's built-in reader answers "maybe" for it.
inline constexpr std::int8_t kSstMarker = -67;

/// True if the block ends in a trailer with our marker. Takes a block of any size, and says nothing about whether it is
/// valid.
[[nodiscard]] bool is_sst_block(std::span<const std::byte> block) noexcept;

/// The longest name of a key transform. The names come from the comparators of RocksDB's users (docs/format.md).
inline constexpr std::size_t kMaxKeyTransformName = 32;

/// The meta block of a filter of transformed keys has this in its name, and behind it the name of the transform.
inline constexpr std::string_view kTransformedFilters = "crivo.key_transform.";

/// True if a key transform may have this name: 1 to kMaxKeyTransformName bytes of printable ASCII without blanks.
[[nodiscard]] bool is_key_transform_name(std::string_view name) noexcept;

/// The bytes of a block behind its payload. `name_bytes`: the length of the key transform's name; 0 if there is none.
[[nodiscard]] constexpr std::size_t sst_tail_bytes(std::size_t name_bytes) noexcept {
  return (name_bytes + 7) / 8 * 8 + kSstTrailerBytes;
}

/// Writes name and trailer for a filter of this shape behind its payload, into the block's last
/// sst_tail_bytes(key_transform.size()) bytes. A name that is not empty must be a valid one (asserted).
void seal_sst_block(const Shape& shape, std::span<std::byte> block, std::string_view key_transform = {}) noexcept;

/// The name of the key transform that a block claims, in the block; empty if it claims none or is damaged.
[[nodiscard]] std::string_view sst_key_transform(std::span<const std::byte> block) noexcept;

/// Opens a sealed block in place, and never reads outside it. The FilterRef borrows from the block. `key_transform` is
/// the name of the function that the caller applies to each key before it asks; empty if it applies none. As a block
/// does not say what its filter was sized for, the facts promise nothing: capacity 1, rate 1, no keys counted. Errors:
/// kCorrupt; kBadArgument if the block's keys were changed by another function than the caller's. A caller that gets an
/// error must answer "maybe", never "no". `is_verified`: this block has been opened before, and nothing can have
/// changed it since, so its checksum is not computed again.
[[nodiscard]] Result<FilterRef> open_sst_block(std::span<const std::byte> block, std::string_view key_transform = {},
                                               bool is_verified = false);

/// The checksum that a block claims, which must have all of its trailer.
[[nodiscard]] std::uint64_t sst_checksum(std::span<const std::byte> block) noexcept;

}  // namespace crivo
