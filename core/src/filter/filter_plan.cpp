#include "filter/filter_plan.h"

#include <algorithm>
#include <limits>

#include "base/error_text.h"
#include "filter/registry.h"
#include "kinds/plan.h"

namespace crivo {

Result<FilterPlan> plan_filter(const FilterSpec& spec, std::uint64_t max_bytes) {
  const KindRow* row = find_kind(spec.kind);
  if (row == nullptr) {
    return error(ErrorCode::kBadArgument, "kind must be known, got ", static_cast<unsigned>(spec.kind));
  }
  if (spec.option != 0 && row->parse_option == nullptr) {
    return error(ErrorCode::kBadArgument, "option of kind ", row->info.name, " must be 0, got ", spec.option);
  }
  const Result<Shape> shape = row->plan(spec);
  if (!shape) return shape.error();
  const Result<std::uint64_t> bytes = row->payload_bytes(*shape);
  if (!bytes || *bytes > max_bytes) {
    return keys_too_large(max_bytes, spec.capacity, bytes ? *bytes : std::numeric_limits<std::uint64_t>::max());
  }
  Facts facts{.capacity = spec.capacity, .fp_rate = spec.fp_rate};
  // A filter that is sized by bits promises the rate that the model gives for its size. A kind that reads its promise
  // from the payload states it once there is one (AnyFilter::allocate).
  if (spec.bits_per_key && row->promised_fp_rate == nullptr) {
    facts.fp_rate = as_promise(row->predicted_fp_rate(View{*shape}, static_cast<double>(spec.capacity)));
  }
  return FilterPlan{row, *shape, facts, *bytes, max_bytes};
}

double as_promise(double fp_rate) noexcept { return std::clamp(fp_rate, std::numeric_limits<double>::min(), 1.0); }

}  // namespace crivo
