// Payloads that grow a little at a time, without a moment at which all that is there is copied.
#pragma once

#include <cstddef>

#include "crivo/memory.h"

namespace crivo {

/// Makes a payload `bytes` long, at most `most`, with zeros behind what it has. From a megabyte on it lies at addresses
/// that are reserved for `most` bytes, where the system has such; elsewhere it is now and then copied to twice as many.
/// Throws std::bad_alloc, with the payload unchanged.
void grow_payload(AlignedBytes& payload, std::size_t bytes, std::size_t most);

}  // namespace crivo
