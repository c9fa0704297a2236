// What holds of every payload of the family, and where it is read.
#pragma once

#include <cstdint>

#include "base/byte_gate.h"
#include "crivo/detail/view.h"
#include "crivo/result.h"

namespace crivo {

/// Errors: kCorrupt for a number of words that is not allowed.
[[nodiscard]] Result<std::uint64_t> ribbon_payload_bytes(const Shape& shape);
// For kinds/kind.h: the functions of a kind that have these names.
[[nodiscard]] Result<void> validate_ribbon(const View& view);
[[nodiscard]] bool admit_ribbon_open(const View& view, ByteGate& gate);
[[nodiscard]] bool admit_ribbon_question(const View& view, std::uint64_t hash, ByteGate& gate);

/// The exact rate, as a mean over all hashes: it follows from the thresholds and the column counts of each level.
[[nodiscard]] double rate_of_ribbon(const View& view) noexcept;

}  // namespace crivo
