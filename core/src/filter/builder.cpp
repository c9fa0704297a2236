// Under a limit on memory, hashes that do not fit lie in a file, as sorted runs. finish() reads them twice: to count
// the distinct ones, by which the filter is sized, and to build it.
#include "crivo/builder.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "build/build_task.h"
#include "build/file_memory.h"
#include "build/kept_hashes.h"
#include "build/memory_budget.h"
#include "build/run_reader.h"
#include "crivo/host/planned_sizes.h"
#include "crivo/host/sort.h"
#include "filter/filter_build.h"
#include "filter/filter_plan.h"

namespace crivo {
namespace {

constexpr std::size_t kAtOnce = std::size_t{1} << 16;              // hashes that are added between two reports
constexpr std::uint64_t kLeastReadBytes = std::uint64_t{3} << 20;  // for the hashes that are read at a time
constexpr std::uint64_t kSpareFileBytes = std::uint64_t{1} << 16;
constexpr std::uint64_t kHashBytes = sizeof(std::uint64_t);

bool needs_every_addition(const Capabilities& can) noexcept { return can.remove || can.count; }

/// Calls `Result<void> use(part)` for the hashes in order, so many at a time.
template <class Use>
Result<void> in_parts(std::span<const std::uint64_t> hashes, std::uint64_t at_once, const Use& use) {
  while (!hashes.empty()) {
    const auto part = hashes.first(static_cast<std::size_t>(std::min<std::uint64_t>(hashes.size(), at_once)));
    if (auto used = use(part); !used) return used;
    hashes = hashes.subspan(part.size());
  }
  return {};
}

}  // namespace

class FilterBuilder::State {
 public:
  State(const FilterSpec& spec, const BuildOptions& options, const MemoryBudget& budget, PlannedSizes* sizes)
      : spec_(spec), options_(options), budget_(budget), sizes_(sizes) {}

  [[nodiscard]] Result<void> start(const FilterSpec& checked);
  Result<void> add(std::string_view key) { return add_hash(hash_key(hash_id_, key, spec_.seed)); }
  Result<void> add_hash(std::uint64_t key_hash);
  Result<void> add_hashes(std::span<const std::uint64_t> key_hashes);
  [[nodiscard]] std::uint64_t keys() const noexcept { return keys_; }
  [[nodiscard]] Result<AnyFilter> finish();

 private:
  [[nodiscard]] Result<FilterPlan> plan(const FilterSpec& spec) const;
  [[nodiscard]] Result<void> add_to_filter(std::span<const std::uint64_t> key_hashes);
  [[nodiscard]] Result<AnyFilter> build(const FilterSpec& spec, BuildTask& task);
  [[nodiscard]] Result<AnyFilter> build_in_memory(const FilterPlan& plan, const FilterSpec& spec, BuildTask& task);
  [[nodiscard]] Result<AnyFilter> build_from_file(const FilterPlan& plan, const FilterSpec& spec, BuildTask& task);
  [[nodiscard]] Result<std::uint64_t> keys_to_size_for(BuildTask& task);
  [[nodiscard]] Result<std::uint64_t> distinct_keys_in_file(BuildTask& task);
  [[nodiscard]] Result<AnyFilter> add_from_file(const FilterPlan& plan, const FilterSpec& spec, BuildTask& task);
  [[nodiscard]] std::uint64_t payload_bytes(const FilterPlan& plan, FilterSpec spec) const;

