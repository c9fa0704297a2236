#include "crivo/host/planned_sizes.h"

#include <new>
#include <unordered_map>

#include "filter/filter_plan.h"

namespace crivo {
namespace {

constexpr std::size_t kMaxPlans = 4096;  // each less than 256 bytes, including the map's node

}  // namespace

struct PlannedSizes::Plans {
  FilterSpec spec;  // common to all plans, with capacity 0
  std::unordered_map<std::uint64_t, FilterPlan> by_capacity;
};

PlannedSizes::PlannedSizes() : plans_(std::make_unique<Plans>()) {}
PlannedSizes::~PlannedSizes() = default;

Result<FilterPlan> PlannedSizes::plan(const FilterSpec& spec, std::uint64_t max_bytes) {
  FilterSpec common = spec;
  common.capacity = 0;
  if (common != plans_->spec || plans_->by_capacity.size() >= kMaxPlans) {
    plans_->by_capacity.clear();
    plans_->spec = common;
  }
  const auto found = plans_->by_capacity.find(spec.capacity);
  // For a plan above the limit, plan_filter is called again to return the error.
  if (found != plans_->by_capacity.end() && found->second.payload_bytes <= max_bytes) {
    FilterPlan plan = found->second;
    plan.max_bytes = max_bytes;  // the limit of this caller, for growth
    return plan;
  }
  Result<FilterPlan> made = plan_filter(spec, max_bytes);
  if (!made) return made;
  try {
    plans_->by_capacity.emplace(spec.capacity, *made);
  } catch (const std::bad_alloc&) {  // the plan is not cached
  }
  return made;
}

}  // namespace crivo
