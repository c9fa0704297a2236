// One build while it runs: its threads, the memory it takes, and its caller's say in whether it goes on.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <string>

#include "build/memory_budget.h"
#include "crivo/build_options.h"
#include "crivo/memory.h"
#include "crivo/result.h"

namespace crivo {

/// A memory resource that takes from another one and counts the bytes that are in use. Any number of threads may use
/// one at the same time.
class CountedMemory final : public std::pmr::memory_resource {
 public:
  explicit CountedMemory(std::pmr::memory_resource* upstream) noexcept : upstream_(upstream) {}
  [[nodiscard]] std::uint64_t used() const noexcept { return used_; }

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override;
  [[nodiscard]] bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }

  std::pmr::memory_resource* upstream_;
  std::atomic<std::uint64_t> used_ = 0;
};

/// The share of a build's time that goes into sorting the hashes, roughly: progress reports count with it.
inline constexpr double kSortShare = 0.2;

class BuildTask {
 public:
  /// The options must outlive the task. It takes of memory() what the budget leaves beside set_taken(), as far as it
  /// can do with so little: what does not fit goes to files.
  explicit BuildTask(const BuildOptions& options, const MemoryBudget& budget = MemoryBudget()) noexcept;

  /// Before a step of the build: how many bytes others have taken of the budget, at first none. Sets threads(), too.
  void set_taken(std::uint64_t bytes) noexcept;
  /// The memory for the payload, instead of that of the options. It must outlive what is taken from it.
  void set_payload_memory(std::pmr::memory_resource* memory) noexcept { payload_memory_ = memory; }

  [[nodiscard]] bool is_limited() const noexcept { return limit_ != UINT64_MAX; }
  /// How many bytes of memory() are left under the limit, those apart that the threads need; UINT64_MAX without one.
  [[nodiscard]] std::uint64_t memory_left() const noexcept;
  [[nodiscard]] const std::string& temp_folder() const noexcept { return options_.temp_folder; }
  [[nodiscard]] const MemoryBudget& budget() const noexcept { return budget_; }

  [[nodiscard]] unsigned threads() const noexcept { return threads_; }
  /// Does the caller want to hear of the progress?
  [[nodiscard]] bool watched() const noexcept { return options_.progress != nullptr; }
  /// The memory for everything that the finished filter does not keep.
  [[nodiscard]] std::pmr::memory_resource* memory() noexcept { return &memory_; }
  /// The memory for what the finished filter keeps.
  [[nodiscard]] CacheAlignedAllocator<std::byte> payload_memory() const noexcept {
    return CacheAlignedAllocator<std::byte>(payload_memory_);
  }

  /// The part of the whole that the next shares are of, for a build of several steps.
  void set_step(double from, double to) noexcept { step_from_ = from, step_to_ = to; }
  /// Tells the caller which share of the step is done, 0 to 1. A share below an earlier one is reported as that
  /// earlier one, so progress never falls. The thread that makes the filter calls this between the parts of its work.
  /// Errors: kCancelled, if the caller wants the build to end.
  Result<void> advance(double done);

 private:
  const BuildOptions& options_;
  MemoryBudget budget_;
  std::uint64_t limit_ = UINT64_MAX;
  unsigned threads_ = 1;
  double step_from_ = 0;
  double step_to_ = 1;
  double done_ = 0;
  std::pmr::memory_resource* payload_memory_;
  CountedMemory memory_;
};

}  // namespace crivo
