// Which codec a blob gets that is to be stored in the form that pays: docs/format.md, "Which codec".
#pragma once

#include "crivo/filter.h"
#include "crivo/types.h"

namespace crivo {

/// Raw where the filter is pinned or too full to gain from compression; gap coding for sparse bit arrays; zstd for
/// other kinds that hold no keys yet. Needs no trial. Takes a pass over a bit array's payload.
[[nodiscard]] Codec choose_codec(const FilterRef& filter) noexcept;
/// The same for a filter that is stored as a file of its own.
[[nodiscard]] Codec choose_file_codec(const FilterRef& filter) noexcept;

}  // namespace crivo
