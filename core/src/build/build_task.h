// A running build: its threads, its memory, and its caller's progress function, which can cancel it.
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

/// A memory resource that counts the bytes in use, and allocates from another resource. Thread-safe.
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

/// The approximate share of a build's time that sorting the hashes takes, for progress reports.
inline constexpr double kSortShare = 0.2;

class BuildTask {
 public:
  /// The options must outlive the task. memory() counts the bytes in use, but enforces no limit: the steps of a build
  /// spill to files when memory_left() is too small.
  explicit BuildTask(const BuildOptions& options, const MemoryBudget& budget = MemoryBudget()) noexcept;

  /// Sets the bytes of the budget that are used outside memory(), initially 0. Also determines threads(). With a memory
  /// limit, must be called before each step of a build.
  void set_reserved(std::uint64_t bytes) noexcept;
  /// Replaces the options' memory for the payload. The resource must outlive its allocations.
  void set_payload_memory(std::pmr::memory_resource* memory) noexcept { payload_memory_ = memory; }

  [[nodiscard]] bool is_limited() const noexcept { return limit_ != UINT64_MAX; }
  /// The budget minus the bytes of set_reserved(), the bytes allocated from memory(), and the memory of the threads,
  /// but at least 0. UINT64_MAX without a limit.
  [[nodiscard]] std::uint64_t memory_left() const noexcept;
  [[nodiscard]] const std::string& temp_folder() const noexcept { return options_.temp_folder; }
  [[nodiscard]] const MemoryBudget& budget() const noexcept { return budget_; }

  [[nodiscard]] unsigned threads() const noexcept { return threads_; }
  /// Whether the caller wants progress reports.
  [[nodiscard]] bool watched() const noexcept { return options_.progress != nullptr; }
  /// The memory for everything except the payload of the finished filter.
  [[nodiscard]] std::pmr::memory_resource* memory() noexcept { return &memory_; }
  /// The memory for the payload of the finished filter.
  [[nodiscard]] CacheAlignedAllocator<std::byte> payload_memory() const noexcept {
    return CacheAlignedAllocator<std::byte>(payload_memory_);
  }

  /// Sets the share of the whole build, an interval within [0, 1], that the next calls of advance() cover.
  void set_step(double from, double to) noexcept { step_from_ = from, step_to_ = to; }
  /// Reports the completed share of the step, from 0 to 1. Reported progress never decreases: a lower share repeats the
  /// last report. Must be called by the thread that builds the filter. Errors: kCancelled, if the caller cancels the
  /// build.
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
