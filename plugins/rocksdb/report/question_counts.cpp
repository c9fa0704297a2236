#include "report/question_counts.h"

#include <mutex>

namespace crivo::plugin {
namespace {

/// The shards that threads have. It is never destroyed, because threads may end after our static objects.
struct Owners {
  std::mutex mutex;
  std::array<bool, kShards - 1> taken{};
};

Owners& owners() noexcept {
  alignas(Owners) static std::byte memory[sizeof(Owners)];
  static auto* const made = new (memory) Owners;
  return *made;
}

/// Gives the shard back when the thread ends. A question after that, from another object's destructor, goes to the
/// shared shard. The mutex makes this thread's numbers visible to the shard's next owner.
struct Lease {
  unsigned taken = 0;
  ~Lease() {
    shard_of_thread = kShards;
    if (taken == 0) return;
    const std::lock_guard lock(owners().mutex);
    owners().taken[taken - 1] = false;
  }
};

thread_local Lease lease;

}  // namespace

constinit thread_local unsigned shard_of_thread = 0;

unsigned take_shard() noexcept {
  const std::lock_guard lock(owners().mutex);
  shard_of_thread = kShards;
  for (unsigned shard = 0; shard < kShards - 1; ++shard) {
    if (owners().taken[shard]) continue;
    owners().taken[shard] = true;
    lease.taken = shard + 1;
    shard_of_thread = shard + 1;
    break;
  }
  return shard_of_thread;
}

QuestionCounts::Totals QuestionCounts::totals(Kind kind) const noexcept {
  const auto both = [&](Way way) { return sum(cell_of(kind, way, false)) + sum(cell_of(kind, way, true)); };
  return {.single = both(Way::kSingle),
          .batched = both(Way::kBatched),
          .answered_no = sum(cell_of(kind, Way::kSingle, false)) + sum(cell_of(kind, Way::kBatched, false))};
}

std::uint64_t QuestionCounts::sum(unsigned cell) const noexcept {
  std::uint64_t total = 0;
  for (const Shard& shard : shards_) total += shard.cells[cell].load(std::memory_order_relaxed);
  return total;
}

}  // namespace crivo::plugin
