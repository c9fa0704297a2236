// A crivo_filter: a filter that owns its bytes, or a read-only filter in the caller's blob or in a file.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "arguments.h"
#include "boundary.h"
#include "crivo.h"
#include "crivo/blob.h"
#include "crivo/filter.h"
#include "crivo/host/unwrap.h"
#include "crivo/sharded_filter.h"

struct crivo_filter {
  explicit crivo_filter(crivo::AnyFilter filter)
      : held(std::in_place_type<crivo::AnyFilter>, std::move(filter)), ref(&std::get<crivo::AnyFilter>(held).ref()) {}
  explicit crivo_filter(crivo::OpenedBlob blob)
      : held(std::in_place_type<crivo::OpenedBlob>, std::move(blob)), ref(&std::get<crivo::OpenedBlob>(held).ref()) {}
  explicit crivo_filter(crivo::FilterFile file) : held(std::in_place_type<crivo::FilterFile>, std::move(file)) {}
  crivo_filter(const crivo_filter&) = delete;
  crivo_filter& operator=(const crivo_filter&) = delete;

  /// The file of the filter. Requires that `ref` is null.
  [[nodiscard]] const crivo::FilterFile& file() const noexcept { return *std::get_if<crivo::FilterFile>(&held); }
  /// The same, for operations that a sharded filter lacks. Throws Refused (kUnsupported) for a sharded filter.
  [[nodiscard]] const crivo::MappedFilter& mapped() const { return *crivo::unwrap(crivo::as_mapped_filter(file())); }
  /// Calls query(file) with a MappedFilter or a ShardedFilter.
  template <class Query>
  auto query_file(Query&& query) const {
    return std::visit(query, file());
  }
  [[nodiscard]] const crivo::Shape& shape() const {
    return ref != nullptr ? ref->shape() : *query_file([](const auto& of) { return &of.shape(); });
  }

  std::variant<crivo::AnyFilter, crivo::OpenedBlob, crivo::FilterFile> held;
  const crivo::FilterRef* ref = nullptr;  // points into `held`, which does not move; null for a file
};

namespace crivo::c {

/// Fills *out with the result of `Result<T> work()`.
template <class T, class Work>
crivo_status fill_in(const char* name, T* out, crivo_error* error, Work&& work) noexcept {
  return guarded(error, [&]() -> Result<void> {
    check_given(name, out);
    check_size(name, out->size, sizeof(T), alignof(T));
    write_struct(out, unwrap(work()));
    return {};
  });
}

/// Runs `Result<T> work(filter)`, an operation other than a query. For a filter in a file, verifies the whole file
/// first. If the file has changed when `work` returns, returns kCorrupt instead of the result. `work` must return its
/// errors, because an exception would skip this check. Errors: kCorrupt; as `work`. Throws Refused for NULL and for a
/// sharded filter.
template <class Work>
[[nodiscard]] auto read_whole(const crivo_filter* filter, const char* name, Work&& work)
    -> decltype(work(*filter->ref)) {
  check_given(name, filter);
  if (filter->ref != nullptr) return work(*filter->ref);
  std::optional<decltype(work(*filter->ref))> done;
  auto looked = filter->mapped().look_at_whole([&](const FilterRef& ref) { done = work(ref); });
  if (!looked) return looked.error();
  return *std::move(done);
}

/// A copy, with the filter's size limit if it has one. Errors and exceptions: as read_whole.
[[nodiscard]] Result<AnyFilter> copy_of(const crivo_filter* filter, const char* name);

/// The filter as one that can be changed. Throws Refused for NULL and for a read-only filter (kUnsupported).
[[nodiscard]] AnyFilter& to_change(crivo_filter* filter);

/// Answers a query with the result of `Result<bool> query()`: 1, 0, or the negated status of an error. Rejects a NULL
/// filter.
template <class Query>
int32_t answer(const char* name, const crivo_filter* filter, crivo_error* error, Query&& query) noexcept {
  bool yes = false;
  const crivo_status status = guarded(error, [&]() -> Result<void> {
    check_given(name, filter);
    yes = unwrap(query());
    return {};
  });
  return status == CRIVO_OK ? int32_t{yes} : -status;
}

/// Constructs a T from the result of `Result<From> make()`, and transfers ownership of the T to the caller.
template <class T, class Make>
crivo_status hand_out(const char* name, T** made, crivo_error* error, Make&& make) noexcept {
  return guarded(error, [&]() -> Result<void> {
    check_given(name, made);
    *made = std::make_unique<T>(unwrap(make())).release();
    return {};
  });
}

}  // namespace crivo::c
