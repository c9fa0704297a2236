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

/// The path of the file that replace_file(path) writes, after following all links. The file may not exist yet.
[[nodiscard]] std::string replaced_path(const std::string& path);
/// The canonical path of that file's folder; empty on failure.
[[nodiscard]] std::string replaced_folder(const std::string& path);

/// A unique name for a temporary file, short enough for file systems that limit the length of names.
[[nodiscard]] std::string temporary_name();

/// Replaces the file with the guarantees of write_blob_file (crivo/blob_file.h). Errors: kSystem with path and reason.
[[nodiscard]] Result<void> replace_file(const std::string& path, const ContentWriter& write);

}  // namespace crivo
