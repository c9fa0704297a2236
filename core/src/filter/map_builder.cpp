#include "crivo/map_builder.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/error_text.h"
#include "build/build_task.h"
#include "build/kept_hashes.h"
#include "build/run_reader.h"
#include "filter/build_once.h"
#include "filter/filter_build.h"
#include "filter/filter_plan.h"

namespace crivo {

class MapBuilder::State {
 public:
  State(const FilterSpec& spec, const BuildOptions& options)
      : spec_(spec),
        options_(options),
        budget_(options.max_memory, sizeof(HashedValue)),
        kept_(false, options_, budget_),
        most_(spec.value_bits == 0 ? UINT32_MAX : UINT64_MAX >> (64 - spec.value_bits)) {}

  [[nodiscard]] Result<void> start() const {
    if (auto valid = budget_.check(); !valid) return valid;
    if (spec_.kind != Kind::kMap) return bad_argument("kind must be map, got ", kind_name(spec_.kind));
    FilterSpec checked = spec_;
    checked.capacity = std::max<std::uint64_t>(1, spec_.capacity);
    const Result<FilterPlan> plan = plan_filter(checked, options_.max_bytes);
    return plan ? Result<void>() : plan.error();
  }

  Result<void> add(std::string_view key, std::uint64_t value) { return add_hash(hash_key(key, spec_.seed), value); }
  Result<void> add_hash(std::uint64_t key_hash, std::uint64_t value) {
    if (value > most_) return bad_argument("value must be at most ", most_, ", got ", value);
    if (auto added = kept_.add({key_hash, value}); !added) return added;
    largest_ = std::max(largest_, value);
    ++keys_;
    return {};
  }
  [[nodiscard]] std::uint64_t keys() const noexcept { return keys_; }

  [[nodiscard]] Result<AnyFilter> finish() {
    BuildTask task(options_, budget_);
    if (!kept_.spilled()) {
      task.set_taken(sizeof(HashedValue) * kept_.size());
      if (auto dropped = kept_.drop_repeated(task); !dropped) return dropped.error();
    }
    std::uint64_t distinct = kept_.size();
    if (kept_.spilled()) {
      if (auto spilled = kept_.spill(); !spilled) return spilled.error();
      task.set_taken(kept_.runs().index_bytes());
      const Result<std::uint64_t> counted = count_distinct(kept_.runs(), task);
      if (!counted.has_value()) return counted.error();
      distinct = *counted;
    }
    FilterSpec spec = spec_;
    if (spec.capacity == 0) spec.capacity = std::max<std::uint64_t>(1, distinct);
    if (spec.value_bits == 0) spec.value_bits = std::max(1U, static_cast<unsigned>(std::bit_width(largest_)));
    Result<AnyFilter> built = build(spec, distinct, task);
    if (built) FilterBuild::count_added(*built, keys_ - built->facts().keys);
    return built;
  }

 private:
  [[nodiscard]] Result<AnyFilter> build(const FilterSpec& spec, std::uint64_t distinct, BuildTask& task) {
    const Result<FilterPlan> plan = plan_filter(spec, options_.max_bytes);
    if (!plan) return plan.error();
    FilterSpec of_keys = spec;
    of_keys.capacity = std::max<std::uint64_t>(1, distinct);
    const Result<FilterPlan> actual = plan_filter(of_keys, UINT64_MAX);
    const std::uint64_t payload = actual ? actual->payload_bytes : plan->payload_bytes;
    if (!kept_.spilled() && (!budget_.is_limited() || budget_.holds(kept_.size(), payload, /*built_once=*/true))) {
      task.set_taken(sizeof(HashedValue) * kept_.size() + (budget_.is_limited() ? payload : 0));
      const std::span<const HashedValue> keys = kept_.in_memory();
      Result<std::unique_ptr<RecordSource<HashedValue>>> source = source_of(keys, task);
      if (!source) return source.error();
      return FilterBuild::once(*plan, *std::move(source), task);
    }
    if (auto spilled = kept_.spill(); !spilled) return spilled.error();
    const Result<PayloadPlace> place = PayloadPlace::choose(kept_.runs(), payload, /*once=*/true, options_, task);
    if (!place) return place.error();
    return FilterBuild::once(*plan, std::make_unique<RunSource<HashedValue>>(std::move(kept_.runs()), distinct, task),
                             task);
  }

  FilterSpec spec_;
  BuildOptions options_;
  MemoryBudget budget_;
  KeptRecords<HashedValue> kept_;
  std::uint64_t most_;  // the largest value that may come
  std::uint64_t largest_ = 0;
  std::uint64_t keys_ = 0;
};

MapBuilder::MapBuilder(std::unique_ptr<State> state) noexcept : state_(std::move(state)) {}
MapBuilder::MapBuilder(MapBuilder&& other) noexcept = default;
MapBuilder& MapBuilder::operator=(MapBuilder&& other) noexcept = default;
MapBuilder::~MapBuilder() = default;

Result<MapBuilder> MapBuilder::create(const FilterSpec& spec, const BuildOptions& options) {
  if (spec.value_bits > 32) return bad_argument("value bits must lie in [1, 32], got ", spec.value_bits);
  auto state = std::make_unique<State>(spec, options);
  if (auto started = state->start(); !started) return started.error();
  return MapBuilder(std::move(state));
}

Result<void> MapBuilder::add(std::string_view key, std::uint64_t value) { return state_->add(key, value); }
Result<void> MapBuilder::add_hash(std::uint64_t key_hash, std::uint64_t value) {
  return state_->add_hash(key_hash, value);
}
std::uint64_t MapBuilder::keys() const noexcept { return state_->keys(); }
Result<AnyFilter> MapBuilder::finish() { return state_->finish(); }

}  // namespace crivo
