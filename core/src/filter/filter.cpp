// FilterRef and AnyFilter: the edge where all kinds become one type. Each function here checks its arguments, looks up
// the kind's row (kinds/kind.h) and calls the function that it finds there.
#include "crivo/filter.h"

#include <algorithm>
#include <cassert>
#include <limits>

#include "base/error_text.h"
#include "build/build_task.h"
#include "build/hash_source.h"
#include "build/sort.h"
#include "filter/facts.h"
#include "filter/filter_plan.h"
#include "kinds/checks.h"
#include "kinds/registry.h"

namespace crivo {
namespace {

// The number of keys that are added between two reports of progress. The larger one is for builds of at least that many
// keys, since some kinds have a faster way to add many keys at once.
constexpr std::size_t kFewAtOnce = std::size_t{1} << 16;
constexpr std::size_t kManyAtOnce = std::size_t{1} << 22;

std::uint64_t saturating_add(std::uint64_t a, std::uint64_t b) noexcept {
  return a > std::numeric_limits<std::uint64_t>::max() - b ? std::numeric_limits<std::uint64_t>::max() : a + b;
}

/// Does something when a function ends, also when it throws. Keys that were added before the memory ran out are in the
/// filter, so they count, and a payload that grew for them lies elsewhere.
template <class Work>
class AtEnd {
 public:
  explicit AtEnd(Work work) : work_(std::move(work)) {}
  AtEnd(const AtEnd&) = delete;
  AtEnd& operator=(const AtEnd&) = delete;
  ~AtEnd() { work_(); }

