#include "crivo/empty_filters.h"

#include <new>

namespace crivo {
namespace {

constexpr std::uint64_t kMaxKeptBytes = std::uint64_t{1} << 20;
constexpr std::uint64_t kMaxFilterBytes = std::uint64_t{1} << 16;  // for a larger one, sizing is little of the work
constexpr std::uint64_t kEntryBytes = 256;                         // about what an entry takes beside the payload

}  // namespace

Result<AnyFilter> EmptyFilters::create(const FilterSpec& spec, std::uint64_t max_bytes) {
  FilterSpec common = spec;
  common.capacity = 0;
  if (common != spec_) {
    by_capacity_.clear();
    kept_bytes_ = 0;
    spec_ = common;
  }
  const auto kept = by_capacity_.find(spec.capacity);
  // A filter over the limit is left to AnyFilter::create, which says so.
  if (kept != by_capacity_.end() && kept->second.payload().size() <= max_bytes) {
    return AnyFilter::copy_of(kept->second.ref());
  }
  Result<AnyFilter> made = AnyFilter::create(spec, max_bytes);
  if (made) keep(*made);
  return made;
}

void EmptyFilters::keep(const AnyFilter& filter) {
  const std::uint64_t bytes = filter.payload().size() + kEntryBytes;
  if (bytes > kMaxFilterBytes) return;
  if (kept_bytes_ + bytes > kMaxKeptBytes) {
    by_capacity_.clear();
    kept_bytes_ = 0;
  }
  try {
    by_capacity_.emplace(filter.facts().capacity, AnyFilter::copy_of(filter.ref()));
    kept_bytes_ += bytes;
  } catch (const std::bad_alloc&) {  // then it is made anew the next time
  }
}

}  // namespace crivo
