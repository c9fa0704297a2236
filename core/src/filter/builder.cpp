#include "crivo/builder.h"

#include <algorithm>
#include <new>
#include <utility>
#include <vector>

#include "base/build_task.h"
#include "filter/filter_plan.h"

namespace crivo {
namespace {

constexpr std::size_t kFirstRoom = 64;
constexpr std::size_t kFirstSweep = std::size_t{1} << 16;

bool needs_every_addition(const Capabilities& can) noexcept { return can.remove || can.count; }

}  // namespace

Result<FilterBuilder> FilterBuilder::create(const FilterSpec& spec, const BuildOptions& options, PlannedSizes* sizes) {
  FilterBuilder builder(spec, options, sizes);
  FilterSpec checked = spec;
  if (spec.capacity == 0) checked.capacity = 1;  // to check all other fields now, not at the end
  const Result<FilterPlan> plan = builder.plan(checked);
  if (!plan) return plan.error();
  builder.can_ = plan->row->info.can;
  if (spec.capacity != 0 && builder.can_.add) {
    builder.filter_ = AnyFilter::allocate(*plan, spec, CacheAlignedAllocator<std::byte>(options.payload_memory));
  }
  return builder;
}

Result<void> FilterBuilder::add_hash(std::uint64_t key_hash) {
  if (filter_) {
    if (auto added = filter_->add_hashes({&key_hash, 1}); !added) return added;
  } else {
    if (kept_ == room_) make_room();
    hashes_[kept_++] = key_hash;
  }
  ++keys_;
  return {};
}

void FilterBuilder::make_room() {
  // Repeated hashes are dropped only when the room is full. That bounds the room by about twice the number of distinct
  // keys. A few hashes are not worth the sort. (The first room is small because SQL builds one filter per group, and
  // many groups are small.)
  if (kept_ >= kFirstSweep && !needs_every_addition(can_)) drop_repeated_hashes();
  if (room_ != 0 && kept_ <= room_ / 2) return;
  const std::size_t room = std::max(kFirstRoom, room_ * 2);
  // realloc copies nothing when the piece is large: it moves the pages to another address.
  void* grown = std::realloc(hashes_.get(), room * sizeof(std::uint64_t));
  if (grown == nullptr) throw std::bad_alloc();
  (void)hashes_.release();
  hashes_.reset(static_cast<std::uint64_t*>(grown));
  room_ = room;
}

void FilterBuilder::drop_repeated_hashes() { kept_ = sort_distinct(kept()).size(); }

std::uint64_t FilterBuilder::keys_to_size_for() const {
  if (can_.remove || !can_.count) return kept_;  // where keys can be removed, each addition needs room of its own
  std::vector<std::uint64_t> distinct(kept().begin(), kept().end());  // the additions stay in order
  std::sort(distinct.begin(), distinct.end());
  return static_cast<std::uint64_t>(std::unique(distinct.begin(), distinct.end()) - distinct.begin());
}

Result<FilterPlan> FilterBuilder::plan(const FilterSpec& spec) {
  return sizes_ != nullptr ? sizes_->plan(spec, options_.max_bytes) : plan_filter(spec, options_.max_bytes);
}

Result<AnyFilter> FilterBuilder::build(const FilterSpec& spec, const BuildOptions& options) {
  BuildTask task(options);
  const Result<FilterPlan> plan = this->plan(spec);
  if (!plan) return plan.error();
  return AnyFilter::build(*plan, spec, kept(), task);
}

Result<AnyFilter> FilterBuilder::finish() {
  if (filter_) {
    BuildTask task(options_);
    if (auto wanted = task.finish(0); !wanted) return wanted.error();
    return *std::move(filter_);
  }
  if (!needs_every_addition(can_)) drop_repeated_hashes();
  FilterSpec spec = spec_;
  if (spec.capacity == 0) spec.capacity = std::max<std::uint64_t>(1, keys_to_size_for());
  BuildOptions options = options_;
  if (options.progress != nullptr) {  // so that a second try, below, does not report less than the first one did
    options.progress = [this, most = 0.0](double done) mutable {
      return options_.progress(most = std::max(most, done));
    };
  }
  Result<AnyFilter> built = build(spec, options);
  // Copies of a cuckoo key compete for its two buckets, so with many of them a table is full long before its load says
  // so. More room spreads the others; a key with more copies than two buckets hold stays an error.
  while (!built && built.error().code == ErrorCode::kFull && spec_.capacity == 0 && spec.capacity < 8 * kept_) {
    spec.capacity *= 2;
    built = build(spec, options);
  }
  if (built) built->count_added(keys_ - kept_);
  return built;
}

}  // namespace crivo
