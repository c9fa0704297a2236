// What the fuzzers do with an input. If a promise is broken, the process ends.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace crivo::testing {

/// Reads the input as a filter. Bit 0 of the first byte tells whether to repair the checksum first, and bit 1 whether
/// the rest is an SST block instead of a blob.
void fuzz_blob(std::span<const std::uint8_t> input);

/// Reads from the input chunks, or what a link does to the chunks of a sound blob. Returns whether a blob came of them.
bool fuzz_chunks(std::span<const std::uint8_t> input);

/// Reads from the input a ribbon's shape, the hashes to ask for, and the words of its payload, which are taken as they
/// are or made to fit the format; or the keys from which a ribbon is built. Returns the number of levels if the payload
/// was a filter.
std::optional<unsigned> fuzz_ribbon(std::span<const std::uint8_t> input);

/// Reads sizes, probes and hashes from the input, and gives them to every instruction set's kernels, which must do what
/// the scalar kernels do.
void fuzz_kernels(std::span<const std::uint8_t> input);

/// Reads from the input what happens to the shadow tables of filter tables, and what statements and SQL functions do
/// with them and with forged filters.
void fuzz_sqlite(std::span<const std::uint8_t> input);

/// Reads from the input calls of the C interface, with sound and hostile arguments.
void fuzz_c(std::span<const std::uint8_t> input);

}  // namespace crivo::testing
