// Payloads that grow in small steps, without copying everything at once.
#pragma once

#include <cstddef>

#include "crivo/memory.h"

namespace crivo {

/// Resizes a payload to `bytes`, at most `most`, with zeros at the end. Payloads of a megabyte or more are moved to an
/// address range reserved for `most` bytes, if the system supports that; others double by copying. Throws
/// std::bad_alloc, with the payload unchanged.
void grow_payload(AlignedBytes& payload, std::size_t bytes, std::size_t most);

}  // namespace crivo
