// Builds a filter of keys. Under a memory limit, hashes that do not fit go to a file, usually as sorted runs. finish()
// usually reads the file twice: to count the distinct hashes, which determine the size, and to build the filter.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "build/buffered_hashes.h"
#include "build/build_task.h"
#include "build/memory_budget.h"
#include "build/run_reader.h"
#include "crivo/host/scope_exit.h"
#include "crivo/host/sort.h"
#include "filter/builder_state.h"
#include "filter/filter_build.h"
#include "kinds/registry.h"

namespace crivo {
namespace {

constexpr std::size_t kAtOnce = std::size_t{1} << 16;  // hashes that are added between two progress reports
constexpr std::uint64_t kHashBytes = sizeof(std::uint64_t);

bool needs_every_addition(const Capabilities& can) noexcept { return can.remove || can.count; }

/// Calls `Result<void> use(part)` for the hashes in order, `at_once` at a time.
template <class Use>
Result<void> in_parts(std::span<const std::uint64_t> hashes, std::uint64_t at_once, const Use& use) {
  while (!hashes.empty()) {
    const auto part = hashes.first(static_cast<std::size_t>(std::min<std::uint64_t>(hashes.size(), at_once)));
    if (auto used = use(part); !used) return used;
    hashes = hashes.subspan(part.size());
  }
  return {};
}

class KeyBuilder final : public BuilderState {
 public:
  explicit KeyBuilder(const BuilderRequest& request)
      : request_(request), spec_(request_.spec), options_(request_.options), budget_(options_.max_memory) {}

  [[nodiscard]] Result<void> start(FilterPlan plan);
  Result<void> add_hash(std::uint64_t key_hash) override;
  Result<void> add_hashes(std::span<const std::uint64_t> key_hashes) override;
  Result<void> add_hashes(std::span<const std::uint64_t> key_hashes, std::span<const std::uint64_t> values) override;
  [[nodiscard]] Result<AnyFilter> finish() override;

 private:
  [[nodiscard]] Result<void> add_to_filter(std::span<const std::uint64_t> key_hashes);
  [[nodiscard]] Result<AnyFilter> build(const FilterSpec& spec, BuildTask& task);
  [[nodiscard]] Result<std::uint64_t> keys_to_size_for(BuildTask& task);
  [[nodiscard]] Result<std::uint64_t> distinct_keys_in_file(BuildTask& task);
  [[nodiscard]] Result<AnyFilter> add_from_file(const FilterPlan& plan, const FilterSpec& spec, BuildTask& task);

