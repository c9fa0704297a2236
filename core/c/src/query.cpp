// Queries of keys, hashes and ranges, and counts.
#include "arguments.h"
#include "boundary.h"
#include "handle.h"

namespace crivo::c {
namespace {

static_assert(sizeof(bool) == 1, "a hit is written as a bool and read as a byte");

/// The slow path of a query: a file or an invalid argument. Not inlined, because every query would then save registers.
[[gnu::noinline]] int32_t query_file(const crivo_filter* filter, const void* key, size_t key_bytes,
                                     crivo_error* error) noexcept {
  return answer("filter", filter, error, [&] {
    // The key is checked first: with an invalid key, the filter may be in memory and have no file to query.
    const auto checked = checked_key(key, key_bytes);
    return filter->query_file([&](const auto& file) { return file.may_contain(checked); });
  });
}

[[gnu::noinline]] int32_t query_file_by_hash(const crivo_filter* filter, uint64_t key_hash,
                                             crivo_error* error) noexcept {
  return answer("filter", filter, error,
                [&] { return filter->query_file([&](const auto& file) { return file.may_contain_hash(key_hash); }); });
}

Result<bool> query_range(const crivo_filter& filter, std::uint64_t low, std::uint64_t high) {
  const KindInfo& kind =
      filter.ref != nullptr ? filter.ref->kind() : *filter.query_file([](const auto& file) { return &file.kind(); });
  if (!kind.can.range) return Error{ErrorCode::kUnsupported, "kind must be range, got " + std::string(kind.name)};
  if (filter.ref == nullptr) return filter.mapped().may_contain_range(low, high);
  return filter.ref->may_contain_range(low, high);
}

Result<void> query_many(const crivo_filter& filter, std::span<const std::uint64_t> hashes, bool* hits) {
  if (filter.ref == nullptr) {
    return filter.query_file([&](const auto& file) { return file.may_contain_hashes(hashes, {hits, hashes.size()}); });
  }
  filter.ref->may_contain_hashes(hashes, {hits, hashes.size()});
  return {};
}

}  // namespace
}  // namespace crivo::c

using namespace crivo;
using namespace crivo::c;

int32_t crivo_contains(const crivo_filter* filter, const void* key, size_t key_bytes, crivo_error* error) {
  if (!is_given(filter) || filter->ref == nullptr || !is_key(key, key_bytes)) {
    return query_file(filter, key, key_bytes, error);
  }
  return filter->ref->may_contain(key_view(key, key_bytes)) ? 1 : 0;
}

int32_t crivo_contains_hash(const crivo_filter* filter, uint64_t key_hash, crivo_error* error) {
  if (!is_given(filter) || filter->ref == nullptr) return query_file_by_hash(filter, key_hash, error);
  return filter->ref->may_contain_hash(key_hash) ? 1 : 0;
}

int32_t crivo_contains_range(const crivo_filter* filter, uint64_t low, uint64_t high, crivo_error* error) {
  return answer("filter", filter, error, [&] { return query_range(*filter, low, high); });
}

crivo_status crivo_contains_keys(const crivo_filter* filter, const crivo_keys* keys, uint8_t* hits,
                                 crivo_error* error) {
  return guarded(error, [&]() -> Result<void> {
    check_given("filter", filter);
    const Keys checked(keys);
    check_array("hits", hits, checked.count(), 1, 1);
    auto* at = reinterpret_cast<bool*>(hits);
    if (filter->ref != nullptr) {
      return checked.for_each_batch([&](std::span<const std::string_view> batch) -> Result<void> {
        filter->ref->may_contain_keys(batch, {std::exchange(at, at + batch.size()), batch.size()});
        return {};
      });
    }
    const Shape& shape = filter->shape();
    return checked.hash(shape.hash_id, shape.seed, [&](std::span<const std::uint64_t> hashes) {
      return query_many(*filter, hashes, std::exchange(at, at + hashes.size()));
    });
  });
}

crivo_status crivo_contains_hashes(const crivo_filter* filter, const uint64_t* hashes, uint64_t count, uint8_t* hits,
                                   crivo_error* error) {
  return guarded(error, [&]() -> Result<void> {
    check_given("filter", filter);
    const auto checked = checked_hashes(hashes, count);
    check_array("hits", hits, count, 1, 1);
    return query_many(*filter, checked, reinterpret_cast<bool*>(hits));
  });
}

crivo_status crivo_count(const crivo_filter* filter, const void* key, size_t key_bytes, uint64_t* count,
                         crivo_error* error) {
  return guarded(error, [&]() -> Result<void> {
    check_given("count", count);
    check_given("filter", filter);
    const auto view = checked_key(key, key_bytes);
    *count = unwrap(filter->ref == nullptr ? filter->query_file([&](const auto& file) { return file.count(view); })
                                           : filter->ref->count(view));
    return {};
  });
}