 private:
  Work work_;
};

/// Names the first field in which two filters differ.
Result<void> check_mergeable(const KindRow& row, const Shape& ours, const Shape& theirs) {
  const auto differs = [](std::string_view field, auto wanted, auto got, std::string_view hint = {}) {
    return error(ErrorCode::kIncompatible, field, " must equal the first filter's ", wanted, ", got ", got, hint);
  };
  if (ours.kind != theirs.kind) return differs("kind", row.info.name, kind_name(theirs.kind));
  if (ours.hash_id != theirs.hash_id) {
    return differs("hash id", static_cast<unsigned>(ours.hash_id), static_cast<unsigned>(theirs.hash_id));
  }
  if (ours.seed != theirs.seed) return differs("seed", ours.seed, theirs.seed);
  constexpr std::string_view kHint = "; create both with the same capacity and rate";
  if (ours.probes != theirs.probes) return differs("k", unsigned{ours.probes}, unsigned{theirs.probes}, kHint);
  if (ours.param != theirs.param) return differs("kind parameter", ours.param, theirs.param, kHint);
  if (ours.units != theirs.units) return differs(row.unit_name, ours.units, theirs.units, kHint);
  return {};
}

/// Puts into the error of a full filter what its kind does not know: the keys that it was made for, and those it has.
Result<void> with_keys(Result<void> result, const Facts& facts, std::uint64_t keys) {
  if (result || result.error().code != ErrorCode::kFull) return result;
  return error(ErrorCode::kFull, result.error().message, " (it was made for ", facts.capacity, " keys and has ", keys,
               ")");
}

}  // namespace

Result<FilterRef> FilterRef::open(const Shape& shape, const Facts& facts, std::span<const std::byte> payload) {
  const KindRow* row = find_kind(shape.kind);
  if (row == nullptr) return error(ErrorCode::kCorrupt, "kind must be known, got ", static_cast<unsigned>(shape.kind));
  if (auto valid = check_hash_id(row->info, shape); !valid) return valid.error();
  if (auto valid = check_facts(facts); !valid) return valid.error();
  const Result<std::uint64_t> expected = row->payload_bytes(shape);
  if (!expected) return expected.error();
  if (payload.size() != *expected) {
    return error(ErrorCode::kCorrupt, "raw payload bytes must be ", *expected, ", got ", payload.size());
  }
  const View view{shape, payload.data(), payload.size()};
  if (auto valid = row->validate(view); !valid) return valid.error();
  return FilterRef(*row, view, facts);
}

FilterRef::FilterRef(const KindRow& row, const View& view, const Facts& facts) noexcept
    : view_(view), facts_(facts), row_(&row) {
  if (row.prepare != nullptr) row.prepare(view_);
  const Probe probe = row.probe(view.shape);
  contains_ = probe.contains;
  contains_key_ = probe.contains_key;
  contains_batch_ = probe.contains_batch;
  contains_keys_ = probe.contains_keys;
  contains_range_ = probe.contains_range;
}

void FilterRef::may_contain_hashes(std::span<const std::uint64_t> hashes, std::span<bool> hits) const noexcept {
  assert(hits.size() >= hashes.size());
  contains_batch_(view_, hashes.data(), hashes.size(), hits.data());
}

void FilterRef::may_contain_keys(std::span<const std::string_view> keys, std::span<bool> hits) const noexcept {
  assert(hits.size() >= keys.size());
  contains_keys_(view_, keys.data(), keys.size(), hits.data());
}

Result<std::uint64_t> FilterRef::count_hash(std::uint64_t key_hash) const {
  if (row_->count == nullptr) return unsupported(row_->info, "count", &Capabilities::count);
  return row_->count(view_, key_hash);
}

const KindInfo& FilterRef::kind() const noexcept { return row_->info; }
Stats FilterRef::stats() const noexcept { return row_->stats(view_); }

std::vector<LayerInfo> FilterRef::layers() const {
  if (row_->layers != nullptr) return row_->layers(view_);
  return {{facts_.capacity, facts_.keys, shape().probes, facts_.fp_rate, stats()}};
}

double FilterRef::predicted_fp_rate(double keys) const noexcept { return row_->predicted_fp_rate(view_, keys); }

Result<AnyFilter> AnyFilter::create(const FilterSpec& spec, std::uint64_t max_bytes) {
  const Result<FilterPlan> plan = plan_filter(spec, max_bytes);
  if (!plan) return plan.error();
  return allocate(*plan, spec);
}

AnyFilter AnyFilter::allocate(const FilterPlan& plan, const FilterSpec& spec, CacheAlignedAllocator<std::byte> memory) {
  AlignedBytes payload(static_cast<std::size_t>(plan.payload_bytes), memory);
  AnyFilter filter(*plan.row, plan.shape, plan.facts, std::move(payload), plan.max_bytes);
  const Store store{filter.ref_.view_.shape, filter.payload_};
  if (plan.row->start != nullptr) plan.row->start(store, spec);
  if (spec.bits_per_key && plan.row->start != nullptr) {  // its promise is read from the payload, which exists only now
    filter.ref_.facts_.fp_rate = promise_by_size(*plan.row, store.view(), spec.capacity);
  }
  return filter;
}

Result<AnyFilter> AnyFilter::build(const FilterSpec& spec, std::span<const std::uint64_t> hashes,
                                   const BuildOptions& options) {
  BuildTask task(options);
  const Result<FilterPlan> plan = plan_filter(spec, options.max_bytes);
  if (!plan) return plan.error();
  return build(*plan, spec, hashes, task);
}

Result<AnyFilter> AnyFilter::build(const FilterSpec& spec, std::vector<std::uint64_t>&& hashes,
                                   const BuildOptions& options) {
  BuildTask task(options);
  const Result<FilterPlan> plan = plan_filter(spec, options.max_bytes);
  if (!plan) return plan.error();
  std::size_t distinct = hashes.size();
  if (plan->row->build != nullptr) {
    const Result<std::size_t> sorted = sort_distinct(hashes, task);
    if (!sorted) return sorted.error();
    distinct = *sorted;
  }
  Result<AnyFilter> filter = build(*plan, spec, std::span(hashes).first(distinct), task);
  if (filter) filter->count_added(hashes.size() - distinct);
  return filter;
}

Result<AnyFilter> AnyFilter::build(const FilterPlan& plan, const FilterSpec& spec,
                                   std::span<const std::uint64_t> hashes, BuildTask& task) {
  if (plan.row->build == nullptr) {
    AnyFilter filter = allocate(plan, spec, task.payload_memory());
    if (auto added = filter.add_watched(hashes, task); !added) return added.error();
    if (auto wanted = task.advance(1); !wanted) return wanted.error();
    return filter;
  }
  Result<std::unique_ptr<HashSource>> source = source_of(hashes, task);
  if (!source) return source.error();
  const std::uint64_t repeated = hashes.size() - (*source)->size();
  Result<AnyFilter> filter = build_once(plan, *std::move(source), task);
  if (filter) filter->count_added(repeated);
  return filter;
}

Result<AnyFilter> AnyFilter::build_once(const FilterPlan& plan, std::unique_ptr<HashSource> hashes, BuildTask& task) {
  Shape shape = plan.shape;
  const std::uint64_t keys = hashes->size();
  Result<AlignedBytes> payload = plan.row->build(shape, std::move(hashes), plan.max_bytes, task);
  if (!payload) return payload.error();
  // The payload can be larger than planned: there may be more keys than the capacity, or their hashes may need more
  // room.
  if (payload->size() > plan.max_bytes) return keys_too_large(plan.max_bytes, keys, payload->size());
  if (auto wanted = task.advance(1); !wanted) return wanted.error();
  AnyFilter filter(*plan.row, shape, plan.facts, *std::move(payload), plan.max_bytes);
  filter.count_added(keys);
  return filter;
}

Result<void> AnyFilter::add_watched(std::span<const std::uint64_t> hashes, BuildTask& task) {
  const KindRow& row = *ref_.row_;
  const std::size_t all = hashes.size();
  // Without a progress callback all keys are added in one call. With one they are added in parts, as large as their
  // number allows, because a kind may have a faster way to add many keys.
  const std::size_t at_once = !task.watched() ? all : all < kManyAtOnce ? kFewAtOnce : kManyAtOnce;
  for (std::uint64_t added = 0; added < all;) {
    const auto part = hashes.subspan(added, std::min<std::size_t>(at_once, all - added));
    auto result = row.add_many != nullptr ? row.add_many({ref_.view_.shape, payload_}, part, added, task)
                  : row.add != nullptr    ? row.add({ref_.view_.shape, payload_}, part, added)
                                          : grow_by(part, added);
    if (!result) return with_keys(std::move(result), ref_.facts_, added);
    if (added == all) break;  // the end of the task reports this
    if (auto wanted = task.advance(static_cast<double>(added) / static_cast<double>(all)); !wanted) return wanted;
  }
  count_added(all);
  return {};
}

AnyFilter::AnyFilter(const AnyFilter& other)
    : ref_(other.ref_), payload_(other.payload_), max_bytes_(other.max_bytes_) {
  borrow_payload();
}

AnyFilter AnyFilter::copy_of(const FilterRef& filter, std::uint64_t max_bytes) {
  const auto payload = filter.payload();
  return {*filter.row_, filter.shape(), filter.facts(), AlignedBytes(payload.begin(), payload.end()), max_bytes};
}

Result<AnyFilter> AnyFilter::adopt(const Shape& shape, const Facts& facts, AlignedBytes payload,
                                   std::uint64_t max_bytes) {
  const Result<FilterRef> ref = FilterRef::open(shape, facts, payload);
  if (!ref) return ref.error();
  return AnyFilter(*ref->row_, shape, facts, std::move(payload), max_bytes);
}

Result<void> AnyFilter::add(std::string_view key) {
  const std::uint64_t hash = ref_.hash(key);
  return add_hashes({&hash, 1});
}

Result<void> AnyFilter::add_hashes(std::span<const std::uint64_t> hashes) {
  const KindRow& row = *ref_.row_;
  std::uint64_t added = 0;
  auto result = [&] {
    const AtEnd count([&] { count_added(added); });
    return row.add != nullptr ? row.add({ref_.view_.shape, payload_}, hashes, added) : grow_by(hashes, added);
  }();
  return with_keys(std::move(result), ref_.facts_, ref_.facts_.keys);
}

Result<void> AnyFilter::add_hash_times(std::uint64_t key_hash, std::uint64_t times) {
  const KindRow& row = *ref_.row_;
  if (row.add_times == nullptr) return unsupported(row.info, "count", &Capabilities::count);
  std::uint64_t added = 0;
  auto result = [&] {
    const AtEnd count([&] { count_added(added); });
    return row.add_times({ref_.view_.shape, payload_}, key_hash, times, added);
  }();
  return with_keys(std::move(result), ref_.facts_, ref_.facts_.keys);
}

Result<void> AnyFilter::grow_by(std::span<const std::uint64_t> hashes, std::uint64_t& added) {
  const KindRow& row = *ref_.row_;
  if (row.add_and_grow == nullptr) return unsupported(row.info, "add", &Capabilities::add);
  const AtEnd borrow([this] { borrow_payload(); });
  return row.add_and_grow({ref_.view_.shape, payload_}, hashes, added, max_bytes_);
}

void AnyFilter::count_added(std::uint64_t keys) noexcept { ref_.facts_.keys = saturating_add(ref_.facts_.keys, keys); }

Result<void> AnyFilter::remove_hash(std::uint64_t key_hash) {
  const KindRow& row = *ref_.row_;
  if (row.remove == nullptr) return unsupported(row.info, "remove", &Capabilities::remove);
  if (auto removed = row.remove({ref_.view_.shape, payload_}, key_hash); !removed) return removed;
  // A saturated number of keys means "at least that many", so it stays, like a saturated counter.
  if (ref_.facts_.keys != 0 && ref_.facts_.keys != std::numeric_limits<std::uint64_t>::max()) --ref_.facts_.keys;
  return {};
}

Result<void> AnyFilter::unite(const FilterRef& other) {
  const KindRow& row = *ref_.row_;
  if (row.unite == nullptr) return unsupported(row.info, "unite", &Capabilities::unite);
  if (auto mergeable = check_mergeable(row, ref_.shape(), other.shape()); !mergeable) return mergeable;
  row.unite({ref_.view_.shape, payload_}, other.view_);
  count_added(other.facts().keys);
  ref_.facts_.pinned_raw = ref_.facts_.pinned_raw || other.facts().pinned_raw;
  return {};
}

Result<void> AnyFilter::intersect(const FilterRef& other) {
  const KindRow& row = *ref_.row_;
  if (row.intersect == nullptr) return unsupported(row.info, "intersect", &Capabilities::intersect);
  if (auto mergeable = check_mergeable(row, ref_.shape(), other.shape()); !mergeable) return mergeable;
  row.intersect({ref_.view_.shape, payload_}, other.view_);
  ref_.facts_.keys = std::min(ref_.facts_.keys, other.facts().keys);
  ref_.facts_.pinned_raw = ref_.facts_.pinned_raw || other.facts().pinned_raw;
  return {};
}

Result<void> AnyFilter::clear() {
  const KindRow& row = *ref_.row_;
  if (!row.info.can.add) return unsupported(row.info, "clear", &Capabilities::add);
  if (row.clear != nullptr) {
    row.clear({ref_.view_.shape, payload_});
    borrow_payload();
  } else {
    std::fill(payload_.begin(), payload_.end(), std::byte{0});
  }
  ref_.facts_.keys = 0;
  return {};
}

}  // namespace crivo
