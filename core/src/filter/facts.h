// Checks what a filter states about itself.
#pragma once

#include "base/error_text.h"
#include "crivo/result.h"
#include "crivo/types.h"

namespace crivo {

/// No answer depends on the facts; but hosts print them, so a blob must state sensible ones. Errors: kCorrupt.
inline Result<void> check_facts(const Facts& facts) {
  if (facts.capacity < 1 || facts.capacity > kMaxCapacity) {
    return error(ErrorCode::kCorrupt, "capacity must lie in [1, ", kMaxCapacity, "], got ", facts.capacity);
  }
  if (facts.fp_rate > 0 && facts.fp_rate <= 1) return {};
  return error(ErrorCode::kCorrupt, "promised rate must lie in (0, 1], got ", facts.fp_rate);
}

}  // namespace crivo
