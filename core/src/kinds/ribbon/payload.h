// Validation and other functions that the kinds of this folder share.
#pragma once

#include <cstdint>

#include "base/byte_gate.h"
#include "crivo/detail/view.h"
#include "crivo/result.h"

namespace crivo {

/// The size of a payload, for KindRow::payload_bytes. Checks only the number of words. Errors: kCorrupt.
[[nodiscard]] Result<std::uint64_t> ribbon_payload_bytes(const Shape& shape);
// KindRow::validate, admit_open and admit_query.
[[nodiscard]] Result<void> validate_ribbon(const View& view);
[[nodiscard]] bool admit_ribbon_open(const View& view, ByteGate& gate);
[[nodiscard]] bool admit_ribbon_query(const View& view, std::uint64_t hash, ByteGate& gate);

/// The exact rate, averaged over all hashes, from the thresholds and column counts of each level.
[[nodiscard]] double rate_of_ribbon(const View& view) noexcept;

}  // namespace crivo
