#include "handle.h"

#include <optional>

namespace crivo::c {

Result<AnyFilter> copy_of_file(const MappedFilter& file) {
  std::optional<AnyFilter> copy;
  if (auto looked = file.look_at_whole([&](const FilterRef& ref) { copy = AnyFilter::copy_of(ref); }); !looked) {
    return looked.error();
  }
  return *std::move(copy);
}

Result<AnyFilter*> to_change(crivo_filter* filter) {
  if (auto given = check_given("filter", filter); !given) return given.error();
  if (auto* owned = std::get_if<AnyFilter>(&filter->held)) return owned;
  return Error{ErrorCode::kUnsupported,
               "filter must own its bytes to be changed, got one that is read-only; a copy of it can be"};
}

}  // namespace crivo::c

void crivo_free(crivo_filter* filter) {
  if (crivo::c::is_given(filter)) delete filter;
}
