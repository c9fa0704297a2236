#include "crivo/planned_sizes.h"

#include <new>
#include <unordered_map>

#include "filter/filter_plan.h"

namespace crivo {
namespace {

constexpr std::size_t kMaxPlans = 4096;  // of less than 256 bytes each, all told

}  // namespace

struct PlannedSizes::Kept {
  FilterSpec spec;  // what all the plans have in common; its capacity is 0
  std::unordered_map<std::uint64_t, FilterPlan> by_capacity;
};

PlannedSizes::PlannedSizes() : kept_(std::make_unique<Kept>()) {}
PlannedSizes::~PlannedSizes() = default;

Result<FilterPlan> PlannedSizes::plan(const FilterSpec& spec, std::uint64_t max_bytes) {
  FilterSpec common = spec;
  common.capacity = 0;
  if (common != kept_->spec || kept_->by_capacity.size() >= kMaxPlans) {
    kept_->by_capacity.clear();
    kept_->spec = common;
  }
  const auto found = kept_->by_capacity.find(spec.capacity);
  // A plan over the limit is left to plan_filter, which says so.
  if (found != kept_->by_capacity.end() && found->second.payload_bytes <= max_bytes) {
    FilterPlan plan = found->second;
    plan.max_bytes = max_bytes;  // what a filter may grow to is this caller's to say
    return plan;
  }
  Result<FilterPlan> made = plan_filter(spec, max_bytes);
  if (!made) return made;
  try {
    kept_->by_capacity.emplace(spec.capacity, *made);
  } catch (const std::bad_alloc&) {  // then it is made anew the next time
  }
  return made;
}

}  // namespace crivo
