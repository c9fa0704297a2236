// A filter as a RocksDB filter block: the payload, then the name of the key transform, if any, and a trailer of 32
// bytes that ends in RocksDB's five metadata bytes (docs/format.md, "The SST framing").
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "crivo/filter.h"
#include "crivo/result.h"

namespace crivo {

inline constexpr std::size_t kSstTrailerBytes = 32;

/// The reserved negative marker at byte [size - 5], for which RocksDB's built-in reader answers "maybe".
inline constexpr std::int8_t kSstMarker = -67;

/// Whether byte [size - 5] of a block is Crivo's marker. The block may have any size, and is not validated.
[[nodiscard]] bool is_sst_block(std::span<const std::byte> block) noexcept;

/// The maximum length of a key transform's name (docs/format.md).
inline constexpr std::size_t kMaxKeyTransformName = 32;

/// The meta block of a filter of transformed keys is named by this prefix and the transform's name.
inline constexpr std::string_view kTransformedFilters = "crivo.key_transform.";

/// Whether a name is valid for a key transform: 1 to kMaxKeyTransformName bytes of printable ASCII without blanks.
[[nodiscard]] bool is_key_transform_name(std::string_view name) noexcept;

/// The number of bytes of a block after its payload. `name_bytes` is the length of the key transform's name, or 0.
[[nodiscard]] constexpr std::size_t sst_tail_bytes(std::size_t name_bytes) noexcept {
  return (name_bytes + 7) / 8 * 8 + kSstTrailerBytes;
}

/// Writes the name and the trailer of a filter of this shape to the last sst_tail_bytes(key_transform.size()) bytes of
/// the block. Asserts that the name is empty or valid.
void seal_sst_block(const Shape& shape, std::span<std::byte> block, std::string_view key_transform = {}) noexcept;

/// The name of the key transform, borrowed from the block; empty if there is no name or the block is damaged.
[[nodiscard]] std::string_view sst_key_transform(std::span<const std::byte> block) noexcept;

/// Opens a sealed block in place, without reading outside the block. The FilterRef borrows the block. `key_transform`
/// is the name of the function that the caller applies to keys before queries; empty for none. A block does not store
/// facts: the FilterRef has capacity 1, rate 1 and 0 keys. Set `is_verified`, to skip the checksum, only for a block
/// that was opened before and cannot have changed since. Errors: kCorrupt; kBadArgument if the block has another key
/// transform. On an error the caller must answer "maybe", never "no".
[[nodiscard]] Result<FilterRef> open_sst_block(std::span<const std::byte> block, std::string_view key_transform = {},
                                               bool is_verified = false);

/// The checksum in a block's trailer, which must be complete.
[[nodiscard]] std::uint64_t sst_checksum(std::span<const std::byte> block) noexcept;

}  // namespace crivo