  BuilderRequest request_;
  const FilterSpec& spec_;
  const BuildOptions& options_;
  MemoryBudget budget_;
  KindInfo kind_;
  std::uint64_t distinct_ = 0;              // from keys_to_size_for(), set by finish()
  std::optional<AnyFilter> filter_;         // set if keys go directly to the filter
  std::unique_ptr<BufferedHashes> hashes_;  // not null if hashes are buffered
};

Result<void> KeyBuilder::start(FilterPlan plan) {
  kind_ = plan.row->info;
  if (spec_.capacity == 0) request_.spec.capacity = kind_.default_capacity;
  if (spec_.capacity == 0 || !kind_.can.add) {
    hashes_ = std::make_unique<BufferedHashes>(needs_every_addition(kind_.can), options_, budget_);
    return {};
  }
  const std::uint64_t most = budget_.for_payload(kind_.can.grow);
  if (plan.payload_bytes > most) {
    return budget_.too_little_error(plan.payload_bytes * (kind_.can.grow ? 2 : 1), plan.payload_bytes);
  }
  plan.max_bytes = std::min(plan.max_bytes, most);
  filter_ = FilterBuild::allocate(plan, spec_, CacheAlignedAllocator<std::byte>(options_.payload_memory));
  return {};
}

Result<void> KeyBuilder::add_hash(std::uint64_t key_hash) {
  if (auto added = filter_ ? add_to_filter({&key_hash, 1}) : hashes_->add(key_hash); !added) return added;
  ++keys_;
  return {};
}

Result<void> KeyBuilder::add_hashes(std::span<const std::uint64_t> key_hashes) {
  if (!filter_) return hashes_->add(key_hashes, keys_);
  const ScopeExit count([this] { keys_ = filter_->facts().keys; });  // also when memory runs out
  return add_to_filter(key_hashes);
}

/// Adds the hashes in batches, because KindRow::add may allocate memory per hash, which must fit in the budget beside
/// the filter. A filter that grows may use half of the budget; beyond that, the error names max_memory.
Result<void> KeyBuilder::add_to_filter(std::span<const std::uint64_t> key_hashes) {
  const std::uint64_t fit = budget_.remaining_after(filter_->payload().size()) / kHashBytes;
  Result<void> added = in_parts(key_hashes, std::max<std::uint64_t>(fit, kAtOnce),
                                [this](std::span<const std::uint64_t> part) { return filter_->add_hashes(part); });
  if (added || added.error().code != ErrorCode::kTooLarge) return added;
  const std::uint64_t needed = added.error().needed_bytes;
  return needed > options_.max_bytes ? added : budget_.too_little_error(2 * needed, needed);
}

Result<void> KeyBuilder::add_hashes(std::span<const std::uint64_t> /*key_hashes*/,
                                    std::span<const std::uint64_t> /*values*/) {
  return unsupported(kind_, "values", &Capabilities::find);
}

Result<std::uint64_t> KeyBuilder::distinct_keys_in_file(BuildTask& task) {
  BufferedHashes* buffered = hashes_.get();
  const std::uint64_t index_bytes = buffered->runs().index_bytes();
  BufferedHashes distinct(false, options_, budget_.beside(index_bytes));
  std::uint64_t added = 0;
  if (buffered->every_addition()) {  // the file has the order of addition; counting needs sorted runs
    auto read =
        buffered->runs().for_each([&](std::span<const std::uint64_t> hashes) { return distinct.add(hashes, added); });
    if (!read) return read.error();
    if (auto spilled = distinct.spill(); !spilled) return spilled.error();
    buffered = &distinct;
    task.set_reserved(index_bytes + distinct.runs().index_bytes());
  } else {
    task.set_reserved(index_bytes);
  }
  return count_distinct(buffered->runs(), task);
}

/// The number of hashes for which the filter is sized: the distinct ones, or all additions if the kind supports
/// removals.
Result<std::uint64_t> KeyBuilder::keys_to_size_for(BuildTask& task) {
  if (kind_.can.remove) return hashes_->size();
  if (!hashes_->spilled() && !hashes_->every_addition()) return hashes_->size();
  if (!budget_.holds_twice(hashes_->size())) {
    if (auto spilled = hashes_->spill(); !spilled) return spilled.error();
  }
  if (hashes_->spilled()) return distinct_keys_in_file(task);
  const auto buffered = hashes_->in_memory();
  std::vector<std::uint64_t> distinct(buffered.begin(), buffered.end());  // the additions stay in order
  return sort_distinct(distinct).size();
}

Result<AnyFilter> KeyBuilder::add_from_file(const FilterPlan& plan, const FilterSpec& spec, BuildTask& task) {
  const HashRuns& runs = hashes_->runs();
  if (auto taken = reserve_memory(runs, plan.payload_bytes, plan.payload_bytes, task); !taken) return taken.error();
  AnyFilter filter = FilterBuild::allocate(plan, spec, task.payload_memory());
  const auto all = static_cast<double>(runs.size());
  const auto add = [&](std::span<const std::uint64_t> hashes) -> Result<void> {
    return in_parts(hashes, kAtOnce, [&](std::span<const std::uint64_t> part) -> Result<void> {
      if (auto added = filter.add_hashes(part); !added) return added;
      const double done = static_cast<double>(filter.facts().keys) / all;
      return task.advance(kSortShare + (1 - kSortShare) * done);
    });
  };
  auto added = hashes_->every_addition()
                   ? runs.for_each(add)
                   : for_each_distinct<std::uint64_t>(runs, task.memory_left() / kHashBytes, task, add);
  if (!added) return added.error();
  if (auto wanted = task.advance(1); !wanted) return wanted.error();
  return filter;
}

Result<AnyFilter> KeyBuilder::build(const FilterSpec& spec, BuildTask& task) {
  const Result<FilterPlan> plan = request_.plan(spec);
  if (!plan) return plan.error();
  if (plan->row->is_built_once()) return build_once(*plan, spec, *hashes_, distinct_, options_, task);
  if (!hashes_->spilled() && budget_.holds(hashes_->size(), plan->payload_bytes, /*built_once=*/false)) {
    task.set_reserved(kHashBytes * hashes_->size() + plan->payload_bytes);
    return FilterBuild::from(*plan, spec, hashes_->in_memory(), task);
  }
  if (auto spilled = hashes_->spill(); !spilled) return spilled.error();
  return add_from_file(*plan, spec, task);
}

Result<AnyFilter> KeyBuilder::finish() {
  BuildTask task(options_, budget_);
  if (filter_) {
    FilterBuild::set_max_bytes(*filter_, options_.max_bytes);  // the memory limit applies only to the builder
    if (auto wanted = task.advance(1); !wanted) return wanted.error();
    return *std::move(filter_);
  }
  if (!hashes_->spilled()) {
    task.set_reserved(kHashBytes * hashes_->size());
    if (auto dropped = hashes_->drop_repeated(task); !dropped) return dropped.error();
  }
  FilterSpec spec = spec_;
  if (spec_.capacity == 0 || !kind_.can.add) {
    const Result<std::uint64_t> keys = keys_to_size_for(task);
    if (!keys.has_value()) return keys.error();
    distinct_ = *keys;
    if (spec_.capacity == 0) {  // keys added at once are in one pane of a window
      spec.capacity = std::max<std::uint64_t>(1, distinct_) * (kind_.can.advance ? spec.panes : 1);
    }
  }
  Result<AnyFilter> built = build(spec, task);
  // In a cuckoo filter, all copies of a key share two buckets, so a table with many copies is full at a low load. A
  // larger table spreads the other keys; a key with more copies than two buckets hold remains an error.
  while (!built && built.error().code == ErrorCode::kFull && spec_.capacity == 0 &&
         spec.capacity < std::min(8 * hashes_->size(), kMaxCapacity / 2)) {
    spec.capacity *= 2;
    built = build(spec, task);
  }
  if (built) FilterBuild::count_added(*built, keys_ - built->facts().keys);
  return built;
}

}  // namespace

Result<std::unique_ptr<BuilderState>> key_builder(const BuilderRequest& request, FilterPlan plan) {
  auto builder = std::make_unique<KeyBuilder>(request);
  if (auto started = builder->start(plan); !started) return started.error();
  return std::unique_ptr<BuilderState>(std::move(builder));
}

}  // namespace crivo
