// Divides a build's memory limit (BuildOptions::max_memory) into shares that together stay within it:
//
//   the caller           kCallersMemoryBytes, for code, stacks and input. The rest is the budget.
//   hashes in an array   the budget, less the memory of a sort and the index of the hashes in a file
//   the build            the budget, less the hashes and the payload (BuildTask::memory_left). A pass over sorted runs
//                        uses this whole share. While a filter is built from files, a RunSource uses half of it, a
//                        HashCollector the expected size of its hashes, and the threads at most an eighth, but at
//                        least the memory of one thread.
//   the payload          the whole budget if keys are added to the payload directly; half if the payload also grows,
//                        because the old and the new payload exist at the same time. For a kind that is built once from
//                        hashes in a file, a payload of more than half of the budget also goes to a file.
#pragma once

#include <cstddef>
#include <cstdint>

#include "crivo/result.h"

namespace crivo {

inline constexpr std::uint64_t kCallersMemoryBytes = std::uint64_t{8} << 20;

/// Created by a FilterBuilder. Without a limit, all shares are unlimited.
class MemoryBudget {
 public:
  /// key_bytes: the bytes that are stored per key: a hash, or a hash with a value. Below, "hash" means either.
  explicit MemoryBudget(std::uint64_t max_memory = UINT64_MAX, std::uint64_t key_bytes = 8) noexcept
      : limit_(max_memory), key_bytes_(key_bytes) {}
  /// The budget of a part of the build while another part uses `taken` bytes.
  [[nodiscard]] MemoryBudget beside(std::uint64_t taken) const noexcept;

  /// Errors: kBadArgument for a limit below kMinBuildMemoryBytes.
  [[nodiscard]] Result<void> check() const;
  [[nodiscard]] bool is_limited() const noexcept { return limit_ != UINT64_MAX; }
  /// The bytes left to the build if `taken` bytes are used.
  [[nodiscard]] std::uint64_t remaining_after(std::uint64_t taken) const noexcept;
  /// The maximum size of a payload to which keys are added directly.
  [[nodiscard]] std::uint64_t for_payload(bool grows) const noexcept;
  /// Whether a payload of a kind that is built once goes to a file if the hashes are in a file.
  [[nodiscard]] bool is_for_file(std::uint64_t payload_bytes) const noexcept;
  /// The maximum number of hashes in an array while other hashes are in a file with an index of this size.
  [[nodiscard]] std::uint64_t for_hashes(std::uint64_t index_bytes) const noexcept;
  /// Whether an index of this size leaves so little memory that further runs would be too short.
  [[nodiscard]] bool leaves_too_little(std::uint64_t index_bytes) const noexcept;
  /// Whether the hashes and a sorted copy fit in memory.
  [[nodiscard]] bool holds_twice(std::uint64_t hashes) const noexcept;
  /// Whether the hashes and the payload fit in memory during a build. Unless `built_once`, counts the hashes twice.
  [[nodiscard]] bool holds(std::uint64_t hashes, std::uint64_t payload_bytes, bool built_once) const noexcept;
  /// The number of hashes in a block of a temporary file (crivo/host/hash_runs.h); several blocks must fit in memory.
  [[nodiscard]] std::size_t block_hashes() const noexcept;
  /// The error for a filter that needs this memory in addition to the caller's.
  [[nodiscard]] Error too_little_error(std::uint64_t needed, std::uint64_t payload_bytes) const;
  /// The error for hashes that are too many for the limit, even with files.
  [[nodiscard]] Error too_many_error(std::uint64_t hashes) const;

 private:
  std::uint64_t limit_;
  std::uint64_t key_bytes_;
  std::uint64_t reserved_ = 0;  // by other parts of the build
};

/// The memory of one thread of a build, for a shard of a ribbon or map, or for a sort.
inline constexpr std::uint64_t kBytesPerThread = std::uint64_t{5} << 18;

/// The number of threads, at least 1 and at most `threads`, for a build that may use this memory.
[[nodiscard]] unsigned threads_within(std::uint64_t bytes, unsigned threads) noexcept;

}  // namespace crivo
