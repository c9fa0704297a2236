#include "report/question_counts.h"

namespace crivo::plugin {

constinit thread_local unsigned shard_of_thread = 0;

unsigned take_shard() noexcept {
  static constinit std::atomic<unsigned> threads = 0;
  return shard_of_thread = threads++ % kShards + 1;
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
