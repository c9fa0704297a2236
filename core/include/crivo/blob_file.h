// Writes filters to files, and reads them into memory. mapped_filter.h queries a file without reading the whole file.
#pragma once

#include <string>

#include "crivo/blob.h"
#include "crivo/mapped_filter.h"

namespace crivo {

/// Replaces the file atomically: a reader, even after a crash, finds the old or the new content. A symbolic link stays,
/// and its target is replaced or created. An existing file keeps its mode, and its owner and group where permitted. A
/// device, a pipe or an open descriptor (/dev/stdout, /dev/fd/3) is written directly. A raw payload is written without
/// a copy. Returns the number of bytes written. Errors: kSystem, with the path and the system's reason; kBadArgument
/// for a level outside 1..22.
[[nodiscard]] Result<std::uint64_t> write_blob_file(const FilterRef& filter, const std::string& path,
                                                    BlobForm form = BlobForm::kFile,
                                                    int level = kDefaultCompressionLevel);
/// The same for a filter in a file, which may be `path` itself. The source file is verified, and checked for changes
/// before the new content replaces the old. Errors: also kCorrupt.
[[nodiscard]] Result<std::uint64_t> write_blob_file(const MappedFilter& filter, const std::string& path,
                                                    BlobForm form = BlobForm::kFile,
                                                    int level = kDefaultCompressionLevel);

/// Verifies a filter file of any form and copies it into memory, for queries at full speed and for changes. The copy
/// may grow up to limits.max_bytes. Errors: as MappedFilter::open; kTooLarge also for raw files.
[[nodiscard]] Result<AnyFilter> read_blob_file(const std::string& path, const ReadLimits& limits = {});

}  // namespace crivo
