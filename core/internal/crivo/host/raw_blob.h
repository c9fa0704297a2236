// Raw blobs, for hosts that make room for one before they write it, or that leave out the code that compresses.
#pragma once

#include <cstdint>

#include "crivo/blob_writer.h"

namespace crivo {

/// write_blob in a raw form, without the code that compresses. codec: kRaw or kRawSums. Errors: kCancelled.
[[nodiscard]] Result<std::uint64_t> write_raw_blob(const FilterRef& filter, Codec codec, const BlobSink& sink);

/// The bytes that a raw blob takes beside its payload of this size, for who makes room before writing. codec: kRaw or
/// kRawSums.
[[nodiscard]] std::uint64_t blob_frame_bytes(Codec codec, std::uint64_t payload_bytes) noexcept;

}  // namespace crivo
