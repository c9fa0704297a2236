#include "rocksdb_budget.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <sstream>

#include "rocksdb_rivals.h"

namespace crivo::bench {
namespace {

// The keys of each run, as shares of all keys.
std::vector<double> runs_of(const Tree& tree) {
  std::vector<double> shares;
  for (const Level& level : tree.levels) {
    const std::uint64_t runs = level.number == 0 ? level.files : 1;
    const double share = static_cast<double>(level.keys) / static_cast<double>(runs * tree.keys());
    shares.insert(shares.end(), runs, share);
  }
  return shares;
}

BudgetRow measure(double budget, const Rival& rival, const Shape& shape, const Effort& effort) {
  constexpr Workload kAbsent = kWorkloads[0];
  std::fprintf(stderr, "filling a database: %s\n", rival.label.c_str());
  Database database(rival, shape, effort.folder + "/budget");
  database.fill();
  (void)ask(database, kAbsent, effort.questions, 0);  // warms the block cache
  return {budget, rival, database.tree(), ask(database, kAbsent, effort.rounds * effort.questions, 1).counters};
}

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

void print_budgets(const std::vector<BudgetRow>& rows) {
  std::printf("\n== absent keys at equal memory, %llu keys; each figure but the first for 1000 questions\n",
              static_cast<unsigned long long>(rows.front().tree.keys()));
  std::printf(
      "maybe: data blocks looked at in vain, which are the disk reads without a block cache; reads: those that\n"
      "were not in the block cache; predicted: the sum of the rates of filters at the information limit\n");
  double budget = 0;
  for (const BudgetRow& row : rows) {
    if (row.budget != budget) {
      budget = row.budget;
      std::printf("\n%-30s %9s %9s %7s %9s %7s   predicted: one rate %.1f, Monkey %.1f\n",
                  ("budget of " + std::to_string(static_cast<int>(budget)) + " bits per key").c_str(), "bits/key",
                  "maybe", "ratio", "reads", "ratio", 1000 * false_positives_of_one_rate(row.tree, budget),
                  1000 * least_false_positives(row.tree, budget));
    }
    const Counters& ours = row.counters;
    const Counters& one_rate = find(rows, budget, "crivo.Ribbon,")->counters;
    std::printf("%-30s %9.3f %9.2f %7.3f %9.2f %7.3f\n", row.rival.label.c_str(), row.tree.bits_per_key(),
                ours.per_thousand(ours.positive),
                ours.per_thousand(ours.positive) / one_rate.per_thousand(one_rate.positive),
                ours.per_thousand(ours.data_reads),
                ours.per_thousand(ours.data_reads) / one_rate.per_thousand(one_rate.data_reads));
  }
  std::fflush(stdout);
}

std::string budgets_csv(const std::vector<BudgetRow>& rows) {
  std::ostringstream lines;
  lines << "budget,filter,bits_per_key,maybe,reads,predicted_one_rate,predicted_monkey\n";
  for (const BudgetRow& row : rows) {
    lines << row.budget << ",\"" << row.rival.label << "\"," << row.tree.bits_per_key() << ','
          << row.counters.per_thousand(row.counters.positive) << ','
          << row.counters.per_thousand(row.counters.data_reads) << ','
          << 1000 * false_positives_of_one_rate(row.tree, row.budget) << ','
          << 1000 * least_false_positives(row.tree, row.budget) << '\n';
  }
  return lines.str();
}

}  // namespace crivo::bench
