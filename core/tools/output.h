// Where a filter is written: a file is replaced all or nothing, anything else is written as it is.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "crivo/result.h"

namespace crivo::tool {

/// Refuses an output without a name, and one that is also an input: the file that is read must not be lost. The inputs
/// may lead to it by another path, a link or a redirection; "-" is standard input there, and standard output here.
[[nodiscard]] Result<void> check_output(const std::string& path, const std::vector<std::string>& inputs);

/// Replaces the file in one step: whoever reads it, even after a crash, finds the old content or the new. A link stays
/// a link, and the file it leads to is replaced or made. An existing file keeps its mode, and its owner and group as
/// far as the user may give files away. An open descriptor (/dev/stdout, /dev/fd/3), a device or a pipe is written as
/// it is; "-" is standard output.
[[nodiscard]] Result<void> write_file(const std::string& path, std::span<const std::byte> content);

}  // namespace crivo::tool
