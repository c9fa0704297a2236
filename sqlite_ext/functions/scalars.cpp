// The functions that create, describe, change or encode one filter, or return versions. See sqlite_ext/README.md.
#include <array>
#include <cmath>

#include "crivo/convert.h"
#include "crivo/version.h"
#include "functions.h"
#include "functions/table_valued.h"
#include "values/filter_argument.h"
#include "values/options.h"
#include "values/time.h"

namespace crivo::sqlite {
namespace {

void bloom_create(const Call& call) {
  const FilterSpec spec = parse_options(call.args);
  if (call.is_null(0) && default_capacity(spec.kind) == 0) throw SqlError{"capacity must be set, got NULL"};
  set_result(call, unwrap(AnyFilter::create(spec, max_payload_bytes(call.db()))).ref());
}

void bloom_cardinality(const Call& call) {
  if (call.is_null(0)) return;
  const std::optional<double> keys = open_filter(call, 0).ref().stats().cardinality;
  if (keys) sqlite3_result_int64(call.context, std::llround(*keys));
}

void bloom_current_fp_rate(const Call& call) {
  if (call.is_null(0)) return;
  set_value(call.context, open_filter(call, 0).ref().stats().current_fp_rate);
}

void bloom_info(const Call& call) {
  if (call.is_null(0)) return;
  set_value(call.context, to_json(FilterArgument(call, 0).describe()));
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
  const int level = call.has(1) ? parse_level(call.args[1]) : kDefaultCompressionLevel;
  set_result(call, open_filter(call, 0).ref(), BlobForm::kSmallest, level);
}

void bloom_raw(const Call& call) {
  if (!call.is_null(0)) set_result(call, open_filter(call, 0).ref(), BlobForm::kRaw);
}

void bloom_clear(const Call& call) {
  AnyFilter filter = open_filter(call, 0).into_filter();
  unwrap(filter.clear());
  set_result(call, filter.ref());
}

void bloom_advance(const Call& call) {
  AnyFilter filter = open_filter(call, 0).into_filter();
  unwrap(filter.advance(call.args.size() > 1 ? read_time(call.db(), call.args[1], "time") : time_now(call.db())));
  set_result(call, filter.ref());
}

void bloom_drop_counts(const Call& call) { set_result(call, unwrap(drop_counts(open_filter(call, 0).ref())).ref()); }

void bloom_valid(const Call& call) {
  if (sqlite3_value_type(call.args[0]) != SQLITE_BLOB) return sqlite3_result_int(call.context, 0);
  const FilterArgument given(call, 0);
  sqlite3_result_int(call.context, parse_blob(given.bytes, given.limits).has_value());
}

void crivo_version(const Call& call) { set_value(call.context, version()); }

void crivo_build_info(const Call& call) {
  set_value(call.context, "crivo " + std::string(version()) + ", sqlite " + sqlite3_libversion() +
                              ", zstd " CRIVO_ZSTD_VERSION ", isa " + std::string(active_isa()));
}

constexpr const char* kFilter[] = {"filter"};

constexpr const char* kEachColumns[] = {"name TEXT", "value"};

void set_description(sqlite3_context* context, const Description& row, int column) {
  if (column == 0) return set_value(context, row.name);
  std::visit([context](auto value) { set_value(context, value); }, row.value);
}

std::unique_ptr<Rows> descriptions(const TableCall& call) {
  if (call.is_null(0)) return nullptr;
  return std::make_unique<ListedRows<Description, set_description>>(FilterArgument(call, 0).describe());
}

constexpr const char* kLayerColumns[] = {"layer INTEGER", "capacity INTEGER", "keys INTEGER", "bits INTEGER",
                                         "k INTEGER",     "fill REAL",        "fp_rate REAL", "current_fp_rate REAL"};

using LayerRow = std::array<std::variant<std::uint64_t, double>, std::size(kLayerColumns)>;

void set_layer(sqlite3_context* context, const LayerRow& row, int column) {
  std::visit([context](auto value) { set_value(context, value); }, row[static_cast<std::size_t>(column)]);
}

std::unique_ptr<Rows> layers(const TableCall& call) {
  if (call.is_null(0)) return nullptr;
  std::vector<LayerRow> rows;
  for (const LayerInfo& layer : open_filter(call, 0).ref().layers()) {
    const Stats& stats = layer.stats;
    const double fill = static_cast<double>(stats.bits_set) / static_cast<double>(stats.bits);
    rows.push_back({std::uint64_t{rows.size()}, layer.capacity, layer.keys, stats.bits, std::uint64_t{layer.k}, fill,
                    layer.fp_rate, stats.current_fp_rate});
  }
  return std::make_unique<ListedRows<LayerRow, set_layer>>(std::move(rows));
}

constexpr std::array kScalars = {
    FunctionRow{"bloom_create", 1, kOptions, kPure, guarded<bloom_create>},
    FunctionRow{"bloom_cardinality", 1, 1, kPure, guarded<bloom_cardinality>},
    FunctionRow{"bloom_current_fp_rate", 1, 1, kPure, guarded<bloom_current_fp_rate>},
    FunctionRow{"bloom_info", 1, 1, kPure, guarded<bloom_info>},
    FunctionRow{"bloom_compress", 1, 2, kPure, guarded<bloom_compress>},
    FunctionRow{"bloom_raw", 1, 1, kPure, guarded<bloom_raw>},
    FunctionRow{"bloom_clear", 1, 1, kPure, guarded<bloom_clear>},
    FunctionRow{"bloom_advance", 1, 2, kInnocuous, guarded<bloom_advance>},
    FunctionRow{"bloom_drop_counts", 1, 1, kPure, guarded<bloom_drop_counts>},
    FunctionRow{"bloom_valid", 1, 1, kPure, guarded<bloom_valid>},
    FunctionRow{"crivo_version", 0, 0, kInnocuous, guarded<crivo_version>},
    FunctionRow{"crivo_build_info", 0, 0, kInnocuous, guarded<crivo_build_info>},
};

}  // namespace

std::span<const FunctionRow> scalar_functions() noexcept { return kScalars; }

constinit const TableFunction kBloomEach{"bloom_each", kEachColumns, kFilter, 1, 12, descriptions};
constinit const TableFunction kBloomLayers{"bloom_layers", kLayerColumns, kFilter, 1, 4, layers};

}  // namespace crivo::sqlite
