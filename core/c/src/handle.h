// What a crivo_filter is: a filter that owns its bytes, or one that is read-only, in a caller's blob or in a file.
#pragma once

#include <memory>
#include <optional>
#include <type_traits>
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

/// Calls `Result<T> work(ref)`, for all but questions. Of a file everything is verified first, and a file that is
/// changed or cut off meanwhile is the error. So work must change nothing of the caller's that a failure leaves as it
/// is. Not to be called inside of another `work`. Errors: kBadArgument for NULL; kCorrupt; those of the work.
template <class Work>
[[nodiscard]] auto with_whole(const crivo_filter* filter, Work&& work)
    -> std::invoke_result_t<Work, const crivo::FilterRef&> {
  if (auto given = check_given("filter", filter); !given) return given.error();
  if (filter->ref != nullptr) return work(*filter->ref);
  std::optional<std::invoke_result_t<Work, const crivo::FilterRef&>> outcome;
  const auto looked = filter->file().look_at_whole([&](const FilterRef& ref) { outcome.emplace(work(ref)); });
  if (!looked) return looked.error();
  return *std::move(outcome);
}

/// A filter whose bytes lie in memory.
class InMemory {
 public:
  explicit InMemory(const FilterRef& ref) : ref_(ref) {}
  explicit InMemory(AnyFilter copy) : copy_(std::move(copy)) {}
  [[nodiscard]] const FilterRef& ref() const noexcept { return copy_ ? copy_->ref() : *ref_; }

 private:
  std::optional<FilterRef> ref_;
  std::optional<AnyFilter> copy_;
};
/// A filter to be worked on together with another one: of a file, a copy. Errors: kBadArgument for NULL; kCorrupt.
[[nodiscard]] Result<InMemory> in_memory(const crivo_filter* filter, const char* name);

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
