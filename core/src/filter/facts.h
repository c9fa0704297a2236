// Checks the facts that a filter states about itself, and adds them to errors.
#pragma once

#include <cstdint>

#include "base/error_text.h"
#include "crivo/result.h"
#include "crivo/types.h"

namespace crivo {

/// Answers do not depend on the facts, but hosts print them, so a blob must state valid ones. Errors: kCorrupt.
inline Result<void> check_facts(const Facts& facts) {
  if (facts.capacity < 1 || facts.capacity > kMaxCapacity) {
    return corrupt("capacity must be in [1, ", kMaxCapacity, "], got ", facts.capacity);
  }
  if (facts.fp_rate > 0 && facts.fp_rate <= 1) return {};
  return corrupt("promised rate must be in (0, 1], got ", facts.fp_rate);
}

/// Key counts saturate.
[[nodiscard]] constexpr std::uint64_t saturating_add(std::uint64_t a, std::uint64_t b) noexcept {
  return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/// Appends the capacity and the number of keys, which a kind's functions do not know, to a kFull error.
inline Result<void> with_keys(Result<void> result, const Facts& facts, std::uint64_t keys) {
  if (result || result.error().code != ErrorCode::kFull) return result;
  return error(ErrorCode::kFull, result.error().message, " (capacity ", facts.capacity, ", keys ", keys, ")");
}

}  // namespace crivo
