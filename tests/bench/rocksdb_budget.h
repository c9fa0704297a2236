// Disk reads of absent keys when all policies get the same memory: what it gains to give each level its own rate.
#pragma once

#include "rocksdb_section.h"

namespace crivo::bench {

/// What one policy did with one budget.
struct BudgetRow {
  double budget = 0;  // bits per key over the whole database
  Rival rival;
  Tree tree;
  Counters counters;     // of Get, absent keys
  Counters small_cache;  // the same with a block cache of a hundredth of the data
};

/// Fills a database for each budget and policy, and asks it for absent keys. Throws std::runtime_error.
[[nodiscard]] std::vector<BudgetRow> measure_budgets(const std::vector<double>& budgets, const Shape& shape,
                                                     const Effort& effort);

void print_budgets(const std::vector<BudgetRow>& rows);
[[nodiscard]] std::string budgets_csv(const std::vector<BudgetRow>& rows);

}  // namespace crivo::bench
