// Writes a filter. A file is replaced as a whole or not at all; a device, a pipe or an open descriptor is written
// directly.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "crivo/result.h"

namespace crivo::tool {

/// Refuses an output without a name, and one that is also an input: the file that is read must not be lost. The inputs
/// may lead to it by another path, a link or a redirection; "-" is standard input there, and standard output here.
[[nodiscard]] Result<void> check_output(const std::string& path, const std::vector<std::string>& inputs);

/// Hands the content of a file to the sink, part by part. Returns false if the sink did.
using Content = std::function<bool(const std::function<bool(std::span<const std::byte>)>& sink)>;

/// Replaces the file in one step: a reader, even after a crash, finds the old content or the new one, never a part. A
/// link stays a link, and the file it leads to is replaced or made. An existing file keeps its mode, and its owner and
/// group as far as the user may give files away. An open descriptor (/dev/stdout, /dev/fd/3), a device or a pipe is
/// written directly; "-" is standard output.
[[nodiscard]] Result<void> write_file(const std::string& path, const Content& content);

/// The folder of the file that a path leads to; empty for standard output and other open descriptors.
[[nodiscard]] std::string folder_of(const std::string& path);

}  // namespace crivo::tool
