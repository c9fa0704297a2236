#include "report/filter_record.h"

#include <new>
#include <utility>

#include "crivo/host/sizing.h"

namespace crivo::plugin {
namespace {

thread_local std::weak_ptr<const FilterRecord> offered;

}  // namespace

void KindTotals::add(const BuiltBlock& block) noexcept {
  ++filters_;
  keys_ += block.keys;
  bytes_ += block.bytes;
  if (block.shape.kind == Kind::kRibbon) {
    summed_rate_ += block.predicted_fp_rate * static_cast<double>(block.keys);
    return;
  }
  if (block.shape.k != pooled_probes_) {
    summed_rate_ += pooled_rate();
    pooled_keys_ = 0;
    pooled_units_ = 0;
    pooled_probes_ = block.shape.k;
  }
  pooled_keys_ += block.keys;
  pooled_units_ += block.shape.units;
}

double KindTotals::pooled_rate() const noexcept {
  if (pooled_keys_ == 0) return 0;
  const auto keys = static_cast<double>(pooled_keys_);
  return keys * blocked_fp_rate(static_cast<double>(pooled_units_), keys, pooled_probes_);
}

double WrittenFilters::predicted_fp_rate() const noexcept {
  if (keys() == 0) return always_maybe != 0 ? 1 : 0;
  return (blocked.summed_rate() + ribbon.summed_rate() + static_cast<double>(always_maybe_keys)) /
         static_cast<double>(keys());
}

void FilterRecord::add(const BuiltBlock& block) noexcept {
  const std::lock_guard lock(mutex_);
  (block.shape.kind == Kind::kRibbon ? filters_.ribbon : filters_.blocked).add(block);
}

void FilterRecord::add_always_maybe(std::uint64_t keys, std::uint64_t bytes) noexcept {
  const std::lock_guard lock(mutex_);
  ++filters_.always_maybe;
  filters_.always_maybe_keys += keys;
  filters_.always_maybe_bytes += bytes;
}

WrittenFilters FilterRecord::read() const noexcept {
  const std::lock_guard lock(mutex_);
  return filters_;
}

std::shared_ptr<FilterRecord> publish_record(std::string_view stamp, std::string_view key_transform,
                                             std::uint64_t max_total_bytes) noexcept try {
  auto record = std::make_shared<FilterRecord>(std::string(stamp), std::string(key_transform), max_total_bytes);
  offered = record;
  return record;
} catch (const std::bad_alloc&) {
  offered.reset();
  return nullptr;
}

std::shared_ptr<const FilterRecord> claim_record() noexcept {
  auto record = std::exchange(offered, {}).lock();
  if (record != nullptr && record->read().blocks() != 0) return nullptr;
  return record;
}

}  // namespace crivo::plugin
