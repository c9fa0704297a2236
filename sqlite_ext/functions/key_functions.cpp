// The scalar functions with keys as arguments; sqlite_ext/README.md documents them.
#include <algorithm>
#include <array>
#include <memory>

#include "functions.h"
#include "functions/ask.h"
#include "values/json_keys.h"

namespace crivo::sqlite {
namespace {

/// Applies a change for each key that is not NULL. If all keys are NULL, the result is the unchanged filter.
void change_by_keys(const Call& call, Result<void> (AnyFilter::*change)(std::string_view key)) {
  require_args(call, 2);
  AnyFilter filter = open_filter(call, 0).into_filter();
  bool changed = false;
  for (sqlite3_value* value : call.args.subspan(1)) {
    const KeyBytes key(value);
    if (key.is_null()) continue;
    unwrap((filter.*change)(key.view()));
    changed = true;
  }
  if (!changed) return sqlite3_result_value(call.context, call.args[0]);
  set_result(call, filter.ref());
}

void bloom_add(const Call& call) { change_by_keys(call, &AnyFilter::add); }
void bloom_remove(const Call& call) { change_by_keys(call, &AnyFilter::remove); }

void bloom_add_many(const Call& call) {
  AnyFilter filter = open_filter(call, 0).into_filter();
  if (call.is_null(1)) return sqlite3_result_value(call.context, call.args[0]);
  unwrap(filter.add_hashes(hash_json_keys(call.db(), call.args[1], filter.shape())));
  set_result(call, filter.ref());
}

/// Adds the keys that are certainly absent, one by one: a key that the array repeats is added once.
void bloom_add_new(const Call& call) {
  AnyFilter filter = open_filter(call, 0).into_filter();
  bool changed = false;
  if (!call.is_null(1)) {
    for (const std::uint64_t hash : hash_json_keys(call.db(), call.args[1], filter.shape())) {
      if (filter.ref().may_contain_hash(hash)) continue;
      unwrap(filter.add_hashes({&hash, 1}));
      changed = true;
    }
  }
  if (!changed) return sqlite3_result_value(call.context, call.args[0]);
  set_result(call, filter.ref());
}

void bloom_add_times(const Call& call) {
  const std::int64_t times = sqlite3_value_int64(call.args[2]);
  if (sqlite3_value_type(call.args[2]) != SQLITE_INTEGER || times < 0) {
    throw SqlError{"times must be an integer of at least 0, got " + shown(call.args[2])};
  }
  AnyFilter filter = open_filter(call, 0).into_filter();
  const KeyBytes key(call.args[1]);
  if (key.is_null()) return sqlite3_result_value(call.context, call.args[0]);
  unwrap(filter.add_times(key.view(), static_cast<std::uint64_t>(times)));
  set_result(call, filter.ref());
}

void bloom_contains(const Call& call) {
  const KeyBytes key(call.args[1]);
  ask_filter(call, [&key](const FilterRef& filter) {
    if (key.is_null()) return Answer{};
    return Answer{filter.may_contain_hash(key.hash(filter.shape().hash_id, filter.shape().seed))};
  });
}

void bloom_contains_range(const Call& call) {
  ask_filter(call, [&call](const FilterRef& filter) {
    if (call.is_null(1) || call.is_null(2)) return Answer{};
    if (!filter.kind().can.range) {
      throw SqlError{"kind must be range, got " + std::string(filter.kind().name)};
    }
    const KeyRange range(call.args[1], call.args[2]);
    return Answer{filter.may_contain_range(range.low, range.high)};
  });
}

void bloom_count(const Call& call) {
  const KeyBytes key(call.args[1]);
  ask_filter(call, [&key](const FilterRef& filter) {
    return key.is_null() ? Answer{} : Answer{saturated(unwrap(filter.count(key.view())))};
  });
}

/// Looks up all keys of a JSON array at once. Returns whether any may be present (wanted: true), or all (false).
void ask_for_many(const Call& call, bool wanted) {
  ask_filter(call, [&](const FilterRef& filter) {
    if (call.is_null(1)) return Answer{};
    const std::vector<std::uint64_t> hashes = hash_json_keys(call.db(), call.args[1], filter.shape());
    const auto room = std::make_unique<bool[]>(hashes.size());
    const std::span<bool> hits(room.get(), hashes.size());
    filter.may_contain_hashes(hashes, hits);
    return Answer{(std::ranges::find(hits, wanted) != hits.end()) == wanted};
  });
}

void bloom_contains_any(const Call& call) { ask_for_many(call, true); }
void bloom_contains_all(const Call& call) { ask_for_many(call, false); }

void bloom_open(const Call& call) {
  if (call.is_null(0)) return;
  auto filter = std::make_unique<OwnedFilter>(open_filter(call, 0).into_filter());
  sqlite3_result_pointer(call.context, filter.release(), kPointerType, delete_as<OwnedFilter>);
}

constexpr std::array kKeyFunctions = {
    FunctionRow{"bloom_add", 2, kAnyNumber, kPure, guarded<bloom_add>},
    FunctionRow{"bloom_add_many", 2, 2, kPure, guarded<bloom_add_many>},
    FunctionRow{"bloom_add_new", 2, 2, kPure, guarded<bloom_add_new>},
    FunctionRow{"bloom_add_times", 3, 3, kPure, guarded<bloom_add_times>},
    FunctionRow{"bloom_remove", 2, kAnyNumber, kPure, guarded<bloom_remove>},
    FunctionRow{"bloom_contains", 2, 2, kPure, guarded<bloom_contains>},
    FunctionRow{"bloom_contains_range", 3, 3, kPure, guarded<bloom_contains_range>},
    FunctionRow{"bloom_contains_any", 2, 2, kPure, guarded<bloom_contains_any>},
    FunctionRow{"bloom_contains_all", 2, 2, kPure, guarded<bloom_contains_all>},
    FunctionRow{"bloom_open", 1, 1, kPure, guarded<bloom_open>},
    FunctionRow{"bloom_count", 2, 2, kPure, guarded<bloom_count>},
};

}  // namespace

std::span<const FunctionRow> key_functions() noexcept { return kKeyFunctions; }

}  // namespace crivo::sqlite
