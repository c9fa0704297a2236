// How many questions the filters of a policy were asked, counted by any number of threads at next to no cost.
//
// A question takes about 10 ns, and one atomic addition to a counter that two threads share takes several times that,
// because the cache line moves between their cores. So there are many shards, a cache line each, and threads take them
// in turn. Whoever reads the numbers adds up all shards. With one number per thread for all policies, finding the shard
// is one read of a thread-local variable, and the thread-local variable is the whole price of many policies.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "crivo/types.h"

namespace crivo::plugin {

inline constexpr unsigned kShards = 64;

/// The number of this thread's shard plus one; 0 before its first question.
/// (The model of thread-local storage spares a call of the dynamic linker's. What it costs is four bytes of the room
/// that glibc keeps for libraries that are loaded by dlopen.)
extern constinit thread_local unsigned shard_of_thread __attribute__((tls_model("initial-exec")));

/// Sets shard_of_thread to the next one in turn, and returns it.
unsigned take_shard() noexcept;

/// Any thread may count and any may read.
class QuestionCounts {
 public:
  enum class Way : unsigned { kSingle, kBatched };
  struct Totals {
    std::uint64_t single = 0;
    std::uint64_t batched = 0;
    std::uint64_t answered_no = 0;  // of both
  };

  /// Counts `times` questions with the same answer.
  void add(Kind kind, Way way, bool maybe, std::uint64_t times) noexcept {
    unsigned taken = shard_of_thread;
    if (taken == 0) [[unlikely]]
      taken = take_shard();
    shards_[taken - 1].cells[cell_of(kind, way, maybe)].fetch_add(times, std::memory_order_relaxed);
  }
  [[nodiscard]] Totals totals(Kind kind) const noexcept;

 private:
  static constexpr unsigned kCells = 8;  // kind x way x answer: one cache line
  struct alignas(kCells * sizeof(std::uint64_t)) Shard {
    std::array<std::atomic<std::uint64_t>, kCells> cells{};
  };
  static constexpr unsigned cell_of(Kind kind, Way way, bool maybe) noexcept {
    return (kind == Kind::kRibbon ? 4U : 0U) + static_cast<unsigned>(way) * 2 + (maybe ? 1U : 0U);
  }
  [[nodiscard]] std::uint64_t sum(unsigned cell) const noexcept;

  std::array<Shard, kShards> shards_;
};

}  // namespace crivo::plugin
