// The scalar functions. sqlite_ext/README.md is their reference.
#include <array>
#include <cmath>

#include "crivo/version.h"
#include "filter_cache.h"
#include "functions.h"
#include "info.h"
#include "options.h"

namespace crivo::sqlite {
namespace {

/// What only SQLite's variadic registration leaves to us.
void require_args(const Call& call, std::size_t least) {
  if (call.args.size() < least) {
    throw SqlError{"arguments must be at least " + std::to_string(least) + ", got " + std::to_string(call.args.size())};
  }
}

void bloom_create(const Call& call) {
  const FilterSpec spec = parse_options(call.args);
  if (call.is_null(0)) throw SqlError{"capacity must be given, got NULL"};
  set_result(call, unwrap(AnyFilter::create(spec, max_payload_bytes(call.context))).ref());
}

void bloom_add(const Call& call) {
  require_args(call, 2);
  AnyFilter filter = open_filter(call, 0).into_filter();
  bool added = false;
  for (sqlite3_value* value : call.args.subspan(1)) {
    const KeyBytes key(value);
    if (key.is_null()) continue;
    unwrap(filter.add(key.view()));
    added = true;
  }
  if (!added) return sqlite3_result_value(call.context, call.args[0]);
  set_result(call, filter.ref());
}

void bloom_contains(const Call& call) {
  ask_filter(call, [&call](const FilterRef& filter) {
    const KeyBytes key(call.args[1]);
    if (!key.is_null()) sqlite3_result_int(call.context, filter.may_contain(key.view()));
  });
}

void bloom_union(const Call& call) {
  require_args(call, 2);
  AnyFilter all = open_filter(call, 0).into_filter();
  for (std::size_t arg = 1; arg < call.args.size(); ++arg) unwrap(all.unite(open_filter(call, arg).ref()));
  set_result(call, all.ref());
}

void bloom_cardinality(const Call& call) {
  if (call.is_null(0)) return;
  const std::optional<double> keys = open_filter(call, 0).ref().stats().cardinality;
  if (keys) sqlite3_result_int64(call.context, std::llround(*keys));
}

void bloom_fpr(const Call& call) {
  if (call.is_null(0)) return;
  sqlite3_result_double(call.context, open_filter(call, 0).ref().stats().fp_rate);
}

void bloom_info(const Call& call) {
  if (call.is_null(0)) return;
  set_result(call, to_json(describe(open_filter(call, 0))));
}

int parse_level(sqlite3_value* value) {
  const std::int64_t level = sqlite3_value_int64(value);
  if (sqlite3_value_type(value) != SQLITE_INTEGER || level < kMinCompressionLevel || level > kMaxCompressionLevel) {
    throw SqlError{"level must be an integer from " + std::to_string(kMinCompressionLevel) + " to " +
                   std::to_string(kMaxCompressionLevel) + ", got " + shown(value)};
  }
  return static_cast<int>(level);
}

void bloom_compress(const Call& call) {
  if (call.is_null(0)) return;
  const bool level_given = call.args.size() > 1 && !call.is_null(1);
  const int level = level_given ? parse_level(call.args[1]) : kDefaultCompressionLevel;
  set_result(call, open_filter(call, 0).ref(), BlobForm::kSmallest, level);
}

void bloom_raw(const Call& call) {
  if (!call.is_null(0)) set_result(call, open_filter(call, 0).ref(), BlobForm::kRaw);
}

void bloom_valid(const Call& call) { sqlite3_result_int(call.context, is_filter(call, 0)); }

void crivo_version(const Call& call) { set_result(call, version()); }

void crivo_build(const Call& call) {
  set_result(call, "crivo " + std::string(version()) + ", sqlite " + sqlite3_libversion() +
                       ", zstd " CRIVO_ZSTD_VERSION ", isa " + std::string(active_isa()));
}

constexpr std::array kScalars = {
    FunctionRow{"bloom_create", 1, kOptions, kPure, guarded<bloom_create>},
    FunctionRow{"bloom_add", 2, kAnyNumber, kPure, guarded<bloom_add>},
    FunctionRow{"bloom_contains", 2, 2, kPure, guarded<bloom_contains>},
    FunctionRow{"bloom_union", 2, kAnyNumber, kPure, guarded<bloom_union>},
    FunctionRow{"bloom_cardinality", 1, 1, kPure, guarded<bloom_cardinality>},
    FunctionRow{"bloom_fpr", 1, 1, kPure, guarded<bloom_fpr>},
    FunctionRow{"bloom_info", 1, 1, kPure, guarded<bloom_info>},
    FunctionRow{"bloom_compress", 1, 2, kPure, guarded<bloom_compress>},
    FunctionRow{"bloom_raw", 1, 1, kPure, guarded<bloom_raw>},
    FunctionRow{"bloom_valid", 1, 1, kPure, guarded<bloom_valid>},
    FunctionRow{"crivo_version", 0, 0, kPure, guarded<crivo_version>},
    FunctionRow{"crivo_build", 0, 0, kPure, guarded<crivo_build>},
};

}  // namespace

std::span<const FunctionRow> scalar_functions() noexcept { return kScalars; }

}  // namespace crivo::sqlite
