// Maps: making one at once, and the values that it has for keys.
#include "crivo/map.h"

#include "arguments.h"
#include "boundary.h"
#include "crivo/builder.h"
#include "handle.h"

namespace crivo::c {
namespace {

/// The library writes found[i] as a bool, which a caller reads as a byte.
bool* as_bools(uint8_t* found) noexcept { return reinterpret_cast<bool*>(found); }

Result<std::optional<std::uint64_t>> find(const crivo_filter& filter, std::uint64_t key_hash) {
  if (filter.ref == nullptr) return filter.file().find_hash(key_hash);
  return unwrap(MapRef::of(*filter.ref)).find_hash(key_hash);
}

Result<void> find_many(const crivo_filter& filter, std::span<const std::uint64_t> hashes, std::uint64_t* values,
                       bool* found) {
  const std::span<std::uint64_t> room(values, hashes.size());
  if (filter.ref == nullptr) return filter.file().find_hashes(hashes, room, {found, hashes.size()});
  unwrap(MapRef::of(*filter.ref)).find_hashes(hashes, room, {found, hashes.size()});
  return {};
}

/// Answers with the value that `hash()` has, if a filter and a place for the value are given.
template <class Hash>
int32_t answer(const crivo_filter* filter, uint64_t* value, crivo_error* error, Hash&& hash) noexcept {
  std::optional<std::uint64_t> found;
  const crivo_status status = guarded(error, [&]() -> Result<void> {
    check_given("map", filter);
    check_given("value", value);
    found = unwrap(find(*filter, hash()));
    return {};
  });
  if (found) *value = *found;
  return status == CRIVO_OK ? int32_t{found.has_value()} : -status;
}

Result<AnyFilter> build_map(const crivo_options* options, const crivo_keys* keys, const uint64_t* values) {
  Request request = read_options(options);
  if (options == nullptr || options->kind == nullptr) request.spec.kind = Kind::kMap;
  const Keys checked(keys);
  check_values(values, checked.count());
  FilterBuilder builder = unwrap(FilterBuilder::create(request.spec, request.options));
  unwrap(checked.hash(HashId::kXxh3_64, request.spec.seed, [&](std::span<const std::uint64_t> hashes) {
    return builder.add_hashes(hashes, {std::exchange(values, values + hashes.size()), hashes.size()});
  }));
  return builder.finish();
}

}  // namespace
}  // namespace crivo::c

using namespace crivo;
using namespace crivo::c;

crivo_status crivo_build_map(const crivo_options* options, const crivo_keys* keys, const uint64_t* values,
                             crivo_filter** map, crivo_error* error) {
  return hand_out("map", map, error, [&] { return build_map(options, keys, values); });
}

int32_t crivo_find(const crivo_filter* map, const void* key, size_t key_bytes, uint64_t* value, crivo_error* error) {
  return answer(map, value, error, [&] {
    const Shape& shape = map->shape();
    return hash_key(shape.hash_id, checked_key(key, key_bytes), shape.seed);
  });
}

int32_t crivo_find_hash(const crivo_filter* map, uint64_t key_hash, uint64_t* value, crivo_error* error) {
  return answer(map, value, error, [&] { return key_hash; });
}

crivo_status crivo_find_keys(const crivo_filter* map, const crivo_keys* keys, uint64_t* values, uint8_t* found,
                             crivo_error* error) {
  return guarded(error, [&]() -> Result<void> {
    check_given("map", map);
    const Keys checked(keys);
    check_values(values, checked.count());
    check_array("found", found, checked.count(), 1, 1);
    const Shape& shape = map->shape();
    return checked.hash(shape.hash_id, shape.seed, [&](std::span<const std::uint64_t> hashes) {
      return find_many(*map, hashes, std::exchange(values, values + hashes.size()),
                       as_bools(std::exchange(found, found + hashes.size())));
    });
  });
}

crivo_status crivo_find_hashes(const crivo_filter* map, const uint64_t* hashes, uint64_t count, uint64_t* values,
                               uint8_t* found, crivo_error* error) {
  return guarded(error, [&]() -> Result<void> {
    check_given("map", map);
    const auto checked = checked_hashes(hashes, count);
    check_values(values, count);
    check_array("found", found, count, 1, 1);
    return find_many(*map, checked, values, as_bools(found));
  });
}
