#include "report/counters.h"

#include <algorithm>
#include <new>
#include <utility>

#include "options/settings_parser.h"

namespace crivo::plugin {
namespace {

constexpr std::size_t kMaxStoredDamages = 8;
constexpr std::size_t kKeptFamilies = 64;

std::string plural(std::uint64_t count, std::string_view word) {
  return std::to_string(count) + ' ' + std::string(word) + (count == 1 ? "" : "s");
}

std::string kind_text(std::string_view name, const RocksDBFilterCounters::OfKind& kind) {
  std::string text(name);
  text += ": " + plural(kind.built, "filter") + " built (" + plural(kind.keys, "key") + ", " +
          plural(kind.bytes, "byte") + ", " + std::to_string(kind.build_nanoseconds / 1'000'000) + " ms)";
  const std::uint64_t asked = kind.asked_singly + kind.asked_in_batches;
  if (asked != 0) {
    text += ", asked " + std::to_string(asked) + " times (" + std::to_string(kind.asked_in_batches) +
            " in batches), answered no " + std::to_string(kind.answered_no) + " times";
  }
  return text + "; ";
}

}  // namespace

constinit thread_local unsigned shard_of_thread = 0;

unsigned assign_shard() noexcept {
  static constinit std::atomic<unsigned> threads = 0;
  return shard_of_thread = threads++ % kShards + 1;
}

QueryCounts::Totals QueryCounts::totals(Kind kind) const noexcept {
  const auto both = [&](Way way) { return sum(cell_of(kind, way, false)) + sum(cell_of(kind, way, true)); };
  return {.single = both(Way::kSingle),
          .batched = both(Way::kBatched),
          .answered_no = sum(cell_of(kind, Way::kSingle, false)) + sum(cell_of(kind, Way::kBatched, false))};
}

std::uint64_t QueryCounts::sum(unsigned cell) const noexcept {
  std::uint64_t total = 0;
  for (const Shard& shard : shards_) total += shard.cells[cell].load(std::memory_order_relaxed);
  return total;
}

void Counters::built(const BuiltBlock& block, std::chrono::nanoseconds time) noexcept {
  const std::lock_guard lock(mutex_);
  RocksDBFilterCounters::OfKind& of_kind = block.shape.kind == Kind::kRibbon ? counts_.ribbon : counts_.blocked;
  of_kind.built += 1;
  of_kind.keys += block.keys;
  of_kind.bytes += block.bytes;
  of_kind.build_nanoseconds += static_cast<std::uint64_t>(time.count());
}

void Counters::opened_damaged(std::size_t block_bytes, std::string_view error) noexcept try {
  const std::lock_guard lock(mutex_);
  ++counts_.damaged_blocks;
  ++more_damages_;
  if (damages_.size() >= kMaxStoredDamages) return;
  damages_.push_back("a filter block of " + std::to_string(block_bytes) + " bytes is damaged: " + std::string(error));
  --more_damages_;
} catch (const std::bad_alloc&) {
  // The block is counted, but not described in the log.
}

std::vector<std::string> Counters::drain_damages() {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> taken = std::exchange(damages_, {});
  if (more_damages_ != 0) taken.push_back(plural(more_damages_, "more damaged filter block"));
  more_damages_ = 0;
  return taken;
}

void Counters::record_family(const void* logger, std::string_view family) {
  const std::lock_guard lock(mutex_);
  const Family entry{logger, std::string(family)};
  if (std::ranges::count(families_, entry) != 0) return;
  if (families_.size() >= kKeptFamilies) families_.erase(families_.begin());
  families_.push_back(entry);
}

std::string Counters::drain_families(const void* logger) {
  const std::lock_guard lock(mutex_);
  std::string names;
  for (const Family& family : families_) {
    if (family.logger == logger) names.append(names.empty() ? "" : ", ").append(family.name);
  }
  std::erase_if(families_, [&](const Family& family) { return family.logger == logger; });
  return names;
}

std::set<std::string> Counters::families() {
  const std::lock_guard lock(mutex_);
  std::set<std::string> names;
  for (const Family& family : families_) names.insert(family.name);
  return names;
}

void Counters::count(std::uint64_t RocksDBFilterCounters::*counter) noexcept {
  const std::lock_guard lock(mutex_);
  ++(counts_.*counter);
}

RocksDBFilterCounters Counters::snapshot() const noexcept {
  RocksDBFilterCounters counts;
  {
    const std::lock_guard lock(mutex_);
    counts = counts_;
  }
  for (const Kind kind : {Kind::kBlocked, Kind::kRibbon}) {
    const QueryCounts::Totals queries = query_counts_.totals(kind);
    RocksDBFilterCounters::OfKind& of_kind = kind == Kind::kRibbon ? counts.ribbon : counts.blocked;
    of_kind.asked_singly = queries.single;
    of_kind.asked_in_batches = queries.batched;
    of_kind.answered_no = queries.answered_no;
  }
  return counts;
}

std::string counters_text(const RocksDBFilterCounters& counters) {
  return kind_text("blocked", counters.blocked) + kind_text("ribbon", counters.ribbon) +
         plural(counters.always_maybe, "filter") +
         " built that every key passes; opened: " + plural(counters.damaged_blocks, "damaged block") + ", " +
         std::to_string(counters.builtin_blocks) + " of RocksDB's own, " +
         std::to_string(counters.other_transform_blocks) + " with another key transform";
}

std::shared_ptr<Counters> counters_of(const rocksdb::FilterPolicy* policy) {
  const auto* const counters =
      policy != nullptr ? policy->GetOptions<std::shared_ptr<Counters>>(kCountersName) : nullptr;
  return counters != nullptr ? *counters : nullptr;
}

std::shared_ptr<Counters> counters_of(const rocksdb::ColumnFamilyOptions& options) {
  return counters_of(policy_of(options).get());
}

}  // namespace crivo::plugin
