// Writes a blob piece by piece, so that a large raw blob needs no second copy of the filter in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "crivo/blob.h"

namespace crivo {

/// Receives the next bytes of the blob, which are valid during the call. Returns false to stop.
using BlobSink = std::function<bool(std::span<const std::byte>)>;

/// Passes the bytes of to_blob(filter, form, level) to the sink, in order. A raw payload is passed in one call without
/// a copy. A compressed payload is encoded in memory first. Returns the number of bytes. Errors: kBadArgument for a
/// level outside 1..22; kCancelled if the sink returned false.
[[nodiscard]] Result<std::uint64_t> write_blob(const FilterRef& filter, BlobForm form, const BlobSink& sink,
                                               int level = kDefaultCompressionLevel);

}  // namespace crivo
