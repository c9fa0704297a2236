// Changes filters: adds and removes keys, sets the clock, clears, unites and intersects.
#include "arguments.h"
#include "boundary.h"
#include "handle.h"

namespace crivo::c {
namespace {

/// Runs `Result<void> work(filter)`.
template <class Work>
crivo_status change(crivo_filter* filter, crivo_error* error, Work&& work) noexcept {
  return guarded(error, [&] { return work(to_change(filter)); });
}

/// Runs `Result<void> work(filter, key)`.
template <class Work>
crivo_status change_key(crivo_filter* filter, const void* key, size_t key_bytes, crivo_error* error,
                        Work&& work) noexcept {
  return change(filter, error, [&](AnyFilter& changed) { return work(changed, checked_key(key, key_bytes)); });
}

/// Runs `Result<void> work(filter, other)`.
template <class Work>
crivo_status combine(crivo_filter* filter, const crivo_filter* other, crivo_error* error, Work&& work) noexcept {
  return change(filter, error, [&](AnyFilter& changed) {
    check_given("other", other);
    // Copies `other` if it is `filter`, or if it is in a file, which may change during the work.
    if (other->ref != nullptr && other != filter) return work(changed, *other->ref);
    return work(changed, unwrap(copy_of(other, "other")).ref());
  });
}

}  // namespace
}  // namespace crivo::c

using namespace crivo;
using namespace crivo::c;

crivo_status crivo_add(crivo_filter* filter, const void* key, size_t key_bytes, crivo_error* error) {
  return change_key(filter, key, key_bytes, error,
                    [](AnyFilter& changed, std::string_view view) { return changed.add(view); });
}

crivo_status crivo_add_keys(crivo_filter* filter, const crivo_keys* keys, crivo_error* error) {
  return change(filter, error, [&](AnyFilter& changed) {
    return Keys(keys).hash(changed.shape().hash_id, changed.shape().seed,
                           [&](std::span<const std::uint64_t> hashes) { return changed.add_hashes(hashes); });
  });
}

crivo_status crivo_add_hashes(crivo_filter* filter, const uint64_t* hashes, uint64_t count, crivo_error* error) {
  return change(filter, error, [&](AnyFilter& changed) { return changed.add_hashes(checked_hashes(hashes, count)); });
}

crivo_status crivo_add_times(crivo_filter* filter, const void* key, size_t key_bytes, uint64_t times,
                             crivo_error* error) {
  return change_key(filter, key, key_bytes, error,
                    [&](AnyFilter& changed, std::string_view view) { return changed.add_times(view, times); });
}

crivo_status crivo_remove(crivo_filter* filter, const void* key, size_t key_bytes, crivo_error* error) {
  return change_key(filter, key, key_bytes, error,
                    [](AnyFilter& changed, std::string_view view) { return changed.remove(view); });
}

crivo_status crivo_advance(crivo_filter* filter, int64_t time, crivo_error* error) {
  return change(filter, error, [time](AnyFilter& changed) { return changed.advance(time); });
}

crivo_status crivo_clear(crivo_filter* filter, crivo_error* error) {
  return change(filter, error, [](AnyFilter& changed) { return changed.clear(); });
}

crivo_status crivo_unite(crivo_filter* filter, const crivo_filter* other, crivo_error* error) {
  return combine(filter, other, error, [](AnyFilter& into, const FilterRef& from) { return into.unite(from); });
}

crivo_status crivo_intersect(crivo_filter* filter, const crivo_filter* other, crivo_error* error) {
  return combine(filter, other, error, [](AnyFilter& into, const FilterRef& from) { return into.intersect(from); });
}
