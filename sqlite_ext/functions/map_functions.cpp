// The functions for pairs: maps store a value for each key, and exact filters store whether each key is a member.
// docs/sqlite_maps.md documents them.
#include <array>
#include <optional>

#include "crivo/builder.h"
#include "crivo/map.h"
#include "functions.h"
#include "functions/ask.h"
#include "values/options.h"

namespace crivo::sqlite {
namespace {

constexpr std::int64_t kMaxValue = (std::int64_t{1} << kMaxValueBits) - 1;

struct PairState {
  FilterSpec options;
  std::optional<FilterBuilder> builder;
};

std::optional<std::uint64_t> number_to(std::int64_t most, sqlite3_value* value) {
  const std::optional<std::int64_t> number = whole_number(value);
  if (!number || *number < 0 || *number > most) return std::nullopt;
  return static_cast<std::uint64_t>(*number);
}

std::uint64_t parse_value(sqlite3_value* value) {
  if (const auto number = number_to(kMaxValue, value)) return *number;
  throw SqlError{"value must be an integer from 0 to " + std::to_string(kMaxValue) + ", got " + shown(value)};
}

std::uint64_t parse_is_member(sqlite3_value* value) {
  if (const auto number = number_to(1, value)) return *number;
  throw SqlError{"is_member must be the integer 0 or 1, got " + shown(value)};
}

FilterBuilder pair_builder(const Call& call, const FilterSpec& options) {
  return unwrap(call.connection().sizes.builder(options, {.max_bytes = max_payload_bytes(call.db())}));
}

/// Adds a pair: a key, and the second argument as parsed by `parse`.
template <Kind kKind, std::uint64_t (*parse)(sqlite3_value*)>
void pair_agg_step(const Call& call) {
  auto& state = aggregate_state<PairState>(call);
  const FilterSpec options = parse_pair_options(kKind, call.args.subspan(2));
  if (!state.builder) {
    state.options = options;
    state.builder = pair_builder(call, options);
  } else {
    require_same_options(state.options, options);
  }
  const KeyBytes key(call.args[0]);
  if (!key.is_null()) unwrap(state.builder->add(key.view(), parse(call.args[1])));
}

template <Kind kKind>
void pair_agg_finish(const Call& call) {
  const std::unique_ptr<PairState> state = take_aggregate_state<PairState>(call);
  const bool has_rows = state != nullptr && state->builder;
  FilterBuilder builder = has_rows ? *std::move(state->builder) : pair_builder(call, parse_pair_options(kKind, {}));
  set_result(call, unwrap(builder.finish()).ref());
}

void bloom_get(const Call& call) {
  const KeyBytes key(call.args[1]);
  ask_filter(call, [&key](const FilterRef& filter) {
    const MapRef map = unwrap(MapRef::of(filter));
    const auto value = key.is_null() ? std::nullopt : map.find(key.view());
    return value ? Answer{static_cast<std::int64_t>(*value)} : Answer{};
  });
}

constexpr std::array kMapFunctions = {
    FunctionRow{"bloom_map_agg", 2, 4, kPure, guarded<pair_agg_step<Kind::kMap, parse_value>>,
                guarded_finish<pair_agg_finish<Kind::kMap>>},
    FunctionRow{"bloom_exact_agg", 2, 4, kPure, guarded<pair_agg_step<Kind::kExact, parse_is_member>>,
                guarded_finish<pair_agg_finish<Kind::kExact>>},
    FunctionRow{"bloom_get", 2, 2, kPure, guarded<bloom_get>},
};

}  // namespace

std::span<const FunctionRow> map_functions() noexcept { return kMapFunctions; }

}  // namespace crivo::sqlite
