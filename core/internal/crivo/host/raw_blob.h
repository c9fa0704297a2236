// Raw blobs, for hosts that allocate the blob in advance, or that omit the compression code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "crivo/filter.h"
#include "crivo/result.h"

namespace crivo {

/// Like write_blob (crivo/blob.h), for codec kRaw or kRawSums, without the compression code. Errors: kCancelled.
[[nodiscard]] Result<std::uint64_t> write_raw_blob(const FilterRef& filter, Codec codec,
                                                   const std::function<bool(std::span<const std::byte>)>& sink);

/// The size of a raw blob minus the size of its payload. codec: kRaw or kRawSums.
[[nodiscard]] std::uint64_t blob_frame_bytes(Codec codec, std::uint64_t payload_bytes) noexcept;

/// The error kCancelled, for a sink that stopped.
[[nodiscard]] Error blob_was_stopped();

}  // namespace crivo
