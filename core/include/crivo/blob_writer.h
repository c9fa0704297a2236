// Writes a blob without holding it in memory: what a program that writes a large filter to a file calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "crivo/blob.h"

namespace crivo {

/// Takes the next bytes of the blob, which are valid during the call. Returns false to stop.
using BlobSink = std::function<bool(std::span<const std::byte>)>;

/// Hands the bytes of to_blob(filter, form, level) to the sink, in order. A raw payload, with or without sums, is
/// handed over where it lies, in one call; a compressed one is made in memory first. Returns the number of bytes.
/// Errors: kBadArgument for a level outside 1..22; kCancelled if the sink returned false.
[[nodiscard]] Result<std::uint64_t> write_blob(const FilterRef& filter, BlobForm form, const BlobSink& sink,
                                               int level = kDefaultCompressionLevel);

}  // namespace crivo
