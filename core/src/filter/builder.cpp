#include "crivo/builder.h"

#include <algorithm>

#include "crivo/sizing.h"
#include "filter/filter_plan.h"

namespace crivo {
namespace {

constexpr std::size_t kFirstSweep = std::size_t{1} << 16;

bool needs_every_addition(const Capabilities& can) noexcept { return can.remove || can.count; }

}  // namespace

Result<FilterBuilder> FilterBuilder::create(const FilterSpec& spec, const BuildOptions& options) {
  FilterBuilder builder(spec, options);
  FilterSpec checked = spec;
  if (spec.capacity == 0) checked.capacity = 1;  // every other field is checked now, not at the end
  const Result<FilterPlan> plan = plan_filter(checked, options.max_bytes);
  if (!plan) return plan.error();
  builder.can_ = plan->row->info.can;
  if (spec.capacity != 0 && builder.can_.add) builder.filter_ = AnyFilter::allocate(*plan, spec);
  return builder;
}

Result<void> FilterBuilder::add_hash(std::uint64_t key_hash) {
  if (filter_) {
    if (auto added = filter_->add_hashes({&key_hash, 1}); !added) return added;
  } else {
    // Sorting when the vector is about to grow bounds it by about twice the number of distinct keys.
    if (hashes_.size() == hashes_.capacity() && !needs_every_addition(can_)) drop_repeated_hashes();
    hashes_.push_back(key_hash);
  }
  ++keys_;
  return {};
}

void FilterBuilder::drop_repeated_hashes() {
  hashes_.resize(sort_distinct(hashes_).size());
  if (hashes_.capacity() < kFirstSweep || hashes_.size() > hashes_.capacity() / 2) {
    hashes_.reserve(std::max(kFirstSweep, hashes_.capacity() * 2));
  }
}

std::uint64_t FilterBuilder::keys_to_size_for() const {
  if (!can_.count) return hashes_.size();
  std::vector<std::uint64_t> distinct = hashes_;  // the additions stay in order
  std::sort(distinct.begin(), distinct.end());
  return static_cast<std::uint64_t>(std::unique(distinct.begin(), distinct.end()) - distinct.begin());
}

Result<AnyFilter> FilterBuilder::finish() {
  if (filter_) return *std::move(filter_);
  if (!needs_every_addition(can_)) drop_repeated_hashes();
  FilterSpec spec = spec_;
  if (spec.capacity == 0) spec.capacity = std::max<std::uint64_t>(1, keys_to_size_for());
  BuildOptions options = options_;
  if (options.progress != nullptr) {  // which another try would start again
    options.progress = [this, most = 0.0](double done) mutable {
      return options_.progress(most = std::max(most, done));
    };
  }
  Result<AnyFilter> built = AnyFilter::build(spec, hashes_, options);
  // Copies of a cuckoo key compete for its two buckets, so with many of them a table is full long before its load says
  // so. More room spreads the others; a key with more copies than two buckets hold stays an error.
  while (!built && built.error().code == ErrorCode::kFull && spec_.capacity == 0 &&
         spec.capacity < 8 * hashes_.size()) {
    spec.capacity *= 2;
    built = AnyFilter::build(spec, hashes_, options);
  }
  if (built) built->count_added(keys_ - hashes_.size());
  return built;
}

}  // namespace crivo
