// Disk reads of absent keys if all policies get the same memory. Shows the gain of a separate rate for each level.
#pragma once

#include "rocksdb_section.h"

namespace crivo::bench {

/// The measurements of one policy with one budget.
struct BudgetRow {
  double budget = 0;  // in bits per key over the whole database
  Rival rival;
  Tree tree;
  Counters counters;     // for Get of absent keys
  Counters small_cache;  // with a block cache of a hundredth of the data
};

/// Fills a database for each budget and policy, and looks up absent keys. Throws std::runtime_error.
[[nodiscard]] std::vector<BudgetRow> measure_budgets(const std::vector<double>& budgets, const Shape& shape,
                                                     const Effort& effort);

void print_budgets(const std::vector<BudgetRow>& rows);
[[nodiscard]] std::string budgets_csv(const std::vector<BudgetRow>& rows);

}  // namespace crivo::bench
