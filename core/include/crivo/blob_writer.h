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
/// Errors: kBadArgument for a level that to_blob would use and refuse; kCancelled if the sink returned false.
[[nodiscard]] Result<std::uint64_t> write_blob(const FilterRef& filter, BlobForm form, const BlobSink& sink,
                                               int level = kDefaultCompressionLevel);

/// The same in a raw form, without the code that compresses. codec: kRaw or kRawSums. Errors: kCancelled.
[[nodiscard]] Result<std::uint64_t> write_raw_blob(const FilterRef& filter, Codec codec, const BlobSink& sink);

/// The bytes that a raw blob takes beside its payload of this size, for who makes room before writing. codec: kRaw or
/// kRawSums.
[[nodiscard]] std::uint64_t blob_frame_bytes(Codec codec, std::uint64_t payload_bytes) noexcept;

}  // namespace crivo
