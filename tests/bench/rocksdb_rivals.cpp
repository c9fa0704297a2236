#include "rocksdb_rivals.h"

#include <rocksdb/table.h>

#include <array>
#include <cstdio>
#include <stdexcept>

#include "crivo/host/level_budget.h"
#include "crivo/host/sizing.h"
#include "rocksdb_library.h"

namespace crivo::bench {
namespace {

/// crivo.Auto for the tree of a Shape, with three levels below level 0.
std::string auto_with(const std::string& option, const std::string& value) {
  return "{id=crivo.Auto;levels=3;" + option + "=" + value + "}";
}

std::string number(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.4g", value);
  return text.data();
}

double blocked_fp_rate(double bits_per_key) {
  return crivo::blocked_fp_rate(bits_per_key / 512, 1, best_blocked_probes(bits_per_key));
}

// The false positives per lookup of an absent key in the tree of a Shape, with crivo.Auto and this budget.
double false_positives(double budget_bits_per_key) {
  const std::vector<TreeLevel> levels = {
      {.keys = 400, .kind = Kind::kRibbon},
      {.keys = 40, .kind = Kind::kRibbon},
      {.keys = 4, .kind = Kind::kBlocked},
      {.keys = Shape::kFlushesInLevel0, .kind = Kind::kBlocked, .runs = Shape::kFlushesInLevel0}};
  const auto filters = divide_budget(levels, budget_bits_per_key);
  if (!filters) throw std::runtime_error(filters.error().message);
  double sum = 0;
  for (std::size_t i = 0; i < levels.size(); ++i) sum += levels[i].runs * (*filters)[i].fp_rate;
  return sum;
}

// The budget with which an absent key has as many false positives as with one rate for all levels.
double budget_of_rate(double fp_rate) {
  double low = 0.5;
  double high = 100;
  while (high - low > 0.005) {
    const double middle = (low + high) / 2;
    (false_positives(middle) > Shape::kRuns * fp_rate ? low : high) = middle;
  }
  return high;
}

Rival ours(const std::string& label, const std::string& text) { return {label, policy_from(text)}; }

std::string rocksdb_name() { return RocksdbLibrary::get() != nullptr ? "RocksDB src " : "RocksDB "; }

Rival theirs(const std::string& name, double bits_per_key) {
  return {rocksdb_name() + name + " " + number(bits_per_key), rocksdb_policy(name, bits_per_key)};
}

/// The actual size of this policy's filter, in bytes, in a file of this level with this number of keys.
std::size_t filter_bytes(const rocksdb::FilterPolicy& policy, int level, std::uint64_t keys) {
  const rocksdb::BlockBasedTableOptions table;
  rocksdb::FilterBuildingContext context(table);
  context.compaction_style = rocksdb::kCompactionStyleLevel;
  context.reason =
      level == 0 ? rocksdb::TableFileCreationReason::kFlush : rocksdb::TableFileCreationReason::kCompaction;
  context.num_levels = Shape::kLevels;
  context.level_at_creation = level;
  context.is_bottommost = level == Shape::kLevels - 1;
  return block_bytes(policy, context, keys);
}

/// The actual bits per key over all filters in a tree of this shape.
double real_bits_per_key(const rocksdb::FilterPolicy& policy, const Shape& shape) {
  double bytes = static_cast<double>(Shape::kFlushesInLevel0 * filter_bytes(policy, 0, shape.keys_per_flush));
  double files = 1;
  for (int level = 1; level < Shape::kLevels; ++level, files *= Shape::kLevelRatio) {
    bytes += files * static_cast<double>(filter_bytes(policy, level, shape.keys_per_file()));
  }
  return 8 * bytes / static_cast<double>(shape.keys());
}

/// Searches for the bits at which the filters of `make(bits)` have `wanted` actual bits per key. Returns that policy.
Policy of_size(const std::function<Policy(double bits)>& make, double wanted, const Shape& shape) {
  double low = 0.5;
  double high = 4 * wanted;
  while (high - low > 0.005) {
    const double middle = (low + high) / 2;
    (real_bits_per_key(*make(middle), shape) < wanted ? low : high) = middle;
  }
  return make(high);
}

}  // namespace

std::vector<Rival> rivals_at_equal_rate() {
  const std::string budget = number(budget_of_rate(blocked_fp_rate(10)));
  return {
      theirs("Bloom", 10),
      theirs("Ribbon", 10),
      ours("crivo.Bloom:10", "crivo.Bloom:10"),
      ours("crivo.Ribbon:10", "crivo.Ribbon:10"),
      ours("crivo.Auto:10", auto_with("bits_per_key", "10")),
      ours("crivo.Auto, budget " + budget, auto_with("budget_bits_per_key", budget)),
      ours("crivo.Auto:10, bottommost 10%", auto_with("bits_per_key", "10;bottommost_fp_rate=0.1")),
  };
}

std::vector<Rival> rivals_at_equal_memory(double bits_per_key, const Shape& shape) {
  std::vector<Rival> rivals;
  const auto add = [&](const std::string& label, const std::function<Policy(double)>& make) {
    rivals.push_back({label + ", " + number(bits_per_key) + " bits", of_size(make, bits_per_key, shape)});
  };
  add(rocksdb_name() + "Bloom", [](double size) { return rocksdb_policy("Bloom", size); });
  add(rocksdb_name() + "Ribbon", [](double size) { return rocksdb_policy("Ribbon", size); });
  add("crivo.Bloom", [](double size) { return policy_from("crivo.Bloom:" + number(size)); });
  add("crivo.Ribbon", [](double size) { return policy_from("crivo.Ribbon:" + number(size)); });
  add("crivo.Auto", [](double size) { return policy_from(auto_with("bits_per_key", number(size))); });
  add("crivo.Auto with a budget",
      [](double size) { return policy_from(auto_with("budget_bits_per_key", number(size))); });
  return rivals;
}

}  // namespace crivo::bench
