// Filters built of keys that come in pieces.
#include "arguments.h"
#include "boundary.h"
#include "crivo/builder.h"
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

/// Runs `Result<void> work(builder)`.
template <class Work>
crivo_status use(crivo_builder* builder, crivo_error* error, Work&& work) noexcept {
  return guarded(error, [&]() -> Result<void> {
    if (auto given = check_given("builder", builder); !given) return given;
    if (!builder->finished) return work(builder->builder);
    return Error{ErrorCode::kBadArgument,
                 "builder must not be used after crivo_builder_finish, got one that was finished"};
  });
}

}  // namespace
}  // namespace crivo::c

using namespace crivo;
using namespace crivo::c;

crivo_status crivo_builder_create(const crivo_options* options, crivo_builder** builder, crivo_error* error) {
  return guarded(error, [&]() -> Result<void> {
    if (auto given = check_given("builder", builder); !given) return given;
    const Result<Request> request = read_options(options);
    if (!request) return request.error();
    Result<FilterBuilder> made = FilterBuilder::create(request->spec, request->options);
    if (!made) return made.error();
    *builder = new crivo_builder{*std::move(made), hash_id_of(request->spec.kind), request->spec.seed};
    return {};
  });
}

crivo_status crivo_builder_add(crivo_builder* builder, const void* key, size_t key_bytes, crivo_error* error) {
  return use(builder, error, [&](FilterBuilder& usable) -> Result<void> {
    const auto view = checked_key(key, key_bytes);
    return view ? usable.add(*view) : view.error();
  });
}

crivo_status crivo_builder_add_keys(crivo_builder* builder, const crivo_keys* keys, crivo_error* error) {
  return use(builder, error, [&](FilterBuilder& usable) -> Result<void> {
    const Result<Keys> checked = Keys::of(keys);
    if (!checked) return checked.error();
    return checked->hash(builder->hash_id, builder->seed,
                         [&](std::span<const std::uint64_t> hashes) { return usable.add_hashes(hashes); });
  });
}

crivo_status crivo_builder_add_hashes(crivo_builder* builder, const uint64_t* hashes, uint64_t count,
                                      crivo_error* error) {
  return use(builder, error, [&](FilterBuilder& usable) -> Result<void> {
    const auto checked = checked_hashes(hashes, count);
    return checked ? usable.add_hashes(*checked) : checked.error();
  });
}

uint64_t crivo_builder_keys(const crivo_builder* builder) { return is_given(builder) ? builder->builder.keys() : 0; }

crivo_status crivo_builder_finish(crivo_builder* builder, crivo_filter** filter, crivo_error* error) {
  return use(builder, error, [&](FilterBuilder& usable) -> Result<void> {
    if (auto given = check_given("filter", filter); !given) return given;
    builder->finished = true;
    Result<AnyFilter> made = usable.finish();
    if (!made) return made.error();
    *filter = new crivo_filter(*std::move(made));
    return {};
  });
}

void crivo_builder_free(crivo_builder* builder) {
  if (is_given(builder)) delete builder;
}
