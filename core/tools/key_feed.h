// Feeds the lines of files to a FilterBuilder. One thread reads, splits and hashes; another one adds the hashes, which
// takes about as long where the filter is larger than the processor's cache or the builder sorts what piles up.
#pragma once

#include <string>
#include <vector>

#include "crivo/builder.h"
#include "crivo/result.h"

namespace crivo::tool {

/// Adds every line of the files, in order, to a builder of this seed; "-" is standard input. Shows its progress.
/// Errors: of the files, and of the builder.
[[nodiscard]] Result<void> add_lines(const std::vector<std::string>& files, std::uint64_t seed, FilterBuilder& builder);

}  // namespace crivo::tool
