#include "filter/filter_build.h"

#include <algorithm>
#include <utility>

#include "base/error_text.h"
#include "build/sort.h"
#include "filter/facts.h"
#include "kinds/checks.h"

namespace crivo {
namespace {

// The number of keys added between two progress reports. Some kinds are faster with many keys at once, so builds of at
// least kManyAtOnce keys use kManyAtOnce.
constexpr std::size_t kFewAtOnce = std::size_t{1} << 16;
constexpr std::size_t kManyAtOnce = std::size_t{1} << 22;

}  // namespace

Result<AnyFilter> AnyFilter::create(const FilterSpec& spec, std::uint64_t max_bytes) {
  const Result<FilterPlan> plan = plan_filter(spec, max_bytes);
  if (!plan) return plan.error();
  if (!plan->row->info.can.add) {
    return error(ErrorCode::kUnsupported, "kind must support adding keys, got ", plan->row->info.name,
                 "; it is built once, from all keys");
  }
  return FilterBuild::allocate(*plan, spec);
}

Result<AnyFilter> AnyFilter::build(const FilterSpec& spec, std::span<const std::uint64_t> hashes,
                                   const BuildOptions& options) {
  BuildTask task(options);
  const Result<FilterPlan> plan = plan_filter(spec, options.max_bytes);
  if (!plan) return plan.error();
  return FilterBuild::from(*plan, spec, hashes, task);
}

Result<AnyFilter> AnyFilter::build(const FilterSpec& spec, std::vector<std::uint64_t>&& hashes,
                                   const BuildOptions& options) {
  BuildTask task(options);
  const Result<FilterPlan> plan = plan_filter(spec, options.max_bytes);
  if (!plan) return plan.error();
  std::size_t distinct = hashes.size();
  if (plan->row->build != nullptr) {
    const Result<std::size_t> sorted = sort_distinct(hashes, task);
    if (!sorted.has_value()) return sorted.error();
    distinct = *sorted;
  }
  Result<AnyFilter> filter = FilterBuild::from(*plan, spec, std::span(hashes).first(distinct), task);
  if (filter) filter->count_added(hashes.size() - distinct);
  return filter;
}

Error FilterBuild::lacks_value(const KindInfo& kind) {
  return error(ErrorCode::kUnsupported, "kind must have keys without values, got ", kind.name,
               ", which needs a value for each key");
}

AnyFilter FilterBuild::allocate(const FilterPlan& plan, const FilterSpec& spec,
                                CacheAlignedAllocator<std::byte> memory) {
  AlignedBytes payload(static_cast<std::size_t>(plan.payload_bytes), memory);
  AnyFilter filter(*plan.row, plan.shape, plan.facts, std::move(payload), plan.max_bytes);
  const Store store{filter.ref_.view_.shape, filter.payload_};
  if (plan.row->start != nullptr) plan.row->start(store, spec);
  // plan_filter could not compute the rate, which depends on parameters that start() has just written to the payload.
  if (spec.bits_per_key && plan.row->start != nullptr) {
    filter.ref_.facts_.fp_rate = sized_rate(*plan.row, store.view(), plan.facts.capacity);
  }
  return filter;
}

Result<AnyFilter> FilterBuild::from(const FilterPlan& plan, const FilterSpec& spec,
                                    std::span<const std::uint64_t> hashes, BuildTask& task) {
  if (!plan.row->is_built_once()) {
    AnyFilter filter = allocate(plan, spec, task.payload_memory());
    if (auto added = add_watched(filter, hashes, task); !added) return added.error();
    if (auto wanted = task.advance(1); !wanted) return wanted.error();
    return filter;
  }
  if (plan.row->build == nullptr) {  // its keys have values
    if (!hashes.empty()) return lacks_value(plan.row->info);
    return once(plan, source_of_sorted(std::pmr::vector<HashedValue>()), task);
  }
  Result<std::unique_ptr<StoredSource<std::uint64_t>>> source = source_of(hashes, task);
  if (!source) return source.error();
  const std::uint64_t repeated = hashes.size() - (*source)->size();
  Result<AnyFilter> filter = once(plan, *std::move(source), task);
  if (filter) filter->count_added(repeated);
  return filter;
}

Result<AnyFilter> FilterBuild::once(const FilterPlan& plan, std::unique_ptr<HashSource> hashes, BuildTask& task) {
  Shape shape = plan.shape;
  const std::uint64_t keys = hashes->size();
  Result<AlignedBytes> payload = plan.row->build(shape, std::move(hashes), plan.max_bytes, task);
  return finished(plan, shape, keys, std::move(payload), task);
}

Result<AnyFilter> FilterBuild::once(const FilterPlan& plan, std::unique_ptr<StoredSource<HashedValue>> keys,
                                    BuildTask& task) {
  Shape shape = plan.shape;
  const std::uint64_t count = keys->size();
  Result<AlignedBytes> payload = plan.row->build_values(shape, std::move(keys), plan.max_bytes, task);
  return finished(plan, shape, count, std::move(payload), task);
}

Result<AnyFilter> FilterBuild::finished(const FilterPlan& plan, const Shape& shape, std::uint64_t keys,
                                        Result<AlignedBytes> payload, BuildTask& task) {
  if (!payload) return payload.error();
  // The payload may be larger than planned, because the keys may exceed the capacity.
  if (payload->size() > plan.max_bytes) return keys_too_large(plan.max_bytes, keys, payload->size());
  if (auto wanted = task.advance(1); !wanted) return wanted.error();
  AnyFilter filter(*plan.row, shape, plan.facts, *std::move(payload), plan.max_bytes);
  filter.count_added(keys);
  return filter;
}

Result<void> FilterBuild::add_watched(AnyFilter& filter, std::span<const std::uint64_t> hashes, BuildTask& task) {
  const KindRow& row = *filter.ref_.row_;
  const Store store{filter.ref_.view_.shape, filter.payload_};
  const std::size_t all = hashes.size();
  const std::size_t at_once = !task.watched() ? all : all < kManyAtOnce ? kFewAtOnce : kManyAtOnce;
  for (std::uint64_t added = 0; added < all;) {
    const auto part = hashes.subspan(added, std::min<std::size_t>(at_once, all - added));
    auto result = row.add_many != nullptr ? row.add_many(store, part, added, task)
                  : row.add != nullptr    ? row.add(store, part, added)
                                          : filter.grow_by(part, added);
    if (!result) return with_keys(std::move(result), filter.facts(), added);
    if (added == all) break;  // the caller reports the end
    if (auto wanted = task.advance(static_cast<double>(added) / static_cast<double>(all)); !wanted) return wanted;
  }
  filter.count_added(all);
  return {};
}

}  // namespace crivo
