// Counts the queries of a policy's filters, from any number of threads, at almost no cost.
//
// A query takes 10 ns. An atomic increment of a counter that two threads share takes several times as long, because the
// cache line moves between cores. So there are many shards of one cache line each, assigned to threads in turn; a
// reader adds up all shards. A thread has the same shard number for all policies, so that finding the shard is one read
// of a thread-local variable.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "crivo/types.h"

namespace crivo::plugin {

inline constexpr unsigned kShards = 64;

/// This thread's shard number plus one; 0 before its first query. (This TLS model avoids a call of the dynamic linker.
/// It uses four bytes of the space that glibc reserves for libraries loaded by dlopen.)
extern constinit thread_local unsigned shard_of_thread __attribute__((tls_model("initial-exec")));

/// Assigns the next shard to this thread, and returns shard_of_thread.
unsigned take_shard() noexcept;

class QuestionCounts {
 public:
  enum class Way : unsigned { kSingle, kBatched };
  struct Totals {
    std::uint64_t single = 0;
    std::uint64_t batched = 0;
    std::uint64_t answered_no = 0;  // of both
  };

  /// Counts `times` queries with the same answer.
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