  FilterSpec spec_;
  BuildOptions options_;
  MemoryBudget budget_;
  PlannedSizes* sizes_;
  Capabilities can_;
  HashId hash_id_ = HashId::kXxh3_64;
  std::uint64_t keys_ = 0;
  std::uint64_t distinct_ = 0;          // found by finish(), where the filter is sized by it
  std::optional<AnyFilter> filter_;     // has a value when keys go straight into the filter
  std::unique_ptr<KeptHashes> hashes_;  // not null when they are kept
};

FilterBuilder::FilterBuilder(std::unique_ptr<State> state) noexcept : state_(std::move(state)) {}
FilterBuilder::FilterBuilder(FilterBuilder&& other) noexcept = default;
FilterBuilder& FilterBuilder::operator=(FilterBuilder&& other) noexcept = default;
FilterBuilder::~FilterBuilder() = default;

Result<FilterBuilder> FilterBuilder::create(const FilterSpec& spec, const BuildOptions& options) {
  return create(spec, options, nullptr);
}

Result<FilterBuilder> FilterBuilder::create(const FilterSpec& spec, const BuildOptions& options, PlannedSizes* sizes) {
  const MemoryBudget budget(options.max_memory);
  if (auto valid = budget.check(); !valid) return valid.error();
  auto state = std::make_unique<State>(spec, options, budget, sizes);
  FilterSpec checked = spec;
  if (spec.capacity == 0) checked.capacity = 1;  // to check all other fields now, not at the end
  if (auto started = state->start(checked); !started) return started.error();
  return FilterBuilder(std::move(state));
}

Result<void> FilterBuilder::add(std::string_view key) { return state_->add(key); }
Result<void> FilterBuilder::add_hash(std::uint64_t key_hash) { return state_->add_hash(key_hash); }
Result<void> FilterBuilder::add_hashes(std::span<const std::uint64_t> key_hashes) {
  return state_->add_hashes(key_hashes);
}
std::uint64_t FilterBuilder::keys() const noexcept { return state_->keys(); }
Result<AnyFilter> FilterBuilder::finish() { return state_->finish(); }

Result<void> FilterBuilder::State::start(const FilterSpec& checked) {
  Result<FilterPlan> plan = this->plan(checked);
  if (!plan) return plan.error();
  can_ = plan->row->info.can;
  hash_id_ = plan->row->info.hash_id;
  if (spec_.capacity == 0 || !can_.add) {
    hashes_ = std::make_unique<KeptHashes>(needs_every_addition(can_), options_, budget_);
    return {};
  }
  const std::uint64_t most = budget_.for_payload(can_.grow);
  if (plan->payload_bytes > most) {
    return budget_.too_little(plan->payload_bytes * (can_.grow ? 2 : 1), plan->payload_bytes);
  }
  plan->max_bytes = std::min(plan->max_bytes, most);
  filter_ = FilterBuild::allocate(*plan, spec_, CacheAlignedAllocator<std::byte>(options_.payload_memory));
  return {};
}

Result<void> FilterBuilder::State::add_hash(std::uint64_t key_hash) {
  if (auto added = filter_ ? add_to_filter({&key_hash, 1}) : hashes_->add(key_hash); !added) return added;
  ++keys_;
  return {};
}

Result<void> FilterBuilder::State::add_hashes(std::span<const std::uint64_t> key_hashes) {
  if (!filter_) return hashes_->add(key_hashes, keys_);
  struct Count {  // at the end, also when the memory runs out
    State& builder;
    ~Count() { builder.keys_ = builder.filter_->facts().keys; }
  } const count{*this};
  return add_to_filter(key_hashes);
}

/// As many at a time as there is memory for beside the filter, since KindRow::add may take some for each. Names
/// max_memory in the error, where it is what keeps the filter from growing: to at most half of it.
Result<void> FilterBuilder::State::add_to_filter(std::span<const std::uint64_t> key_hashes) {
  const std::uint64_t fit = budget_.left_beside(filter_->payload().size()) / kHashBytes;
  Result<void> added = in_parts(key_hashes, std::max<std::uint64_t>(fit, kAtOnce),
                                [this](std::span<const std::uint64_t> part) { return filter_->add_hashes(part); });
  if (added || added.error().code != ErrorCode::kTooLarge) return added;
  const std::uint64_t needed = added.error().needed_bytes;
  return needed > options_.max_bytes ? added : budget_.too_little(2 * needed, needed);
}

Result<FilterPlan> FilterBuilder::State::plan(const FilterSpec& spec) const {
  return sizes_ != nullptr ? sizes_->plan(spec, options_.max_bytes) : plan_filter(spec, options_.max_bytes);
}

Result<std::uint64_t> FilterBuilder::State::distinct_keys_in_file(BuildTask& task) {
  KeptHashes* kept = hashes_.get();
  const std::uint64_t index_bytes = kept->runs().index_bytes();
  KeptHashes distinct(false, options_, budget_.beside(index_bytes));
  std::uint64_t added = 0;
  if (kept->every_addition()) {  // in the order of the additions: these have to be sorted first
    auto read =
        kept->runs().for_each([&](std::span<const std::uint64_t> hashes) { return distinct.add(hashes, added); });
    if (!read) return read.error();
    if (auto spilled = distinct.spill(); !spilled) return spilled.error();
    kept = &distinct;
    task.set_taken(index_bytes + distinct.runs().index_bytes());
  } else {
    task.set_taken(index_bytes);
  }
  return count_distinct(kept->runs(), task);
}

/// The number of hashes that the filter must have room for: the distinct ones, or all additions where a removal can
/// take one back.
Result<std::uint64_t> FilterBuilder::State::keys_to_size_for(BuildTask& task) {
  if (can_.remove) return hashes_->size();
  if (!hashes_->spilled() && !hashes_->every_addition()) return hashes_->size();
  if (!budget_.holds_twice(hashes_->size())) {
    if (auto spilled = hashes_->spill(); !spilled) return spilled.error();
  }
  if (hashes_->spilled()) return distinct_keys_in_file(task);
  const auto kept = hashes_->in_memory();
  std::vector<std::uint64_t> distinct(kept.begin(), kept.end());  // the additions stay in order
  return sort_distinct(distinct).size();
}

/// The size of the payload. A kind that is built once has the size of its distinct keys, whatever the capacity.
std::uint64_t FilterBuilder::State::payload_bytes(const FilterPlan& plan, FilterSpec spec) const {
  if (plan.row->build == nullptr) return plan.payload_bytes;
  spec.capacity = std::max<std::uint64_t>(1, distinct_);
  const Result<FilterPlan> actual = plan_filter(spec, UINT64_MAX);
  return actual ? actual->payload_bytes : plan.payload_bytes;
}

Result<AnyFilter> FilterBuilder::State::build_in_memory(const FilterPlan& plan, const FilterSpec& spec,
                                                        BuildTask& task) {
  const std::uint64_t payload = budget_.is_limited() ? payload_bytes(plan, spec) : 0;
  task.set_taken(kHashBytes * hashes_->size() + payload);
  return FilterBuild::from(plan, spec, hashes_->in_memory(), task);
}

Result<AnyFilter> FilterBuilder::State::build_from_file(const FilterPlan& plan, const FilterSpec& spec,
                                                        BuildTask& task) {
  HashRuns& runs = hashes_->runs();
  const bool once = plan.row->build != nullptr;
  const std::uint64_t payload = payload_bytes(plan, spec);
  FileMemory::Handle file;
  std::uint64_t taken = runs.index_bytes();
  if (once && budget_.is_for_file(payload) && options_.payload_memory == nullptr) {
    // The plan is seldom too small, and by much less than this.
    const std::uint64_t file_bytes = payload + payload / 64 + kSpareFileBytes;
    Result<FileMemory::Handle> made = FileMemory::make(options_.temp_folder, file_bytes);
    if (!made) return made.error();
    file = *std::move(made);
    task.set_payload_memory(file.get());
  } else {
    taken += payload;
  }
  const std::uint64_t least = kLeastReadBytes + 4 * kHashBytes * runs.least_room();
  if (taken + least > budget_.left_beside(0)) return budget_.too_little(taken + least, payload);
  task.set_taken(taken);
  if (once) return FilterBuild::once(plan, std::make_unique<RunSource>(std::move(runs), distinct_, task), task);
  return add_from_file(plan, spec, task);
}

Result<AnyFilter> FilterBuilder::State::add_from_file(const FilterPlan& plan, const FilterSpec& spec, BuildTask& task) {
  HashRuns& runs = hashes_->runs();
  AnyFilter filter = FilterBuild::allocate(plan, spec, task.payload_memory());
  const auto all = static_cast<double>(runs.size());
  const auto add = [&](std::span<const std::uint64_t> hashes) -> Result<void> {
    return in_parts(hashes, kAtOnce, [&](std::span<const std::uint64_t> part) -> Result<void> {
      if (auto added = filter.add_hashes(part); !added) return added;
      const double done = static_cast<double>(filter.facts().keys) / all;
      return task.advance(kSortShare + (1 - kSortShare) * done);
    });
  };
  auto added = hashes_->every_addition() ? runs.for_each(add)
                                         : for_each_distinct(runs, task.memory_left() / kHashBytes, task, add);
  if (!added) return added.error();
  if (auto wanted = task.advance(1); !wanted) return wanted.error();
  return filter;
}

Result<AnyFilter> FilterBuilder::State::build(const FilterSpec& spec, BuildTask& task) {
  Result<FilterPlan> plan = this->plan(spec);
  if (!plan) return plan.error();
  const auto fits = [&] {
    return budget_.holds(hashes_->size(), payload_bytes(*plan, spec), plan->row->build != nullptr);
  };
  if (!hashes_->spilled() && (!budget_.is_limited() || fits())) return build_in_memory(*plan, spec, task);
  if (auto spilled = hashes_->spill(); !spilled) return spilled.error();
  return build_from_file(*plan, spec, task);
}

Result<AnyFilter> FilterBuilder::State::finish() {
  BuildTask task(options_, budget_);
  if (filter_) {
    filter_->max_bytes_ = options_.max_bytes;  // the limit on memory was the builder's
    if (auto wanted = task.advance(1); !wanted) return wanted.error();
    return *std::move(filter_);
  }
  if (!hashes_->spilled()) {
    task.set_taken(kHashBytes * hashes_->size());
    if (auto dropped = hashes_->drop_repeated(task); !dropped) return dropped.error();
  }
  FilterSpec spec = spec_;
  if (spec_.capacity == 0 || !can_.add) {
    const Result<std::uint64_t> keys = keys_to_size_for(task);
    if (!keys.has_value()) return keys.error();
    distinct_ = *keys;
    if (spec_.capacity == 0) spec.capacity = std::max<std::uint64_t>(1, distinct_);
  }
  Result<AnyFilter> built = build(spec, task);
  // Copies of a cuckoo key share its two buckets, so a table with many of them is full at a low load. More room spreads
  // the other keys; a key with more copies than two buckets hold stays an error.
  while (!built && built.error().code == ErrorCode::kFull && spec_.capacity == 0 &&
         spec.capacity < std::min(8 * hashes_->size(), kMaxCapacity / 2)) {
    spec.capacity *= 2;
    built = build(spec, task);
  }
  if (built) built->count_added(keys_ - built->facts().keys);
  return built;
}

}  // namespace crivo
