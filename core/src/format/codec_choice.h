// Chooses a blob's codec (docs/format.md, "Which codec"), and validates compression levels.
#pragma once

#include <optional>

#include "crivo/filter.h"
#include "crivo/result.h"
#include "crivo/types.h"

namespace crivo {

/// The codec that to_blob tries first for this form; no value if to_blob tries all codecs. kAuto: raw for a pinned
/// filter (Facts::pinned_raw); otherwise gap coding for a sparse bit array, zstd for an empty filter without a bit
/// array, and raw for all others. kAuto and kFile read the whole bit array of a filter that is not pinned.
[[nodiscard]] std::optional<Codec> choose_codec(const FilterRef& filter, BlobForm form) noexcept;

/// Errors: kBadArgument for a level outside 1..22, for every codec.
[[nodiscard]] Result<void> check_level(int level);

}  // namespace crivo
