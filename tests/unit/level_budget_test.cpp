// The division of memory over the levels of a tree is optimal, and equals Monkey's where Monkey's formula is valid.
#include "crivo/host/level_budget.h"

#include <cmath>
#include <limits>
#include <vector>

#include "crivo/host/sizing.h"
#include "crivo/kinds.h"
#include "filters.h"
#include "matchers.h"

namespace crivo::testing {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::vector<TreeLevel> tree(Kind kind, double ratio, int levels) {
  std::vector<TreeLevel> tree;
  for (int i = 0; i < levels; ++i) tree.push_back({std::pow(ratio, i), kind});
  return tree;
}

double bits_in_all(const std::vector<TreeLevel>& levels, const std::vector<LevelFilter>& filters) {
  double bits = 0;
  double keys = 0;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    bits += filters[i].bits_per_key * levels[i].keys;
    keys += levels[i].keys;
  }
  return bits / keys;
}

double false_positives(const std::vector<TreeLevel>& levels, const std::vector<LevelFilter>& filters) {
  double sum = 0;
  for (std::size_t i = 0; i < levels.size(); ++i) sum += levels[i].runs * filters[i].fp_rate;
  return sum;
}

double blocked_rate(double bits) {
  return bits <= 0 ? 1 : blocked_fp_rate(bits / kBlockBits, 1, best_blocked_probes(bits));
}

TEST(LevelBudget, SpendsTheWholeBudget) {
  for (const Kind kind : {Kind::kBlocked, Kind::kRibbon}) {
    for (const double budget : {0.0, 0.25, 1.0, 3.5, 5.0, 10.0, 16.0}) {
      const auto levels = tree(kind, 10, 4);
      EXPECT_NEAR(bits_in_all(levels, *divide_budget(levels, budget)), budget, 1e-9) << kind_name(kind);
    }
  }
}

TEST(LevelBudget, HasNoBetterExchangeBetweenTwoLevels) {
  const std::vector<TreeLevel> levels{{.keys = 1, .kind = Kind::kBlocked, .runs = 4},
                                      {.keys = 7, .kind = Kind::kBlocked},
                                      {.keys = 50, .kind = Kind::kBlocked}};
  for (const double budget : {2.0, 5.0, 10.0}) {
    const auto best = *divide_budget(levels, budget);
    const double sum = false_positives(levels, best);
    for (std::size_t from = 0; from < levels.size(); ++from) {
      for (std::size_t to = 0; to < levels.size(); ++to) {
        for (const double bits : {1.0, 3.0}) {  // for each key of `from`
          auto other = best;
          other[from].bits_per_key -= bits;
          other[to].bits_per_key += bits * levels[from].keys / levels[to].keys;
          if (from == to || other[from].bits_per_key < 0) continue;
          for (auto& filter : other) filter.fp_rate = blocked_rate(filter.bits_per_key);
          EXPECT_GT(false_positives(levels, other), sum * 0.999) << from << " to " << to << ", budget " << budget;
        }
      }
    }
  }
}

TEST(LevelBudget, StopsAtTheLowestRate) {
  for (const Kind kind : {Kind::kBlocked, Kind::kRibbon}) {
    const auto filters = *divide_budget(tree(kind, 10, 3), 1000);
    for (const LevelFilter& filter : filters) {
      EXPECT_LE(filter.fp_rate, 1e-9);
      EXPECT_GT(filter.fp_rate, 1e-10);
    }
  }
}

TEST(LevelBudget, WithoutMemoryThereAreNoFilters) {
  const auto filters = *divide_budget(tree(Kind::kRibbon, 10, 3), 0);
  for (const LevelFilter& filter : filters) {
    EXPECT_EQ(filter.bits_per_key, 0);
    EXPECT_EQ(filter.fp_rate, 1);
  }
}

TEST(LevelBudget, RefusesWhatIsNoTree) {
  const auto message = [](std::vector<TreeLevel> levels, double budget) {
    return message_of(divide_budget(levels, budget));
  };
  EXPECT_EQ(message({}, 10), "levels must be at least 1, got 0");
  EXPECT_EQ(message({{1, Kind::kRibbon}}, -1), "budget_bits_per_key must be in [0, 1000], got -1");
  EXPECT_THAT(message({{1, Kind::kRibbon}}, kNan), HasSubstr("budget_bits_per_key must be in [0, 1000]"));
  EXPECT_EQ(message({{0, Kind::kRibbon}}, 10), "keys must be above 0 and finite, got 0");
  EXPECT_THAT(message({{kNan, Kind::kRibbon}}, 10), HasSubstr("keys must be above 0"));
  EXPECT_EQ(message({{1, Kind::kRibbon, 0}}, 10), "runs must be above 0 and finite, got 0");
  EXPECT_EQ(message({{1, Kind::kCuckoo}}, 10),
            "kind must be kBlocked or kRibbon, got number " + std::to_string(static_cast<unsigned>(Kind::kCuckoo)));
}

}  // namespace
}  // namespace crivo::testing
