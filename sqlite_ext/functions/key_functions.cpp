// The functions that add, remove and look up keys; sqlite_ext/README.md and docs/sqlite_maps.md document them.
#include <algorithm>
#include <array>
#include <memory>

#include "crivo/map.h"
#include "functions.h"
#include "functions/query.h"
#include "functions/table_valued.h"
#include "values/json_keys.h"

namespace crivo::sqlite {
namespace {

/// Applies a change for each key that is not NULL. If all keys are NULL, the result is the unchanged filter.
template <Result<void> (AnyFilter::*change)(std::string_view key)>
void change_by_keys(const Call& call) {
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
  query_filter(call, [&key](const FilterRef& filter) {
    if (key.is_null()) return Answer{};
    return Answer{filter.may_contain_hash(key.hash(filter.shape().hash_id, filter.shape().seed))};
  });
}

void bloom_contains_range(const Call& call) {
  query_filter(call, [&call](const FilterRef& filter) {
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
  query_filter(call, [&key](const FilterRef& filter) {
    return key.is_null() ? Answer{} : Answer{saturated(unwrap(filter.count(key.view())))};
  });
}

void bloom_get(const Call& call) {
  const KeyBytes key(call.args[1]);
  query_filter(call, [&key](const FilterRef& filter) {
    const MapRef map = unwrap(MapRef::of(filter));
    const auto value = key.is_null() ? std::nullopt : map.find(key.view());
    return value ? Answer{static_cast<std::int64_t>(*value)} : Answer{};
  });
}

/// One answer for each key of a JSON array that is not null.
struct Hits {
  std::unique_ptr<bool[]> answers;
  std::size_t size = 0;
};

/// Looks up all keys of a JSON array at once.
Hits look_up_many(sqlite3* db, sqlite3_value* array, const FilterRef& filter) {
  const std::vector<std::uint64_t> hashes = hash_json_keys(db, array, filter.shape());
  auto answers = std::make_unique<bool[]>(hashes.size());
  filter.may_contain_hashes(hashes, {answers.get(), hashes.size()});
  return {std::move(answers), hashes.size()};
}

/// Returns whether any key of a JSON array may be present (`wanted` is true), or whether all keys may be (false).
template <bool wanted>
void bloom_contains_many(const Call& call) {
  query_filter(call, [&](const FilterRef& filter) {
    if (call.is_null(1)) return Answer{};
    const Hits hits = look_up_many(call.db(), call.args[1], filter);
    return Answer{(std::count(hits.answers.get(), hits.answers.get() + hits.size, wanted) != 0) == wanted};
  });
}

void bloom_open(const Call& call) {
  if (call.is_null(0)) return;
  auto filter = std::make_unique<OwnedFilter>(open_filter(call, 0).into_filter());
  sqlite3_result_pointer(call.context, filter.release(), kPointerType, delete_as<OwnedFilter>);
}

constexpr std::array kKeyFunctions = {
    FunctionRow{"bloom_add", 2, kAnyNumber, kPure, guarded<change_by_keys<&AnyFilter::add>>},
    FunctionRow{"bloom_add_many", 2, 2, kPure, guarded<bloom_add_many>},
    FunctionRow{"bloom_add_new", 2, 2, kPure, guarded<bloom_add_new>},
    FunctionRow{"bloom_add_times", 3, 3, kPure, guarded<bloom_add_times>},
    FunctionRow{"bloom_remove", 2, kAnyNumber, kPure, guarded<change_by_keys<&AnyFilter::remove>>},
    FunctionRow{"bloom_contains", 2, 2, kPure, guarded<bloom_contains>},
    FunctionRow{"bloom_contains_range", 3, 3, kPure, guarded<bloom_contains_range>},
    FunctionRow{"bloom_contains_any", 2, 2, kPure, guarded<bloom_contains_many<true>>},
    FunctionRow{"bloom_contains_all", 2, 2, kPure, guarded<bloom_contains_many<false>>},
    FunctionRow{"bloom_open", 1, 1, kPure, guarded<bloom_open>},
    FunctionRow{"bloom_count", 2, 2, kPure, guarded<bloom_count>},
    FunctionRow{"bloom_get", 2, 2, kPure, guarded<bloom_get>},
};

constexpr const char* kColumns[] = {"key", "maybe INTEGER"};
constexpr const char* kArguments[] = {"filter", "keys"};

/// The rows of bloom_probe. Reads the array twice: first to hash and look up all keys at once, then row by row. So no
/// key is copied, and the lookup stores only a hash and an answer per key.
class ProbeRows final : public Rows {
 public:
  /// Borrows the array. If `filter` is null, every answer is NULL.
  ProbeRows(sqlite3* db, sqlite3_value* array, const FilterRef* filter) : keys_(db, array) {
    if (filter != nullptr) hits_ = look_up_many(db, array, *filter);
  }
  bool next() override {
    if (!keys_.next()) return false;
    if (!keys_.is_null()) ++next_hit_;
    return true;
  }
  void set_column(sqlite3_context* context, int column) const override {
    if (column == 0) return keys_.set_result(context);
    if (hits_.answers && !keys_.is_null()) set_value(context, std::int64_t{hits_.answers[next_hit_ - 1]});
  }

 private:
  JsonKeys keys_;
  Hits hits_;  // no answers without a filter
  std::size_t next_hit_ = 0;
};

std::unique_ptr<Rows> probe(const TableCall& call) {
  if (call.is_null(1)) return nullptr;
  if (!call.is_null(0)) {
    const OpenedBlob filter = open_filter(call, 0);
    return std::make_unique<ProbeRows>(call.db(), call.args[1], &filter.ref());
  }
  const OwnedFilter* const opened = opened_filter(call.given[0]);
  return std::make_unique<ProbeRows>(call.db(), call.args[1], opened != nullptr ? &opened->ref : nullptr);
}

}  // namespace

std::span<const FunctionRow> key_functions() noexcept { return kKeyFunctions; }

constinit const TableFunction kBloomProbe{"bloom_probe", kColumns, kArguments, 2, 100, probe};

}  // namespace crivo::sqlite
