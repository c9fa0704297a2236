#include "filter/filter_plan.h"

#include <algorithm>
#include <limits>

#include "base/error_text.h"
#include "filter/registry.h"
#include "sizing/collisions.h"

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
    return too_large(max_bytes, spec.capacity, bytes ? *bytes : std::numeric_limits<std::uint64_t>::max());
  }
  Facts facts{.capacity = spec.capacity, .fp_rate = spec.fp_rate};
  // By bits, the promise is what the model says of that size. A kind that reads it from its payload tells it later.
  if (spec.bits_per_key && row->start == nullptr) {  // else the payload will tell
    const View view{*shape};
    const auto keys = static_cast<double>(spec.capacity);
    facts.fp_rate = as_promise(row->promised_fp_rate != nullptr ? with_collisions(row->promised_fp_rate(view), keys)
                                                                : row->predicted_fp_rate(view, keys));
  }
  return FilterPlan{row, *shape, facts, *bytes};
}

double as_promise(double fp_rate) noexcept { return std::clamp(fp_rate, std::numeric_limits<double>::min(), 1.0); }

Error too_large(std::uint64_t max_bytes, std::uint64_t keys, std::uint64_t needed) {
  return error(ErrorCode::kTooLarge, "capacity must fit in ", max_bytes, " bytes, got ", keys, " keys, which need ",
               needed);
}

}  // namespace crivo
