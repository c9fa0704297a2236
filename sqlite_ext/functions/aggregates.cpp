// The aggregate functions; sqlite_ext/README.md documents them.
#include <array>
#include <optional>

#include "crivo/builder.h"
#include "crivo/kinds.h"
#include "functions.h"
#include "values/options.h"

namespace crivo::sqlite {
namespace {

struct AggState {
  FilterSpec options;
  HashId hash_id = HashId::kXxh3_64;
  std::optional<FilterBuilder> builder;
};

void bloom_agg_step(const Call& call) {
  auto& state = aggregate_state<AggState>(call);
  const FilterSpec options = parse_options(call.args.subspan(1));
  if (!state.builder) {
    state.options = options;
    state.hash_id = hash_id_of(options.kind);
    if (options.kind == Kind::kMap || options.kind == Kind::kExact) {
      const std::string kind(kind_name(options.kind));
      throw SqlError{"kind must not be map or exact, got " + kind + "; use bloom_" + kind + "_agg"};
    }
    state.builder = unwrap(call.connection().sizes.builder(options, {.max_bytes = max_payload_bytes(call.db())}));
  } else {
    require_same_options(state.options, options);
  }
  const KeyBytes key(call.args[0]);
  if (!key.is_null()) unwrap(state.builder->add_hash(key.hash(state.hash_id, options.seed)));
}

/// SQLite passes no arguments for a group without rows, so the options are unknown and the result is a default filter.
void bloom_agg_finish(const Call& call) {
  const std::unique_ptr<AggState> state = take_aggregate_state<AggState>(call);
  if (state != nullptr && state->builder) {
    set_result(call, unwrap(state->builder->finish()).ref());
  } else {
    set_result(call, unwrap(unwrap(FilterBuilder::create({})).finish()).ref());
  }
}

struct MergeState {
  std::optional<AnyFilter> filter;
};

/// Copies the first filter of a group and merges the others into the copy. Skips NULL.
void merge_step(const Call& call, Result<void> (AnyFilter::*merge)(const FilterRef& other)) {
  auto& state = aggregate_state<MergeState>(call);
  if (call.is_null(0)) return;
  OpenedBlob operand = open_filter(call, 0);
  if (state.filter) {
    unwrap(((*state.filter).*merge)(operand.ref()));
  } else {
    state.filter = std::move(operand).into_filter();
  }
}

void bloom_union_agg_step(const Call& call) { merge_step(call, &AnyFilter::unite); }
void bloom_intersect_agg_step(const Call& call) { merge_step(call, &AnyFilter::intersect); }

void merge_finish(const Call& call) {
  const std::unique_ptr<MergeState> state = take_aggregate_state<MergeState>(call);
  if (state != nullptr && state->filter) set_result(call, state->filter->ref());
}

constexpr std::array kAggregates = {
    FunctionRow{"bloom_agg", 1, 1 + kOptions, kPure, guarded<bloom_agg_step>, guarded_finish<bloom_agg_finish>},
    FunctionRow{"bloom_union_agg", 1, 1, kPure, guarded<bloom_union_agg_step>, guarded_finish<merge_finish>},
    FunctionRow{"bloom_intersect_agg", 1, 1, kPure, guarded<bloom_intersect_agg_step>, guarded_finish<merge_finish>},
};

}  // namespace

std::span<const FunctionRow> aggregate_functions() noexcept { return kAggregates; }

}  // namespace crivo::sqlite
