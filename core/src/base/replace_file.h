// Writes a file as a whole or not at all: into a new file beside it, which then takes its name.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>

#include "crivo/result.h"

namespace crivo {

/// Takes the next bytes of a file. Returns false, with errno set, if they cannot be written.
using ByteSink = std::function<bool(std::span<const std::byte>)>;
/// Hands all of a file's bytes to the sink, in order. Returns false as soon as the sink does.
using ContentWriter = std::function<bool(const ByteSink&)>;

/// Replaces the file as write_blob_file (crivo/blob_file.h) promises. Errors: kSystem, with the path and the system's
/// reason.
[[nodiscard]] Result<void> replace_file(const std::string& path, const ContentWriter& write);

}  // namespace crivo
