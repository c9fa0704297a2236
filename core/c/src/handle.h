// What a crivo_filter is: a filter that owns its bytes, or one that borrows them and is read-only.
#pragma once

#include <memory>
#include <utility>
#include <variant>

#include "arguments.h"
#include "crivo.h"
#include "crivo/blob.h"
#include "crivo/filter.h"

struct crivo_filter {
  explicit crivo_filter(crivo::AnyFilter filter)
      : held(std::in_place_type<crivo::AnyFilter>, std::move(filter)), ref(&std::get<crivo::AnyFilter>(held).ref()) {}
  explicit crivo_filter(crivo::OpenedBlob blob)
      : held(std::in_place_type<crivo::OpenedBlob>, std::move(blob)), ref(&std::get<crivo::OpenedBlob>(held).ref()) {}
  crivo_filter(const crivo_filter&) = delete;
  crivo_filter& operator=(const crivo_filter&) = delete;

  std::variant<crivo::AnyFilter, crivo::OpenedBlob> held;
  const crivo::FilterRef* ref;  // into `held`, which stays where it is
};

namespace crivo::c {

/// The filter to ask. Errors: kBadArgument for NULL.
[[nodiscard]] inline Result<const FilterRef*> to_ask(const crivo_filter* filter, const char* name = "filter") {
  if (auto given = check_given(name, filter); !given) return given.error();
  return filter->ref;
}

/// The filter to change. Errors: kBadArgument for NULL; kUnsupported for a filter that is read-only.
[[nodiscard]] Result<AnyFilter*> to_change(crivo_filter* filter);

/// Hands a new filter, or its error, to the caller.
template <class Filter>
[[nodiscard]] Result<void> hand_out(Result<Filter> made, crivo_filter** filter) {
  if (!made) return made.error();
  *filter = std::make_unique<crivo_filter>(*std::move(made)).release();
  return {};
}

}  // namespace crivo::c
