// Payloads that grow in small steps, without a copy at each step.
#pragma once

#include <cstddef>

#include "crivo/memory.h"

namespace crivo {

/// Resizes a payload to `bytes`, at most `most`, with zeros at the end. A payload that outgrows its memory is copied:
/// from 1 MiB on, to an address range reserved for `most` bytes, if the system can reserve one; otherwise to twice the
/// memory, at most `most`. Throws std::bad_alloc, with the payload unchanged.
void grow_payload(AlignedBytes& payload, std::size_t bytes, std::size_t most);

}  // namespace crivo
