// bloom_each and bloom_layers: the facts about a filter or a sketch, as rows. sqlite_ext/README.md documents them.
#include <array>

#include "functions.h"
#include "functions/table_valued.h"

namespace crivo::sqlite {
namespace {

constexpr const char* kFilter[] = {"filter"};

constexpr const char* kEachColumns[] = {"name TEXT", "value"};

void set_description(sqlite3_context* context, const Description& row, int column) {
  if (column == 0) return set_value(context, row.name);
  std::visit([context](auto value) { set_value(context, value); }, row.value);
}

std::unique_ptr<Rows> descriptions(const TableCall& call) {
  if (call.is_null(0)) return nullptr;
  return std::make_unique<ListedRows<Description, set_description>>(describe_stored({call, 0}));
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

}  // namespace

std::variant<OpenedBlob, Sketch> open_stored(std::span<const std::byte> blob, const ReadLimits& limits) {
  if (Sketch::is_sketch(blob)) return unwrap(Sketch::parse(blob, limits));
  return unwrap(parse_blob(blob, limits));
}

// Saturates integers: SQLite reads a JSON integer beyond 64 bits as a REAL.
std::vector<Description> describe_stored(const FilterArgument& given) {
  std::vector<Description> described =
      std::visit([](const auto& stored) { return describe(stored); }, open_stored(given.bytes, given.limits));
  for (Description& each : described) {
    if (const auto* count = std::get_if<std::uint64_t>(&each.value)) each.value = saturated(*count);
  }
  return described;
}

constinit const TableFunction kBloomEach{"bloom_each", kEachColumns, kFilter, 1, 12, descriptions};
constinit const TableFunction kBloomLayers{"bloom_layers", kLayerColumns, kFilter, 1, 4, layers};

}  // namespace crivo::sqlite
