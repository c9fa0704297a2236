// Questions: whether and how often a filter has a key.
#include "arguments.h"
#include "boundary.h"
#include "handle.h"

namespace crivo::c {
namespace {

static_assert(sizeof(bool) == 1, "a hit is written as a bool and read as a byte");

/// The error of a question that could not be asked, as crivo_contains returns it.
int32_t refuse(const crivo_filter* filter, const void* key, size_t key_bytes, crivo_error* error) noexcept {
  return -guarded(error, [&]() -> Result<void> {
    const Result<const FilterRef*> ref = to_ask(filter);
    if (!ref) return ref.error();
    const auto view = checked_key(key, key_bytes);
    if (!view) return view.error();
    return {};
  });
}

bool is_filter(const crivo_filter* filter) noexcept {
  return filter != nullptr && reinterpret_cast<std::uintptr_t>(filter) % alignof(crivo_filter) == 0;
}

}  // namespace
}  // namespace crivo::c

using namespace crivo;
using namespace crivo::c;

int32_t crivo_contains(const crivo_filter* filter, const void* key, size_t key_bytes, crivo_error* error) {
  if (!is_filter(filter) || !is_key(key, key_bytes)) return refuse(filter, key, key_bytes, error);
  return filter->ref->may_contain(key_view(key, key_bytes)) ? 1 : 0;
}

int32_t crivo_contains_hash(const crivo_filter* filter, uint64_t key_hash, crivo_error* error) {
  if (!is_filter(filter)) return refuse(filter, nullptr, 0, error);
  return filter->ref->may_contain_hash(key_hash) ? 1 : 0;
}

crivo_status crivo_contains_keys(const crivo_filter* filter, const crivo_keys* keys, uint8_t* hits,
                                 crivo_error* error) {
  return guarded(error, [&]() -> Result<void> {
    const Result<const FilterRef*> ref = to_ask(filter);
    if (!ref) return ref.error();
    const Result<Keys> checked = Keys::of(keys);
    if (!checked) return checked.error();
    if (auto given = check_array("hits", hits, checked->count(), 1, 1); !given) return given;
    auto* at = reinterpret_cast<bool*>(hits);
    return checked->hash((*ref)->shape().seed, [&](std::span<const std::uint64_t> hashes) -> Result<void> {
      (*ref)->may_contain_hashes(hashes, {at, hashes.size()});
      at += hashes.size();
      return {};
    });
  });
}

crivo_status crivo_contains_hashes(const crivo_filter* filter, const uint64_t* hashes, uint64_t count, uint8_t* hits,
                                   crivo_error* error) {
  return guarded(error, [&]() -> Result<void> {
    const Result<const FilterRef*> ref = to_ask(filter);
    if (!ref) return ref.error();
    const auto checked = checked_hashes(hashes, count);
    if (!checked) return checked.error();
    if (auto given = check_array("hits", hits, count, 1, 1); !given) return given;
    (*ref)->may_contain_hashes(*checked, {reinterpret_cast<bool*>(hits), checked->size()});
    return {};
  });
}

crivo_status crivo_count(const crivo_filter* filter, const void* key, size_t key_bytes, uint64_t* count,
                         crivo_error* error) {
  return guarded(error, [&]() -> Result<void> {
    if (auto given = check_given("count", count); !given) return given;
    const Result<const FilterRef*> ref = to_ask(filter);
    if (!ref) return ref.error();
    const auto view = checked_key(key, key_bytes);
    if (!view) return view.error();
    const Result<std::uint64_t> counted = (*ref)->count(*view);
    if (!counted) return counted.error();
    *count = *counted;
    return {};
  });
}
