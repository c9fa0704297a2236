// What the fuzzers do with an input. A broken promise ends the process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace crivo::testing {

/// The first byte chooses: bit 0, repair the checksum first; bit 1, the rest is an SST block and not a blob.
void fuzz_blob(std::span<const std::uint8_t> input);

/// A ribbon's shape, questions, and the words of its payload, as they are or made to fit the format; or the keys that
/// one is built from. Returns the levels of the payload, if it was a filter.
std::optional<unsigned> fuzz_ribbon(std::span<const std::uint8_t> input);

/// Sizes, probes and hashes for every instruction set's kernels, which must do what scalar does.
void fuzz_kernels(std::span<const std::uint8_t> input);

}  // namespace crivo::testing
