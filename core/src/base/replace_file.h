// Replaces files atomically: writes a new file in the same folder, then renames it. Writes to devices directly.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>

#include "crivo/result.h"

namespace crivo {

/// Writes the next bytes of a file. Returns false, with errno set, on failure.
using ByteSink = std::function<bool(std::span<const std::byte>)>;
/// Passes all bytes of a file to the sink, in order. Returns false as soon as the sink does, or on another failure.
using ContentWriter = std::function<bool(const ByteSink&)>;

/// Replaces the file with the guarantees of write_blob_file (crivo/blob_file.h). Errors: kSystem with path and reason.
[[nodiscard]] Result<void> replace_file(const std::string& path, const ContentWriter& write);

}  // namespace crivo
