// Raw blobs, for hosts that allocate one before they write it, or that leave out the code that compresses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "crivo/filter.h"
#include "crivo/result.h"

namespace crivo {

/// write_blob (crivo/blob_writer.h) in a raw form, without the code that compresses. codec: kRaw or kRawSums. Errors:
/// kCancelled.
[[nodiscard]] Result<std::uint64_t> write_raw_blob(const FilterRef& filter, Codec codec,
                                                   const std::function<bool(std::span<const std::byte>)>& sink);

/// The bytes that a raw blob takes beside its payload of this size. codec: kRaw or kRawSums.
[[nodiscard]] std::uint64_t blob_frame_bytes(Codec codec, std::uint64_t payload_bytes) noexcept;

/// The error for a sink that stopped: kCancelled.
[[nodiscard]] Error blob_was_stopped();

}  // namespace crivo
