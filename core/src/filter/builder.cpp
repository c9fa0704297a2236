#include "crivo/builder.h"

#include <utility>

#include "base/error_text.h"
#include "crivo/hash.h"
#include "crivo/host/planned_sizes.h"
#include "filter/builder_state.h"

namespace crivo {

Result<FilterPlan> BuilderRequest::plan(const FilterSpec& wanted) const {
  return sizes != nullptr ? sizes->plan(wanted, options.max_bytes) : plan_filter(wanted, options.max_bytes);
}

FilterBuilder::FilterBuilder(std::unique_ptr<BuilderState> state) noexcept : state_(std::move(state)) {}
FilterBuilder::FilterBuilder(FilterBuilder&& other) noexcept = default;
FilterBuilder& FilterBuilder::operator=(FilterBuilder&& other) noexcept = default;
FilterBuilder::~FilterBuilder() = default;

Result<FilterBuilder> FilterBuilder::create(const FilterSpec& spec, const BuildOptions& options) {
  return create(spec, options, nullptr);
}

Result<FilterBuilder> FilterBuilder::create(const FilterSpec& spec, const BuildOptions& options, PlannedSizes* sizes) {
  if (auto valid = MemoryBudget(options.max_memory).check(); !valid) return valid.error();
  const BuilderRequest request{spec, options, sizes};
  FilterSpec checked = spec;
  // A placeholder capacity lets the plan validate all other fields now, instead of after all keys.
  if (spec.capacity == 0 && default_capacity(spec.kind) == 0) checked.capacity = 1;
  Result<FilterPlan> plan = request.plan(checked);
  if (!plan) return plan.error();
  const KindInfo& kind = plan->row->info;
  Result<std::unique_ptr<BuilderState>> state =
      plan->row->build_values != nullptr ? pair_builder(request, kind) : key_builder(request, *std::move(plan));
  if (!state) return state.error();
  (*state)->hash_id = kind.hash_id;
  (*state)->seed = spec.seed;
  return FilterBuilder(*std::move(state));
}

Result<FilterBuilder> PlannedSizes::builder(const FilterSpec& spec, const BuildOptions& options) {
  return FilterBuilder::create(spec, options, this);
}

Result<void> FilterBuilder::add(std::string_view key) {
  return state_->add_hash(hash_key(state_->hash_id, key, state_->seed));
}
Result<void> FilterBuilder::add_hash(std::uint64_t key_hash) { return state_->add_hash(key_hash); }
Result<void> FilterBuilder::add_hashes(std::span<const std::uint64_t> key_hashes) {
  return state_->add_hashes(key_hashes);
}
Result<void> FilterBuilder::add(std::string_view key, std::uint64_t value) {
  return add_hash(hash_key(state_->hash_id, key, state_->seed), value);
}
Result<void> FilterBuilder::add_hash(std::uint64_t key_hash, std::uint64_t value) {
  return state_->add_hashes({&key_hash, 1}, {&value, 1});
}
Result<void> FilterBuilder::add_hashes(std::span<const std::uint64_t> key_hashes,
                                       std::span<const std::uint64_t> values) {
  if (values.size() != key_hashes.size()) {
    return bad_argument("values must have one item per key, ", key_hashes.size(), ", got ", values.size());
  }
  return state_->add_hashes(key_hashes, values);
}
std::uint64_t FilterBuilder::keys() const noexcept { return state_->keys(); }
Result<AnyFilter> FilterBuilder::finish() { return state_->finish(); }

}  // namespace crivo
