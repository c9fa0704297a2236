// One build while it runs: its threads, the memory it takes, and its caller's say in whether it goes on.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory_resource>

#include "crivo/build_options.h"
#include "crivo/result.h"

namespace crivo {

/// Sorting the hashes takes about so much of a build.
inline constexpr double kSortShare = 0.2;

/// operator new, with a record of the most that was in use at once. For any number of threads.
class CountedMemory final : public std::pmr::memory_resource {
 public:
  [[nodiscard]] std::uint64_t peak() const noexcept { return peak_; }

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override;
  [[nodiscard]] bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }

  std::atomic<std::uint64_t> used_ = 0;
  std::atomic<std::uint64_t> peak_ = 0;
};

class BuildTask {
 public:
  /// The options must outlive the task.
  explicit BuildTask(const BuildOptions& options) noexcept;

  [[nodiscard]] unsigned threads() const noexcept { return threads_; }
  /// Does the caller want to hear of the progress?
  [[nodiscard]] bool watched() const noexcept { return options_.progress != nullptr; }
  /// For everything that the finished filter does not keep.
  [[nodiscard]] std::pmr::memory_resource* memory() noexcept { return &memory_; }

  /// Tells the caller how much is done; a share below an earlier one counts as that one. Called between the parts of
  /// the work, by the thread that makes the filter. Errors: kCancelled, if the caller wants no more.
  Result<void> advance(double done);
  /// The last call, for a finished payload with so much memory that it does not use. Errors: as advance.
  Result<void> finish(std::uint64_t unused_payload_bytes);

 private:
  const BuildOptions& options_;
  unsigned threads_;
  double done_ = 0;
  CountedMemory memory_;
};

}  // namespace crivo
