// The aggregates that build a filter of keys, or of pairs of a key and a value. sqlite_ext/README.md documents
// bloom_agg, and docs/sqlite_maps.md the others.
#include <array>
#include <optional>

#include "crivo/builder.h"
#include "crivo/kinds.h"
#include "functions.h"
#include "values/filter_argument.h"
#include "values/options.h"

namespace crivo::sqlite {
namespace {

constexpr std::int64_t kMaxValue = (std::int64_t{1} << kMaxValueBits) - 1;

struct BuildState {
  FilterSpec options;
  HashId hash_id = HashId::kXxh3_64;
  std::optional<FilterBuilder> builder;
};

FilterBuilder builder_of(const Call& call, const FilterSpec& options) {
  return unwrap(call.connection().sizes.builder(options, {.max_bytes = max_payload_bytes(call.db())}));
}

/// Not inlined, unlike build_state, which runs for each row.
[[gnu::noinline]] void start_build(BuildState& state, const Call& call, const FilterSpec& options) {
  state.options = options;
  state.hash_id = hash_id_of(options.kind);
  state.builder = builder_of(call, options);
}

/// The state of the current group. Throws SqlError if a later row has other options than the first row.
[[gnu::always_inline]] inline BuildState& build_state(const Call& call, const FilterSpec& options) {
  auto& state = aggregate_state<BuildState>(call);
  if (state.builder) {
    require_same_options(state.options, options);
  } else {
    start_build(state, call, options);
  }
  return state;
}

/// For a group without rows, the options are unknown, so the result is a filter with default options.
void finish_build(const Call& call, const FilterSpec& defaults) {
  const std::unique_ptr<BuildState> state = release_aggregate_state<BuildState>(call);
  const bool has_rows = state != nullptr && state->builder;
  FilterBuilder builder = has_rows ? *std::move(state->builder) : builder_of(call, defaults);
  set_result(call, unwrap(builder.finish()).ref());
}

void bloom_agg_step(const Call& call) {
  const FilterSpec options = parse_options(call.args.subspan(1));
  if (options.kind == Kind::kMap || options.kind == Kind::kExact) {
    const std::string kind(kind_name(options.kind));
    throw SqlError{"kind must not be map or exact, got " + kind + "; use bloom_" + kind + "_agg"};
  }
  BuildState& state = build_state(call, options);
  const KeyBytes key(call.args[0]);
  if (!key.is_null()) unwrap(state.builder->add_hash(key.hash(state.hash_id, options.seed)));
}

void bloom_agg_finish(const Call& call) { finish_build(call, {}); }

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

/// Adds a pair: a key, and the second argument as parsed by `parse`.
template <Kind kKind, std::uint64_t (*parse)(sqlite3_value*)>
void pair_agg_step(const Call& call) {
  BuildState& state = build_state(call, parse_pair_options(kKind, call.args.subspan(2)));
  const KeyBytes key(call.args[0]);
  if (!key.is_null()) unwrap(state.builder->add(key.view(), parse(call.args[1])));
}

template <Kind kKind>
void pair_agg_finish(const Call& call) {
  finish_build(call, parse_pair_options(kKind, {}));
}

constexpr std::array kBuildFunctions = {
    FunctionRow{"bloom_agg", 1, 1 + kOptions, kPure, guarded<bloom_agg_step>, guarded_finish<bloom_agg_finish>},
    FunctionRow{"bloom_map_agg", 2, 4, kPure, guarded<pair_agg_step<Kind::kMap, parse_value>>,
                guarded_finish<pair_agg_finish<Kind::kMap>>},
    FunctionRow{"bloom_exact_agg", 2, 4, kPure, guarded<pair_agg_step<Kind::kExact, parse_is_member>>,
                guarded_finish<pair_agg_finish<Kind::kExact>>},
};

}  // namespace

std::span<const FunctionRow> build_functions() noexcept { return kBuildFunctions; }

}  // namespace crivo::sqlite
