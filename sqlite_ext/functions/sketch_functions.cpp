// The functions on sketches, which find the difference of two sets; docs/sqlite_sketches.md documents them.
#include <array>
#include <optional>
#include <string>

#include "crivo/sketch.h"
#include "functions.h"
#include "functions/table_valued.h"
#include "values/filter_argument.h"
#include "values/options.h"

namespace crivo::sqlite {
namespace {

Sketch open_sketch(const auto& call, std::size_t arg) {
  if (sqlite3_value_type(call.args[arg]) != SQLITE_BLOB) {
    throw SqlError{"argument " + std::to_string(arg + 1) + " must be a sketch, got " + shown(call.args[arg]) +
                   (call.is_null(arg) ? " (no row, no file, or bloom_sketch_agg without rows, for which coalesce(..., "
                                        "bloom_sketch(...)) is the sketch of no keys)"
                                      : "")};
  }
  const FilterArgument given(call, arg);
  return unwrap(Sketch::parse(given.bytes, given.limits));
}

/// Adds or removes a key that is not NULL. Throws SqlError if the value does not have the type of the sketch's keys.
void change_sketch(Sketch& sketch, sqlite3_value* value, bool add) {
  if (sketch.spec().keys == SketchKeys::kIntegers) {
    const std::optional<std::int64_t> integer = whole_number(value);
    if (!integer) throw SqlError{"key must be an integer in a sketch of integers, got " + shown(value)};
    const auto number = static_cast<std::uint64_t>(*integer);
    return unwrap(add ? sketch.add_numbers({&number, 1}) : sketch.remove_numbers({&number, 1}));
  }
  const int type = sqlite3_value_type(value);
  if (sketch.spec().keys == SketchKeys::kBytes && (type == SQLITE_INTEGER || type == SQLITE_FLOAT)) {
    throw SqlError{"key must be a BLOB or a text in a sketch of bytes, got " + shown(value)};
  }
  const KeyBytes key(value);
  unwrap(add ? sketch.add(key.view()) : sketch.remove(key.view()));
}

void set_result(const Call& call, const Sketch& sketch) { set_value(call.context, sketch.to_blob()); }

void bloom_sketch(const Call& call) {
  set_result(call, unwrap(Sketch::create(parse_sketch_options(call.args), max_payload_bytes(call.db()))));
}

using SketchState = std::optional<Sketch>;

void bloom_sketch_agg_step(const Call& call) {
  auto& state = aggregate_state<SketchState>(call);
  const SketchSpec options = parse_sketch_options(call.args.subspan(1));
  if (!state) {
    state = unwrap(Sketch::create(options, max_payload_bytes(call.db())));
  } else if (state->spec() != options) {
    throw SqlError{"symbols, keys, first and seed must be the same in every row"};
  }
  if (!call.is_null(0)) change_sketch(*state, call.args[0], true);
}

void bloom_sketch_agg_finish(const Call& call) {
  const std::unique_ptr<SketchState> state = release_aggregate_state<SketchState>(call);
  if (state != nullptr && *state) set_result(call, **state);
}

template <bool kAdd>
void bloom_sketch_change(const Call& call) {
  require_args(call, 2);
  Sketch sketch = open_sketch(call, 0);
  for (sqlite3_value* value : call.args.subspan(1)) {
    if (!is_null(value)) change_sketch(sketch, value, kAdd);
  }
  set_result(call, sketch);
}

void bloom_sketch_append(const Call& call) {
  Sketch sketch = open_sketch(call, 0);
  unwrap(sketch.append(open_sketch(call, 1)));
  require_payload_fits(sketch.blob_bytes() - kBlobHeaderBytes, max_payload_bytes(call.db()));
  set_result(call, sketch);
}

void bloom_hash(const Call& call) {
  const KeyBytes key(call.args[0]);
  const std::uint64_t seed = call.has(1) ? parse_seed(call.args[1]) : 0;
  if (!key.is_null()) set_value(call.context, static_cast<std::int64_t>(key.hash(HashId::kXxh3_64, seed)));
}

constexpr std::array kSketchFunctions = {
    FunctionRow{"bloom_sketch", 1, kSketchOptions, kPure, guarded<bloom_sketch>},
    FunctionRow{"bloom_sketch_agg", 2, 1 + kSketchOptions, kPure, guarded<bloom_sketch_agg_step>,
                guarded_finish<bloom_sketch_agg_finish>},
    FunctionRow{"bloom_sketch_add", 2, kAnyNumber, kPure, guarded<bloom_sketch_change<true>>},
    FunctionRow{"bloom_sketch_remove", 2, kAnyNumber, kPure, guarded<bloom_sketch_change<false>>},
    FunctionRow{"bloom_sketch_append", 2, 2, kPure, guarded<bloom_sketch_append>},
    FunctionRow{"bloom_hash", 1, 2, kPure, guarded<bloom_hash>},
};

constexpr const char* kColumns[] = {"side TEXT", "key"};
constexpr const char* kArguments[] = {"first", "second"};

/// The keys of a difference: first the keys that only the first set has, then the keys that only the second set has.
class DifferenceRows final : public Rows {
 public:
  DifferenceRows(SetDifference difference, SketchKeys keys) : difference_(std::move(difference)), keys_(keys) {}
  bool next() override { return ++row_ <= difference_.only_first.size() + difference_.only_second.size(); }
  void set_column(sqlite3_context* context, int column) const override {
    const std::size_t row = row_ - 1;
    const std::size_t firsts = difference_.only_first.size();
    if (column == 0) return set_value(context, std::string_view(row < firsts ? "first" : "second"));
    const SketchedKeys& side = row < firsts ? difference_.only_first : difference_.only_second;
    const std::size_t i = row < firsts ? row : row - firsts;
    if (keys_ != SketchKeys::kBytes) return set_value(context, static_cast<std::int64_t>(side.number(i)));
    set_value(context, std::as_bytes(std::span(side.key(i))));
  }

 private:
  SetDifference difference_;
  SketchKeys keys_;
  std::size_t row_ = 0;
};

std::unique_ptr<Rows> difference(const TableCall& call) {
  Sketch sketch = open_sketch(call, 0);
  unwrap(sketch.subtract(open_sketch(call, 1)));
  std::optional<SetDifference> found = unwrap(sketch.decode());
  if (!found) {
    throw SqlError{"symbols must be more than " + std::to_string(sketch.spec().symbols) +
                   " to decode the difference; append more to both sketches (or remove repeated keys from a set)"};
  }
  return std::make_unique<DifferenceRows>(*std::move(found), sketch.spec().keys);
}

}  // namespace

std::span<const FunctionRow> sketch_functions() noexcept { return kSketchFunctions; }

constinit const TableFunction kBloomDifference{"bloom_difference", kColumns, kArguments, 2, 100, difference, 100'000};

}  // namespace crivo::sqlite
