#include "handle.h"

namespace crivo::c {

Result<AnyFilter> copy_of(const crivo_filter* filter, const char* name) {
  return read_whole(filter, name, [&](const FilterRef& ref) -> Result<AnyFilter> {
    if (const auto* owned = std::get_if<AnyFilter>(&filter->held)) return *owned;
    if (const auto* blob = std::get_if<OpenedBlob>(&filter->held)) return blob->to_filter();
    return AnyFilter::copy_of(ref);
  });
}

AnyFilter& to_change(crivo_filter* filter) {
  check_given("filter", filter);
  if (auto* owned = std::get_if<AnyFilter>(&filter->held)) return *owned;
  const bool is_sharded = filter->ref == nullptr && std::holds_alternative<ShardedFilter>(filter->file());
  throw Refused(Error{ErrorCode::kUnsupported, std::string("filter must be modifiable, got a ") +
                                                   (is_sharded ? "sharded filter; replace its shards"
                                                               : "read-only filter; change a copy of it")});
}

}  // namespace crivo::c

void crivo_free(crivo_filter* filter) {
  if (crivo::c::is_given(filter)) delete filter;
}
