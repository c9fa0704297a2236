#include "handle.h"

namespace crivo::c {

Result<InMemory> in_memory(const crivo_filter* filter, const char* name) {
  if (auto given = check_given(name, filter); !given) return given.error();
  if (filter->ref != nullptr) return InMemory(*filter->ref);
  return with_whole(filter, [](const FilterRef& ref) -> Result<InMemory> { return InMemory(AnyFilter::copy_of(ref)); });
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
