#include "build/memory_budget.h"

#include <algorithm>
#include <bit>

#include "base/error_text.h"
#include "crivo/build_options.h"

namespace crivo {
namespace {

constexpr std::uint64_t kSortBytes = std::uint64_t{1} << 20;

}  // namespace

Result<void> MemoryBudget::check() const {
  if (limit_ >= kMinBuildMemoryBytes) return {};
  return limit_error(ErrorCode::kBadArgument, kMinBuildMemoryBytes, "max_memory must be at least ",
                     kMinBuildMemoryBytes, ", got ", limit_);
}

MemoryBudget MemoryBudget::beside(std::uint64_t taken) const noexcept {
  MemoryBudget part = *this;
  part.reserved_ += taken;
  return part;
}

std::uint64_t MemoryBudget::remaining_after(std::uint64_t taken) const noexcept {
  if (!is_limited()) return UINT64_MAX;
  const std::uint64_t all = limit_ - kCallersMemoryBytes;
  const std::uint64_t left = all - std::min(all, reserved_);
  return left - std::min(left, taken);
}

std::uint64_t MemoryBudget::for_payload(bool grows) const noexcept { return remaining_after(0) / (grows ? 2 : 1); }

bool MemoryBudget::is_for_file(std::uint64_t payload_bytes) const noexcept {
  return payload_bytes > remaining_after(0) / 2;
}

std::uint64_t MemoryBudget::for_hashes(std::uint64_t index_bytes) const noexcept {
  return is_limited() ? remaining_after(kSortBytes + index_bytes) / key_bytes_ : UINT64_MAX;
}

bool MemoryBudget::leaves_too_little(std::uint64_t index_bytes) const noexcept {
  return for_hashes(index_bytes) < limit_ / (4 * key_bytes_);
}

bool MemoryBudget::holds_twice(std::uint64_t hashes) const noexcept {
  return 2 * key_bytes_ * hashes <= remaining_after(0);
}

bool MemoryBudget::holds(std::uint64_t hashes, std::uint64_t payload_bytes, bool built_once) const noexcept {
  const std::uint64_t kept = key_bytes_ * hashes;
  // If the kind is built once, kept / 8 covers the copies of the 1/15 of the hashes that a ribbon's levels bump.
  // Otherwise, the build may need a copy of all hashes.
  const std::uint64_t beside = built_once ? kept / 8 + kBytesPerThread : kept;
  return kept + beside <= remaining_after(0) && payload_bytes <= remaining_after(kept + beside);
}

std::size_t MemoryBudget::block_hashes() const noexcept {
  constexpr std::uint64_t kShare = std::uint64_t{1} << 15;  // bytes of a block = 8 * limit_ / kShare
  return std::bit_floor(std::clamp<std::uint64_t>(limit_ / kShare, 512, 8192) * 8 / key_bytes_);
}

/// Rounds the suggested memory up, because the memory needed to read a file grows slightly with the limit.
Error MemoryBudget::too_little_error(std::uint64_t needed, std::uint64_t payload_bytes) const {
  needed = (((needed + kCallersMemoryBytes) >> 20) + 2) << 20;
  return limit_error(ErrorCode::kBadArgument, needed, "max_memory must be at least ", needed, " for a filter of ",
                     payload_bytes, " bytes, got ", limit_);
}

Error MemoryBudget::too_many_error(std::uint64_t hashes) const {
  return error(ErrorCode::kBadArgument, "max_memory must be larger for ", hashes, " keys, got ", limit_);
}

unsigned threads_within(std::uint64_t bytes, unsigned threads) noexcept {
  constexpr std::uint64_t kShare = 8;  // the threads get at most 1/8 of the memory, but at least one runs
  return static_cast<unsigned>(std::clamp<std::uint64_t>(bytes / (kShare * kBytesPerThread), 1, threads));
}

}  // namespace crivo
