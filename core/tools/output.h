// Writes a filter.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "crivo/blob.h"
#include "crivo/result.h"

namespace crivo::tool {

/// Refuses an output without a name, and one that is also an input: the file that is read must not be lost. The inputs
/// may lead to it by another path, a link or a redirection; "-" is standard input there, and standard output here.
[[nodiscard]] Result<void> check_output(const std::string& path, const std::vector<std::string>& inputs);

/// As write_blob_file; "-" is standard output. Returns the number of bytes.
[[nodiscard]] Result<std::uint64_t> write_filter(const FilterRef& filter, const std::string& path, BlobForm form);

}  // namespace crivo::tool
