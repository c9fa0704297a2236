// The bodies of the fuzzers. If an input breaks a promise, the process ends.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace crivo::testing {

/// Reads the input as a filter. Bit 0 of the first byte says whether to repair the checksum first, and bit 1 whether
/// the rest is an SST block instead of a blob.
void fuzz_blob(std::span<const std::uint8_t> input);

/// Reads chunks from the input, or sends a valid blob's chunks over a simulated link. Returns whether a blob resulted.
bool fuzz_chunks(std::span<const std::uint8_t> input);

/// Reads a ribbon's shape, the hashes to look up, and the payload's words, unchanged or adjusted to the format. Or
/// builds a ribbon from keys in the input. Returns the number of levels if the payload is valid.
std::optional<unsigned> fuzz_ribbon(std::span<const std::uint8_t> input);

/// Reads sizes, probes and hashes from the input. Compares the kernels of each instruction set with the scalar kernels.
void fuzz_kernels(std::span<const std::uint8_t> input);

/// Reads a list of operations from the input: changes of the shadow tables of filter tables, statements, and SQL
/// functions that use them and forged filters.
void fuzz_sqlite(std::span<const std::uint8_t> input);

/// Reads calls of the C interface from the input, with valid and hostile arguments.
void fuzz_c(std::span<const std::uint8_t> input);

}  // namespace crivo::testing
