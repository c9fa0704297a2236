// What the fuzzer does with an input. A broken promise ends the process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace crivo::testing {

/// The first byte chooses: bit 0, repair the checksum first; bit 1, the rest is an SST block and not a blob.
void fuzz_blob(std::span<const std::uint8_t> input);

}  // namespace crivo::testing
