// Writes a filter to a file, and reads it back into memory. mapped_filter.h opens it where it lies.
#pragma once

#include <string>

#include "crivo/blob.h"
#include "crivo/mapped_filter.h"

namespace crivo {

/// Replaces the file in one step: a reader, even after a crash, finds the old content or the new one, never a part. A
/// link stays a link, and the file it leads to is replaced or made. An existing file keeps its mode, and its owner and
/// group as far as the user may give files away. An open descriptor (/dev/stdout, /dev/fd/3), a device or a pipe is
/// written directly. Returns the number of bytes. A raw payload is written from where it lies. Errors: kSystem, with
/// the path and the system's reason; kBadArgument for a level outside 1..22.
[[nodiscard]] Result<std::uint64_t> write_blob_file(const FilterRef& filter, const std::string& path,
                                                    BlobForm form = BlobForm::kFile,
                                                    int level = kDefaultCompressionLevel);
/// The same for a filter in a file, which may be the one that is replaced. That file is verified, and checked for
/// changes before the copy replaces the old content. Errors: also kCorrupt.
[[nodiscard]] Result<std::uint64_t> write_blob_file(const MappedFilter& filter, const std::string& path,
                                                    BlobForm form = BlobForm::kFile,
                                                    int level = kDefaultCompressionLevel);

/// Verifies all of a filter in a file, of any form, and copies it into memory, to be asked at full speed or changed. It
/// takes and may grow to limits.max_bytes. Errors: as MappedFilter::open, and kTooLarge for every form.
[[nodiscard]] Result<AnyFilter> read_blob_file(const std::string& path, const ReadLimits& limits = {});

}  // namespace crivo
