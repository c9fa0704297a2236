// Chooses a blob's codec (docs/format.md, "Which codec"), and validates compression levels.
#pragma once

#include <optional>

#include "crivo/filter.h"
#include "crivo/result.h"
#include "crivo/types.h"

namespace crivo {

/// The codec that to_blob tries first for this form; no value if to_blob tries all codecs. kAuto: raw if the filter is
/// pinned (Facts::pinned_raw) or too full to compress, gap coding for sparse bit arrays, zstd for empty filters of
/// other kinds. kAuto and kFile count the set bits of a bit array, in a pass over its payload.
[[nodiscard]] std::optional<Codec> choose_codec(const FilterRef& filter, BlobForm form) noexcept;

/// Errors: kBadArgument for a level outside 1..22, for every codec.
[[nodiscard]] Result<void> check_level(int level);

}  // namespace crivo
