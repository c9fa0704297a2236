// The functions of maps, which have a value for each key. sqlite_ext/README.md is their reference.
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

struct MapState {
  FilterSpec options;
  std::optional<FilterBuilder> builder;
};

std::uint64_t parse_value(sqlite3_value* value) {
  const std::int64_t number = sqlite3_value_int64(value);
  if (sqlite3_value_type(value) != SQLITE_INTEGER || number < 0 || number > kMaxValue) {
    throw SqlError{"value must be an integer from 0 to " + std::to_string(kMaxValue) + ", got " + shown(value)};
  }
  return static_cast<std::uint64_t>(number);
}

FilterBuilder map_builder(const Call& call, const FilterSpec& options) {
  return unwrap(call.connection().sizes.builder(options, {.max_bytes = max_payload_bytes(call.db())}));
}

void bloom_map_agg_step(const Call& call) {
  auto& state = aggregate_state<MapState>(call);
  const FilterSpec options = parse_map_options(call.args.subspan(2));
  if (!state.builder) {
    state.options = options;
    state.builder = map_builder(call, options);
  } else {
    require_same_options(state.options, options);
  }
  const KeyBytes key(call.args[0]);
  if (!key.is_null()) unwrap(state.builder->add(key.view(), parse_value(call.args[1])));
}

void bloom_map_agg_finish(const Call& call) {
  const std::unique_ptr<MapState> state = take_aggregate_state<MapState>(call);
  const bool has_rows = state != nullptr && state->builder;
  FilterBuilder builder = has_rows ? *std::move(state->builder) : map_builder(call, parse_map_options({}));
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
    FunctionRow{"bloom_map_agg", 2, 4, kPure, guarded<bloom_map_agg_step>, guarded_finish<bloom_map_agg_finish>},
    FunctionRow{"bloom_get", 2, 2, kPure, guarded<bloom_get>},
};

}  // namespace

std::span<const FunctionRow> map_functions() noexcept { return kMapFunctions; }

}  // namespace crivo::sqlite
