// Writes manifests, and checks what can be sharded (docs/format.md, "Shards").
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "crivo/manifest.h"
#include "crivo/result.h"
#include "crivo/types.h"

namespace crivo {

inline constexpr std::size_t kShardBytes = 40;  // of a shard's entry in the manifest

/// Errors: kBadArgument unless the number is a power of two, at most kMaxShards.
[[nodiscard]] Result<void> check_number_of_shards(std::uint64_t shards);
[[nodiscard]] std::vector<std::byte> manifest_blob(const Manifest& manifest);
/// The shape in the header of a manifest.
[[nodiscard]] Shape shape_of_shards(const Manifest& manifest) noexcept;
/// The name of a shard's file in the shards' folder.
[[nodiscard]] std::string shard_file_name(std::uint32_t number, std::uint64_t checksum);
/// Errors: kUnsupported for a kind with ordered keys, values or a clock.
[[nodiscard]] Result<void> check_kind_of_shards(const KindInfo& kind);

}  // namespace crivo
