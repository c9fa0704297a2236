// Which codec a blob gets, docs/format.md, "Which codec", and which levels of compression there are.
#pragma once

#include <optional>

#include "crivo/filter.h"
#include "crivo/result.h"
#include "crivo/types.h"

namespace crivo {

/// The codec that to_blob tries first for this form; no value where it tries all. kAuto: raw where the filter is pinned
/// or too full to gain from compression, gap coding for sparse bit arrays, zstd for other kinds that hold no keys yet.
/// Takes a pass over a bit array's payload for kAuto and kFile.
[[nodiscard]] std::optional<Codec> choose_codec(const FilterRef& filter, BlobForm form) noexcept;

/// Errors: kBadArgument for a level outside 1..22, whatever the codec.
[[nodiscard]] Result<void> check_level(int level);

}  // namespace crivo
