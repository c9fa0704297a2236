// Who may take how much of a build's memory under a limit (BuildOptions::max_memory). The shares of hashes and payload
// are decided here, so that together they stay within the limit:
//
//   the caller                 kCallersMemoryBytes, for code, stacks and input
//   hashes in an array         all that is left, less what a sort takes and the index of those in a file
//   the build                  what the hashes and the payload leave, BuildTask::memory_left: a pass over sorted runs
//                              takes all of it, RunSource half, and HashCollector what it expects to need; an eighth
//                              bounds the number of threads
//   the payload                all of it while keys go straight into it, half of it if it grows, since the old payload
//                              and the new one are there at the same time; a payload of a kind that is built once goes
//                              to a file if it takes more than half
#pragma once

#include <cstddef>
#include <cstdint>

#include "crivo/result.h"

namespace crivo {

/// What is left to the caller.
inline constexpr std::uint64_t kCallersMemoryBytes = std::uint64_t{8} << 20;

/// Made once for a FilterBuilder, and handed down. Without a limit no share has a bound.
class MemoryBudget {
 public:
  /// key_bytes: what is kept of each key, a hash or a hash and a value; what is called a hash below is either.
  explicit MemoryBudget(std::uint64_t max_memory = UINT64_MAX, std::uint64_t key_bytes = 8) noexcept
      : limit_(max_memory), key_bytes_(key_bytes) {}
  /// The same for a part of the build, beside so many bytes that another part holds meanwhile.
  [[nodiscard]] MemoryBudget beside(std::uint64_t taken) const noexcept;

  /// Errors: kBadArgument for a limit below kMinBuildMemoryBytes.
  [[nodiscard]] Result<void> check() const;
  [[nodiscard]] bool is_limited() const noexcept { return limit_ != UINT64_MAX; }
  /// The bytes that are left to the build beside those that are taken.
  [[nodiscard]] std::uint64_t left_beside(std::uint64_t taken) const noexcept;
  /// The most bytes of a payload that keys are added to one by one.
  [[nodiscard]] std::uint64_t for_payload(bool grows) const noexcept;
  /// Whether a payload of a kind that is built once shall lie in a file.
  [[nodiscard]] bool is_for_file(std::uint64_t payload_bytes) const noexcept;
  /// The most hashes in an array, while others lie in a file whose index takes this.
  [[nodiscard]] std::uint64_t for_hashes(std::uint64_t index_bytes) const noexcept;
  /// Whether the index leaves so few that further hashes would come in ever shorter runs.
  [[nodiscard]] bool is_used_up_by(std::uint64_t index_bytes) const noexcept;
  /// Whether the hashes can lie in memory while they are sorted into an array of their own.
  [[nodiscard]] bool holds_twice(std::uint64_t hashes) const noexcept;
  /// Whether they can while a filter is built from them, at once for a kind that is built once, or key by key.
  [[nodiscard]] bool holds(std::uint64_t hashes, std::uint64_t payload_bytes, bool built_once) const noexcept;
  /// How many hashes a block of a temporary file has (crivo/host/hash_runs.h), of which some must lie in memory.
  [[nodiscard]] std::size_t block_hashes() const noexcept;
  /// The error of a filter that needs these bytes beside the caller's.
  [[nodiscard]] Error too_little(std::uint64_t needed, std::uint64_t payload_bytes) const;
  /// The error of more hashes than the limit can ever handle.
  [[nodiscard]] Error too_many(std::uint64_t hashes) const;

 private:
  std::uint64_t limit_;
  std::uint64_t key_bytes_;
  std::uint64_t taken_ = 0;  // by other parts of the build
};

/// What one thread of a build takes, for a shard of a ribbon or of a map, or a sort.
inline constexpr std::uint64_t kBytesPerThread = std::uint64_t{5} << 18;

/// How many of the threads that were asked for a build can have that may take these bytes: at least one.
[[nodiscard]] unsigned threads_within(std::uint64_t bytes, unsigned threads) noexcept;

}  // namespace crivo
