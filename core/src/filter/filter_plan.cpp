#include "filter/filter_plan.h"

#include <algorithm>
#include <limits>

#include "base/error_text.h"
#include "kinds/checks.h"
#include "kinds/collisions.h"
#include "kinds/registry.h"

namespace crivo {

Result<FilterPlan> plan_filter(const FilterSpec& requested, std::uint64_t max_bytes) {
  const KindRow* row = find_kind(requested.kind);
  if (row == nullptr) return bad_argument("kind must be known, got ", static_cast<unsigned>(requested.kind));
  FilterSpec spec = requested;
  if (spec.capacity == 0) spec.capacity = row->info.default_capacity;
  const Result<Shape> shape = row->plan(spec);
  if (!shape) return shape.error();
  max_bytes = std::min<std::uint64_t>(max_bytes, std::numeric_limits<std::size_t>::max());
  const Result<std::uint64_t> bytes = row->payload_bytes(*shape);
  if (!bytes.has_value()) {  // more units than a shape may have
    return error(ErrorCode::kTooLarge, "capacity must fit the kind ", row->info.name, ", got ", spec.capacity, ": its ",
                 bytes.error().message);
  }
  if (*bytes > max_bytes) return keys_too_large(max_bytes, spec.capacity, *bytes);
  Facts facts{.capacity = spec.capacity, .fp_rate = spec.fp_rate};
  if (spec.bits_per_key && row->start == nullptr) facts.fp_rate = sized_rate(*row, View{*shape}, spec.capacity);
  return FilterPlan{row, *shape, facts, *bytes, max_bytes};
}

double sized_rate(const KindRow& row, const View& view, std::uint64_t capacity) noexcept {
  const auto keys = static_cast<double>(capacity);
  const double rate = row.promised_fp_rate != nullptr ? with_collisions(row.promised_fp_rate(view), keys)
                                                      : row.predicted_fp_rate(view, keys);
  return std::clamp(rate, std::numeric_limits<double>::min(), 1.0);
}

}  // namespace crivo
