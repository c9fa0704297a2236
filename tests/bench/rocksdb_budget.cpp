#include "rocksdb_budget.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <sstream>

#include "rocksdb_rivals.h"

namespace crivo::bench {
namespace {

constexpr double kSmallCacheShare = 0.01;

// The fraction of all keys in each run.
std::vector<double> runs_of(const Tree& tree) {
  std::vector<double> shares;
  for (const Level& level : tree.levels) {
    const std::uint64_t runs = level.number == 0 ? level.files : 1;
    const double share = static_cast<double>(level.keys) / static_cast<double>(runs * tree.keys());
    shares.insert(shares.end(), runs, share);
  }
  return shares;
}

/// The expected number of false positives for an absent key that is looked up in every run of a tree. A filter with the
/// rate p has log2(1 / p) bits per key, and the tree has `bits_per_key` on average. The first function uses one rate
/// for all runs. The second uses the rates with the smallest sum (Dayan, Athanassoulis & Idreos, Monkey, 2017): below
/// 1, they are proportional to the runs' keys.
double false_positives_of_one_rate(const Tree& tree, double bits_per_key) {
  return static_cast<double>(runs_of(tree).size()) * std::exp2(-bits_per_key);
}

double least_false_positives(const Tree& tree, double bits_per_key) {
  const std::vector<double> shares = runs_of(tree);
  const auto rate = [](double factor, double share) { return std::min(1.0, factor * share); };
  double low = -1100;  // of log2(factor)
  double high = 100;
  while (high - low > 1e-9) {
    const double middle = (low + high) / 2;
    double bits = 0;
    for (const double share : shares) bits -= share * std::log2(rate(std::exp2(middle), share));
    (bits > bits_per_key ? low : high) = middle;
  }
  double sum = 0;
  for (const double share : shares) sum += rate(std::exp2(high), share);
  return sum;
}

BudgetRow measure(double budget, const Rival& rival, const Shape& shape, const Effort& effort) {
  constexpr Workload kAbsent = kWorkloads[0];
  std::fprintf(stderr, "filling a database: %s\n", rival.label.c_str());
  Database database(rival, shape, effort.folder + "/budget");
  database.fill();
  const auto count = [&] {
    (void)ask(database, kAbsent, effort.questions, 0);  // warms the block cache
    return ask(database, kAbsent, effort.rounds * effort.questions, 1).counters;
  };
  const Counters usual = count();
  database.set_cache_share(kSmallCacheShare);
  return {budget, rival, database.tree(), usual, count()};
}

// Per thousand lookups.
double maybe(const BudgetRow& row) { return row.counters.per_thousand(row.counters.positive); }
double reads(const BudgetRow& row) { return row.counters.per_thousand(row.counters.data_reads); }
double reads_of_small_cache(const BudgetRow& row) { return row.small_cache.per_thousand(row.small_cache.data_reads); }

const BudgetRow* find(const std::vector<BudgetRow>& rows, double budget, const std::string& label_start) {
  for (const BudgetRow& row : rows) {
    if (row.budget == budget && row.rival.label.starts_with(label_start)) return &row;
  }
  return nullptr;
}

}  // namespace

std::vector<BudgetRow> measure_budgets(const std::vector<double>& budgets, const Shape& shape, const Effort& effort) {
  std::filesystem::create_directories(effort.folder);
  std::vector<BudgetRow> rows;
  for (const double budget : budgets) {
    for (const Rival& rival : rivals_at_equal_memory(budget, shape)) {
      rows.push_back(measure(budget, rival, shape, effort));
    }
  }
  return rows;
}

void print_budgets(const std::vector<BudgetRow>& rows) {
  std::printf("\n== absent keys at equal memory, %llu keys; each figure but the first for 1000 questions\n",
              static_cast<unsigned long long>(rows.front().tree.keys()));
  std::printf(
      "maybe: wasted reads of data blocks, which are the disk reads without a block cache; reads: the disk\n"
      "reads with block caches of 10%% and of 1%% of the data; ratios are over crivo.Ribbon; predicted: the sum of\n"
      "the rates of filters at the information limit\n");
  double budget = 0;
  for (const BudgetRow& row : rows) {
    if (row.budget != budget) {
      budget = row.budget;
      std::printf(
          "\nbudget of %4g bits per key        %9s %9s %7s %9s %7s %9s %7s   predicted: one rate %.1f, Monkey %.1f\n",
          budget, "bits/key", "maybe", "ratio", "10% reads", "ratio", "1% reads", "ratio",
          1000 * false_positives_of_one_rate(row.tree, budget), 1000 * least_false_positives(row.tree, budget));
    }
    const BudgetRow& one_rate = *find(rows, budget, "crivo.Ribbon,");
    std::printf("%-33s %9.3f", row.rival.label.c_str(), row.tree.bits_per_key());
    for (const auto figure : {maybe, reads, reads_of_small_cache}) {
      std::printf(" %9.2f %7.3f", figure(row), figure(row) / figure(one_rate));
    }
    std::printf("\n");
  }
  std::fflush(stdout);
}

std::string budgets_csv(const std::vector<BudgetRow>& rows) {
  std::ostringstream lines;
  lines << "budget,filter,bits_per_key,maybe,reads,reads_of_small_cache,predicted_one_rate,predicted_monkey\n";
  for (const BudgetRow& row : rows) {
    lines << row.budget << ",\"" << row.rival.label << "\"," << row.tree.bits_per_key() << ',' << maybe(row) << ','
          << reads(row) << ',' << reads_of_small_cache(row) << ','
          << 1000 * false_positives_of_one_rate(row.tree, row.budget) << ','
          << 1000 * least_false_positives(row.tree, row.budget) << '\n';
  }
  return lines.str();
}

}  // namespace crivo::bench
