// Which of 100 partitions has a key? Compares a map with the alternatives: a filter per partition, a table in SQLite, a
// hash table in memory, and a ribbon with as many columns as the map, which can only answer "maybe". Measures the bytes
// per key, and the time of a lookup of a present key. The keys are texts, in random order.
#include <sqlite3.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

#include "crivo/builder.h"
#include "crivo/map.h"
#include "times.h"

namespace crivo::bench {
namespace {

constexpr std::uint64_t kPartitions = 100;
constexpr int kRounds = 5;

struct Data {
  std::vector<std::string> keys;
  std::vector<std::uint64_t> partitions;
  std::vector<std::string> asked;  // a sample of the keys
};

Data make_data(std::size_t count) {
  std::mt19937_64 random(1);
  Data data;
  for (std::size_t i = 0; i < count; ++i) {
    data.keys.push_back("user-" + std::to_string(random()));
    data.partitions.push_back(random() % kPartitions);
  }
  for (std::size_t i = 0; i < std::min<std::size_t>(count, 1'000'000); ++i) {
    data.asked.push_back(data.keys[random() % count]);
  }
  return data;
}

/// Prints a row. `ask` returns a value that depends on each answer.
void print_row(const char* name, const Data& data, double bytes, std::size_t asked,
               const std::function<std::uint64_t(std::string_view)>& ask) {
  std::uint64_t sum = 0;
  const double seconds = least_seconds(kRounds, [&] {
    for (std::size_t i = 0; i < asked; ++i) sum += ask(data.asked[i]);
  });
  std::printf("%-40s %8.3f bytes per key %10.1f ns (%llu)\n", name, bytes / static_cast<double>(data.keys.size()),
              seconds / static_cast<double>(asked) * 1e9, static_cast<unsigned long long>(sum));
}

AnyFilter map_of(const Data& data, double fp_rate) {
  FilterBuilder builder = *FilterBuilder::create({.kind = Kind::kMap, .fp_rate = fp_rate});
  for (std::size_t i = 0; i < data.keys.size(); ++i) {
    if (!builder.add(data.keys[i], data.partitions[i])) std::abort();
  }
  return *builder.finish();
}

/// A ribbon with this number of columns.
AnyFilter ribbon_of(const Data& data, unsigned columns) {
  FilterBuilder builder =
      *FilterBuilder::create({.kind = Kind::kRibbon, .fp_rate = std::ldexp(1.0, -static_cast<int>(columns))});
  for (const std::string& key : data.keys) {
    if (!builder.add(key)) std::abort();
  }
  return *builder.finish();
}

void print_maps(const Data& data) {
  for (const double fp_rate : {1.0, 0.01, 1e-6}) {
    const AnyFilter map = map_of(data, fp_rate);
    const MapRef ref = *MapRef::of(map.ref());
    const std::string name = "map, absent keys at " + std::string(fp_rate == 1      ? "1"
                                                                  : fp_rate == 0.01 ? "0.01"
                                                                                    : "1e-6");
    print_row(name.c_str(), data, static_cast<double>(map.payload().size()), data.asked.size(),
              [&](std::string_view key) { return ref.find(key).value_or(0); });
    const AnyFilter ribbon = ribbon_of(data, map.shape().k);
    print_row("  ribbon of as many columns", data, static_cast<double>(ribbon.payload().size()), data.asked.size(),
              [&](std::string_view key) { return ribbon.may_contain(key) ? 1 : 0; });
  }
}

void print_filters(const Data& data) {
  std::vector<FilterBuilder> builders;
  for (std::uint64_t i = 0; i < kPartitions; ++i) builders.push_back(*FilterBuilder::create({}));
  for (std::size_t i = 0; i < data.keys.size(); ++i) {
    if (!builders[data.partitions[i]].add(data.keys[i])) std::abort();
  }
  std::vector<AnyFilter> filters;
  double bytes = 0;
  for (FilterBuilder& builder : builders) {
    filters.push_back(*builder.finish());
    bytes += static_cast<double>(filters.back().payload().size());
  }
  print_row("100 blocked filters of 1%", data, bytes, std::min<std::size_t>(data.asked.size(), 100'000),
            [&](std::string_view key) {
              std::uint64_t sum = 0;
              for (std::size_t i = 0; i < filters.size(); ++i) sum += filters[i].may_contain(key) ? i : 0;
              return sum;
            });
}

void print_hash_table(const Data& data) {
  std::unordered_map<std::string_view, std::uint8_t> table;
  table.reserve(data.keys.size());
  double bytes = 0;
  for (std::size_t i = 0; i < data.keys.size(); ++i) {
    table.emplace(data.keys[i], static_cast<std::uint8_t>(data.partitions[i]));
    // A node with its pointer, view, value and hash, the word that malloc adds, and the key's bytes.
    bytes += 48 + static_cast<double>(data.keys[i].size());
  }
  bytes += static_cast<double>(8 * table.bucket_count());
  print_row("std::unordered_map (its bytes computed)", data, bytes, data.asked.size(),
            [&](std::string_view key) { return table.find(key)->second; });
}

void run_sql(sqlite3* db, const char* sql) {
  if (sqlite3_exec(db, sql, nullptr, nullptr, nullptr) != SQLITE_OK) std::abort();
}

void print_table(const Data& data) {
  sqlite3* db = nullptr;
  if (sqlite3_open(":memory:", &db) != SQLITE_OK) std::abort();
  run_sql(db, "CREATE TABLE t(key TEXT PRIMARY KEY, partition INTEGER) WITHOUT ROWID; BEGIN");
  sqlite3_stmt* insert = nullptr;
  sqlite3_prepare_v2(db, "INSERT OR IGNORE INTO t VALUES (?, ?)", -1, &insert, nullptr);
  for (std::size_t i = 0; i < data.keys.size(); ++i) {
    sqlite3_bind_text(insert, 1, data.keys[i].data(), static_cast<int>(data.keys[i].size()), SQLITE_STATIC);
    sqlite3_bind_int64(insert, 2, static_cast<sqlite3_int64>(data.partitions[i]));
    if (sqlite3_step(insert) != SQLITE_DONE) std::abort();
    sqlite3_reset(insert);
  }
  sqlite3_finalize(insert);
  run_sql(db, "COMMIT; VACUUM");
  sqlite3_stmt* pages = nullptr;
  sqlite3_prepare_v2(db, "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size", -1, &pages, nullptr);
  sqlite3_step(pages);
  const double bytes = sqlite3_column_double(pages, 0);
  sqlite3_finalize(pages);
  sqlite3_stmt* ask = nullptr;
  sqlite3_prepare_v2(db, "SELECT partition FROM t WHERE key = ?", -1, &ask, nullptr);
  print_row("a table in SQLite, in memory", data, bytes, std::min<std::size_t>(data.asked.size(), 200'000),
            [&](std::string_view key) {
              sqlite3_bind_text(ask, 1, key.data(), static_cast<int>(key.size()), SQLITE_STATIC);
              const bool found = sqlite3_step(ask) == SQLITE_ROW;
              const std::uint64_t partition = found ? static_cast<std::uint64_t>(sqlite3_column_int64(ask, 0)) : 0;
              sqlite3_reset(ask);
              return partition;
            });
  sqlite3_finalize(ask);
  sqlite3_close(db);
}

}  // namespace
}  // namespace crivo::bench

int main(int argc, char** argv) {
  CLI::App app("Which of 100 partitions has a key: a map beside other ways");
  std::size_t keys = 1'000'000;
  app.add_option("--keys", keys, "Keys of all partitions together")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  const auto data = crivo::bench::make_data(keys);
  crivo::bench::print_maps(data);
  crivo::bench::print_filters(data);
  crivo::bench::print_hash_table(data);
  crivo::bench::print_table(data);
  return 0;
}
