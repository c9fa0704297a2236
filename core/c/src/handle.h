// What a crivo_filter is: a filter that owns its bytes, or one that is read-only, in a caller's blob or in a file.
#pragma once

#include <memory>
#include <utility>
#include <variant>

#include "arguments.h"
#include "crivo.h"
#include "crivo/blob.h"
#include "crivo/filter.h"
#include "crivo/mapped_filter.h"

struct crivo_filter {
  explicit crivo_filter(crivo::AnyFilter filter)
      : held(std::in_place_type<crivo::AnyFilter>, std::move(filter)), ref(&std::get<crivo::AnyFilter>(held).ref()) {}
  explicit crivo_filter(crivo::OpenedBlob blob)
      : held(std::in_place_type<crivo::OpenedBlob>, std::move(blob)), ref(&std::get<crivo::OpenedBlob>(held).ref()) {}
  explicit crivo_filter(crivo::MappedFilter file) : held(std::in_place_type<crivo::MappedFilter>, std::move(file)) {}
  crivo_filter(const crivo_filter&) = delete;
  crivo_filter& operator=(const crivo_filter&) = delete;

  /// Only if `ref` is null.
  [[nodiscard]] const crivo::MappedFilter& file() const noexcept { return *std::get_if<crivo::MappedFilter>(&held); }
  [[nodiscard]] std::uint64_t seed() const noexcept { return (ref != nullptr ? ref->shape() : file().shape()).seed; }

  std::variant<crivo::AnyFilter, crivo::OpenedBlob, crivo::MappedFilter> held;
  const crivo::FilterRef* ref = nullptr;  // into `held`, which stays where it is; null for a file
};

namespace crivo::c {

/// The filter for all but questions: of a file everything is verified first. Errors: kBadArgument for NULL; kCorrupt.
[[nodiscard]] Result<FilterRef> to_read(const crivo_filter* filter, const char* name = "filter");

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
