// Builds and queries maps.
#include "crivo/map.h"

#include "arguments.h"
#include "boundary.h"
#include "crivo/builder.h"
#include "handle.h"

namespace crivo::c {
namespace {

/// The library writes found[i] as a bool; the caller reads a byte.
bool* as_bools(uint8_t* found) noexcept { return reinterpret_cast<bool*>(found); }

Result<std::optional<std::uint64_t>> find(const crivo_filter& filter, std::uint64_t key_hash) {
  if (filter.ref == nullptr) return filter.mapped().find_hash(key_hash);
  return unwrap(MapRef::of(*filter.ref)).find_hash(key_hash);
}

Result<void> find_many(const crivo_filter& filter, std::span<const std::uint64_t> hashes, std::uint64_t* values,
                       bool* found) {
  const std::span<std::uint64_t> buffer(values, hashes.size());
  if (filter.ref == nullptr) return filter.mapped().find_hashes(hashes, buffer, {found, hashes.size()});
  unwrap(MapRef::of(*filter.ref)).find_hashes(hashes, buffer, {found, hashes.size()});
  return {};
}

/// Whether the hash has a value. If so, stores the value in *value.
Result<bool> find_one(const crivo_filter& map, std::uint64_t key_hash, uint64_t* value) {
  check_given("value", value);
  const std::optional<std::uint64_t> found = unwrap(find(map, key_hash));
  if (found) *value = *found;
  return found.has_value();
}

Result<AnyFilter> build_map(const crivo_options* options, const crivo_keys* keys, const uint64_t* values) {
  const Request request = read_options(options, Kind::kMap);
  if (request.spec.kind == Kind::kExact) {
    throw Refused(Error{ErrorCode::kUnsupported, "kind must be map, got exact; use crivo_build_exact"});
  }
  FilterBuilder builder = unwrap(FilterBuilder::create(request.spec, request.options));
  unwrap(builder.add_hashes({}, {}));  // an error for a kind without values, even if there are no keys
  unwrap(Keys(keys).hash_with_values(HashId::kXxh3_64, request.spec.seed, values, [&](auto hashes, auto of_hashes) {
    return builder.add_hashes(hashes, of_hashes);
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
  return answer("map", map, error, [&] {
    const Shape& shape = map->shape();
    return find_one(*map, hash_key(shape.hash_id, checked_key(key, key_bytes), shape.seed), value);
  });
}

int32_t crivo_find_hash(const crivo_filter* map, uint64_t key_hash, uint64_t* value, crivo_error* error) {
  return answer("map", map, error, [&] { return find_one(*map, key_hash, value); });
}

crivo_status crivo_find_keys(const crivo_filter* map, const crivo_keys* keys, uint64_t* values, uint8_t* found,
                             crivo_error* error) {
  return guarded(error, [&]() -> Result<void> {
    check_given("map", map);
    const Keys checked(keys);
    check_values(values, checked.count());
    check_array("found", found, checked.count(), 1, 1);
    if (checked.count() == 0) return find_many(*map, {}, values, as_bools(found));  // rejects other kinds
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
