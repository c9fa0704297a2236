// Disk reads of absent keys when all policies get the same memory: what it gains to give each level its own rate.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rocksdb_database.h"
#include "rocksdb_reads.h"
#include "rocksdb_section.h"

namespace crivo::bench {

inline constexpr double kSmallCacheShare = 0.01;

/// What one policy did with one budget.
struct BudgetRow {
  double budget = 0;  // bits per key over the whole database
  Rival rival;
  Tree tree;
  Counters counters;     // of Get, absent keys
  Counters small_cache;  // the same with a block cache of kSmallCacheShare
};

/// Fills a database for each budget and policy, and asks it for absent keys. Throws std::runtime_error.
[[nodiscard]] std::vector<BudgetRow> measure_budgets(const std::vector<double>& budgets, const Shape& shape,
                                                     const Effort& effort);

/// The false positives of an absent key that is looked up in every run of a tree, if filters of the rate p take
/// log2(1 / p) bits per key, and `bits_per_key` of them over the tree: with one rate for all runs, and with the rates
/// that make their sum smallest (Dayan, Athanassoulis & Idreos, Monkey, 2017), which are in proportion to a run's keys
/// where they are below 1.
[[nodiscard]] double false_positives_of_one_rate(const Tree& tree, double bits_per_key);
[[nodiscard]] double least_false_positives(const Tree& tree, double bits_per_key);

void print_budgets(const std::vector<BudgetRow>& rows);
[[nodiscard]] std::string budgets_csv(const std::vector<BudgetRow>& rows);

}  // namespace crivo::bench
