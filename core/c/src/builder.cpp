// Builds filters from keys that arrive one by one or in batches.
#include "crivo/builder.h"

#include "arguments.h"
#include "boundary.h"
#include "crivo/kinds.h"
#include "handle.h"

struct crivo_builder {
  crivo::FilterBuilder builder;
  crivo::HashId hash_id;
  std::uint64_t seed;
  bool finished = false;
};

namespace crivo::c {
namespace {

/// Runs `Result<void> work(builder)`. Rejects a finished builder.
template <class Work>
crivo_status use(crivo_builder* builder, crivo_error* error, Work&& work) noexcept {
  return guarded(error, [&] {
    check_given("builder", builder);
    if (builder->finished) throw Refused("builder must not be used after crivo_builder_finish, got a finished one");
    return work(builder->builder);
  });
}

}  // namespace
}  // namespace crivo::c

using namespace crivo;
using namespace crivo::c;

crivo_status crivo_builder_create(const crivo_options* options, crivo_builder** builder, crivo_error* error) {
  return hand_out("builder", builder, error, [&]() -> Result<crivo_builder> {
    const Request request = read_options(options);
    return crivo_builder{unwrap(FilterBuilder::create(request.spec, request.options)), hash_id_of(request.spec.kind),
                         request.spec.seed};
  });
}

crivo_status crivo_builder_add(crivo_builder* builder, const void* key, size_t key_bytes, crivo_error* error) {
  return use(builder, error, [&](FilterBuilder& usable) { return usable.add(checked_key(key, key_bytes)); });
}

crivo_status crivo_builder_add_keys(crivo_builder* builder, const crivo_keys* keys, crivo_error* error) {
  return use(builder, error, [&](FilterBuilder& usable) {
    return Keys(keys).hash(builder->hash_id, builder->seed,
                           [&](std::span<const std::uint64_t> hashes) { return usable.add_hashes(hashes); });
  });
}

crivo_status crivo_builder_add_hashes(crivo_builder* builder, const uint64_t* hashes, uint64_t count,
                                      crivo_error* error) {
  return use(builder, error, [&](FilterBuilder& usable) { return usable.add_hashes(checked_hashes(hashes, count)); });
}

crivo_status crivo_builder_add_value(crivo_builder* builder, const void* key, size_t key_bytes, uint64_t value,
                                     crivo_error* error) {
  return use(builder, error, [&](FilterBuilder& usable) { return usable.add(checked_key(key, key_bytes), value); });
}

crivo_status crivo_builder_add_values(crivo_builder* builder, const crivo_keys* keys, const uint64_t* values,
                                      crivo_error* error) {
  return use(builder, error, [&](FilterBuilder& usable) {
    return Keys(keys).hash_with_values(builder->hash_id, builder->seed, values, [&](auto hashes, auto of_hashes) {
      return usable.add_hashes(hashes, of_hashes);
    });
  });
}

crivo_status crivo_builder_add_hash_values(crivo_builder* builder, const uint64_t* hashes, const uint64_t* values,
                                           uint64_t count, crivo_error* error) {
  return use(builder, error, [&](FilterBuilder& usable) {
    const auto checked = checked_hashes(hashes, count);
    check_values(values, count);
    return usable.add_hashes(checked, {values, checked.size()});
  });
}

uint64_t crivo_builder_keys(const crivo_builder* builder) { return is_given(builder) ? builder->builder.keys() : 0; }

crivo_status crivo_builder_finish(crivo_builder* builder, crivo_filter** filter, crivo_error* error) {
  return use(builder, error, [&](FilterBuilder& usable) -> Result<void> {
    check_given("filter", filter);
    builder->finished = true;
    *filter = new crivo_filter(unwrap(usable.finish()));
    return {};
  });
}

void crivo_builder_free(crivo_builder* builder) {
  if (is_given(builder)) delete builder;
}
