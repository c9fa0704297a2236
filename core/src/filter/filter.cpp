// Most functions check their arguments, and call a function of the kind's row (kinds/kind.h).
#include "crivo/filter.h"

#include <algorithm>
#include <cassert>
#include <limits>

#include "base/bit_array.h"
#include "base/error_text.h"
#include "crivo/host/scope_exit.h"
#include "crivo/host/window.h"
#include "filter/facts.h"
#include "kinds/registry.h"

namespace crivo {
namespace {

/// The error names the first field in which two filters differ.
Result<void> check_same_shape(const KindRow& row, const Shape& ours, const Shape& theirs) {
  const auto differs = [](std::string_view field, auto wanted, auto got, std::string_view hint = {}) {
    return error(ErrorCode::kIncompatible, field, " must equal the first filter's ", wanted, ", got ", got, hint);
  };
  if (ours.kind != theirs.kind) return differs("kind", row.info.name, kind_name(theirs.kind));
  if (ours.hash_id != theirs.hash_id) {
    return differs("hash id", static_cast<unsigned>(ours.hash_id), static_cast<unsigned>(theirs.hash_id));
  }
  if (ours.seed != theirs.seed) return differs("seed", ours.seed, theirs.seed);
  constexpr std::string_view kHint = "; create both with the same capacity and rate";
  if (ours.k != theirs.k) return differs("k", unsigned{ours.k}, unsigned{theirs.k}, kHint);
  if (ours.param != theirs.param) return differs("kind parameter", ours.param, theirs.param, kHint);
  if (ours.units != theirs.units) return differs(row.unit_name, ours.units, theirs.units, kHint);
  return {};
}

}  // namespace

Result<FilterRef> FilterRef::open(const Shape& shape, const Facts& facts, std::span<const std::byte> payload) {
  const KindRow* row = find_kind(shape.kind);
  if (row == nullptr) return corrupt("kind must be known, got ", static_cast<unsigned>(shape.kind));
  if (auto valid = check_hash_id(row->info, shape); !valid) return valid.error();
  if (auto valid = check_facts(facts); !valid) return valid.error();
  const Result<std::uint64_t> expected = row->payload_bytes(shape);
  if (!expected.has_value()) return expected.error();
  if (payload.size() != *expected) return corrupt("raw payload bytes must be ", *expected, ", got ", payload.size());
  const View view{shape, payload.data(), payload.size()};
  if (auto valid = row->validate(view); !valid) return valid.error();
  return FilterRef(*row, view, facts);
}

FilterRef::FilterRef(const KindRow& row, const View& view, const Facts& facts) noexcept
    : view_(view), facts_(facts), row_(&row), probe_(row.probe(view.shape)) {
  if (row.prepare != nullptr) row.prepare(view_);
}

void FilterRef::may_contain_hashes(std::span<const std::uint64_t> hashes, std::span<bool> hits) const noexcept {
  assert(hits.size() >= hashes.size());
  probe_.contains_batch(view_, hashes.data(), hashes.size(), hits.data());
}

void FilterRef::may_contain_keys(std::span<const std::string_view> keys, std::span<bool> hits) const noexcept {
  assert(hits.size() >= keys.size());
  probe_.contains_keys(view_, keys.data(), keys.size(), hits.data());
}

Result<std::uint64_t> FilterRef::count_hash(std::uint64_t key_hash) const {
  if (row_->count == nullptr) return unsupported(row_->info, "count", &Capabilities::count);
  return row_->count(view_, key_hash);
}

const KindInfo& FilterRef::kind() const noexcept { return row_->info; }
Stats FilterRef::stats() const noexcept { return row_->stats(view_); }

std::vector<LayerInfo> FilterRef::layers() const {
  if (row_->layers != nullptr) return row_->layers(view_);
  return {{facts_.capacity, facts_.keys, shape().k, facts_.fp_rate, stats()}};
}

double FilterRef::predicted_fp_rate(double keys) const noexcept { return row_->predicted_fp_rate(view_, keys); }

AnyFilter::AnyFilter(const AnyFilter& other)
    : ref_(other.ref_), payload_(copy_payload(other.payload_)), max_bytes_(other.max_bytes_) {
  borrow_payload();
}

AnyFilter AnyFilter::copy_of(const FilterRef& filter, std::uint64_t max_bytes) {
  return {*filter.row_, filter.shape(), filter.facts(), copy_payload(filter.payload()), max_bytes};
}

Result<AnyFilter> AnyFilter::adopt(const Shape& shape, const Facts& facts, AlignedBytes payload,
                                   std::uint64_t max_bytes) {
  const Result<FilterRef> ref = FilterRef::open(shape, facts, payload);
  if (!ref) return ref.error();
  if (auto valid = check_whole(ref->view_); !valid) return valid.error();
  return AnyFilter(*ref->row_, shape, facts, std::move(payload), max_bytes);
}

// Keys that were added before memory ran out are in the filter, so they are counted.
Result<void> AnyFilter::add_hashes(std::span<const std::uint64_t> hashes) {
  const KindRow& row = *ref_.row_;
  std::uint64_t added = 0;
  auto result = [&] {
    const ScopeExit count([&] { count_added(added); });
    return row.add != nullptr ? row.add({ref_.view_.shape, payload_}, hashes, added) : grow_by(hashes, added);
  }();
  return with_keys(std::move(result), ref_.facts_, ref_.facts_.keys);
}

Result<void> AnyFilter::add_hash_times(std::uint64_t key_hash, std::uint64_t times) {
  const KindRow& row = *ref_.row_;
  if (row.add_times == nullptr) return unsupported(row.info, "count", &Capabilities::count);
  std::uint64_t added = 0;
  auto result = [&] {
    const ScopeExit count([&] { count_added(added); });
    const ScopeExit borrow([this] { borrow_payload(); });
    return row.add_times({ref_.view_.shape, payload_}, key_hash, times, added, max_bytes_);
  }();
  return with_keys(std::move(result), ref_.facts_, ref_.facts_.keys);
}

Result<void> AnyFilter::grow_by(std::span<const std::uint64_t> hashes, std::uint64_t& added) {
  const KindRow& row = *ref_.row_;
  if (row.add_and_grow == nullptr) return unsupported(row.info, "add", &Capabilities::add);
  const ScopeExit borrow([this] { borrow_payload(); });
  return row.add_and_grow({ref_.view_.shape, payload_}, hashes, added, max_bytes_);
}

void AnyFilter::borrow_payload() noexcept {
  ref_.view_.payload = payload_.data();
  ref_.view_.payload_bytes = payload_.size();
  if (ref_.row_->prepare != nullptr) ref_.row_->prepare(ref_.view_);
}

void AnyFilter::count_added(std::uint64_t keys) noexcept { ref_.facts_.keys = saturating_add(ref_.facts_.keys, keys); }

Result<void> AnyFilter::remove_hash(std::uint64_t key_hash) {
  const KindRow& row = *ref_.row_;
  if (row.remove == nullptr) return unsupported(row.info, "remove", &Capabilities::remove);
  if (auto removed = row.remove({ref_.view_.shape, payload_}, key_hash); !removed) return removed;
  // A saturated number of keys means "at least that many", so the number stays, like a saturated counter.
  if (ref_.facts_.keys != 0 && ref_.facts_.keys != std::numeric_limits<std::uint64_t>::max()) --ref_.facts_.keys;
  return {};
}

Result<void> AnyFilter::unite(const FilterRef& other) {
  const KindRow& row = *ref_.row_;
  if (row.unite == nullptr) return unsupported(row.info, "unite", &Capabilities::unite);
  if (auto same = check_same_shape(row, ref_.shape(), other.shape()); !same) return same;
  row.unite({ref_.view_.shape, payload_}, other.view_);
  count_added(other.facts().keys);
  ref_.facts_.pinned_raw = ref_.facts_.pinned_raw || other.facts().pinned_raw;
  return {};
}

Result<void> AnyFilter::intersect(const FilterRef& other) {
  const KindRow& row = *ref_.row_;
  if (row.intersect == nullptr) return unsupported(row.info, "intersect", &Capabilities::intersect);
  if (auto same = check_same_shape(row, ref_.shape(), other.shape()); !same) return same;
  row.intersect({ref_.view_.shape, payload_}, other.view_);
  ref_.facts_.keys = std::min(ref_.facts_.keys, other.facts().keys);
  ref_.facts_.pinned_raw = ref_.facts_.pinned_raw || other.facts().pinned_raw;
  return {};
}

Result<void> AnyFilter::advance(std::int64_t time) {
  const KindRow& row = *ref_.row_;
  if (row.advance == nullptr) return unsupported(row.info, "advance", &Capabilities::advance);
  if (time < 0 || time > kLastTime) {
    return bad_argument("time must be milliseconds since 1970, from 0 to ", kLastTime, " (the end of 9999), got ",
                        time);
  }
  row.advance({ref_.view_.shape, payload_}, time);
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
