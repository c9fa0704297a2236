// The false-positive rate that RocksDB sees, against the published model.
#include <cmath>

#include "crivo/host/sizing.h"
#include "support.h"

namespace crivo::testing {
namespace {

constexpr std::uint64_t kKeys = 100000;
constexpr std::uint64_t kAbsent = 400000;

struct Case {
  std::string name;
  RocksDBFilterOptions options;
};

void PrintTo(const Case& size, std::ostream* out) { *out << size.name; }

/// The rate that the model gives for the block that was written, from its size in bytes.
double model_rate(const RocksDBFilterOptions& options, std::uint64_t filter_size) {
  const double keys = kKeys;
  if (options.kind == Kind::kRibbon) {
    if (options.fp_rate) return *options.fp_rate;
    return blocked_fp_rate(*options.bits_per_key / kBlockBits, 1, best_blocked_probes(*options.bits_per_key));
  }
  const std::uint64_t whole_blocks = (filter_size - 32) / 64;
  const auto blocks = static_cast<double>(whole_blocks);
  return blocked_fp_rate(blocks, keys, best_blocked_probes(blocks * kBlockBits / keys));
}

class EverySize : public ::testing::TestWithParam<Case> {};

TEST_P(EverySize, KeepsTheModelsFalsePositiveRateInADatabase) {
  const rocksdb::Options options = with_policy(test_options(), NewRocksDBFilterPolicy(GetParam().options));
  const ScratchDatabase db(options);
  put_keys(*db, 0, kKeys);
  const bool ribbon = GetParam().options.kind == Kind::kRibbon;
  expect_filters_at_work(*db, options, kKeys, ribbon ? "crivo.Ribbon" : "crivo.Bloom");
  const auto files = table_properties(*db);
  ASSERT_EQ(files.size(), 1U);
  const auto& properties = *files.begin()->second;
  ASSERT_EQ(properties.num_filter_entries, kKeys);
  const double model = model_rate(GetParam().options, properties.filter_size);
  if (ribbon) {
    // docs/format.md: a share of blocks in 32768ths makes any rate; and within 2% of the information limit.
    const double limit = -std::log2(model) * kKeys / 8;
    EXPECT_LT(static_cast<double>(properties.filter_size), limit * 1.02 + 1000);
  }

  options.statistics->Reset();
  ASSERT_EQ(count_not_found(*db, kKeys, kKeys + kAbsent), kAbsent);
  const auto passed = static_cast<double>(options.statistics->getTickerCount(rocksdb::BLOOM_FILTER_FULL_POSITIVE));
  const auto asked = passed + static_cast<double>(filter_useful(options));
  ASSERT_GT(asked, 0.999 * kAbsent) << "random keys lie between the file's first and last";
  // Binomial: beyond 4.75 standard deviations once in a million runs for a fair filter. The keys are fixed, so a run
  // that is green once stays so.
  const double deviation = std::sqrt(asked * model * (1 - model));
  EXPECT_LE(passed, asked * model + 4.75 * deviation);
  EXPECT_GE(passed, asked * model - 4.75 * deviation) << "the model must not be too high either";
  if (const auto promised = GetParam().options.fp_rate) {
    EXPECT_LE(model, *promised);
    EXPECT_GT(model, 0.97 * *promised) << "no more bits than the promise takes";
  }
  RecordProperty("measured", std::to_string(passed / asked));
  RecordProperty("model", std::to_string(model));
}

Case blocked(const std::string& name, std::optional<double> bits_per_key, std::optional<double> fp_rate) {
  return {name, {.bits_per_key = bits_per_key, .fp_rate = fp_rate, .kind = Kind::kBlocked}};
}

Case ribbon(const std::string& name, std::optional<double> bits_per_key, std::optional<double> fp_rate) {
  return {name, {.bits_per_key = bits_per_key, .fp_rate = fp_rate, .kind = Kind::kRibbon, .bloom_before_level = -1}};
}

INSTANTIATE_TEST_SUITE_P(Rocksdb, EverySize,
                         ::testing::Values(blocked("Bits6", 6, {}), blocked("Bits10", 10, {}),
                                           blocked("Bits15_5", 15.5, {}), blocked("Rate3Percent", {}, 0.03),
                                           blocked("Rate1Percent", {}, 0.01), blocked("Rate1PerMille", {}, 0.001),
                                           ribbon("RibbonBits6", 6, {}), ribbon("RibbonBits10", 10, {}),
                                           ribbon("RibbonBits15_5", 15.5, {}), ribbon("RibbonRate3Percent", {}, 0.03),
                                           ribbon("RibbonRate1Percent", {}, 0.01)),
                         [](const auto& param_info) { return param_info.param.name; });

}  // namespace
}  // namespace crivo::testing
