// crivo sst advise: what it predicts is what a database then does, and it proposes nothing that could lose keys.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/table.h>

#include <nlohmann/json.hpp>
#include <set>

#include "../tool/shell.h"
#include "support.h"

namespace crivo::testing {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// Keys that are written together, into files of one level.
struct Batch {
  int level;
  double share;           // of all keys
  bool one_part = false;  // only keys of one sixteenth of the range
};

/// A tree, from the last level up.
struct Shape {
  std::string label;
  bool dynamic_levels;
  rocksdb::CompactionStyle style;
  std::vector<Batch> batches;
};
void PrintTo(const Shape& shape, std::ostream* out) { *out << shape.label; }

const std::vector<Shape>& shapes() {
  static const std::vector<Shape> all = {
      {"TwoLevels", true, rocksdb::kCompactionStyleLevel, {{6, 0.9}, {5, 0.1}}},
      {"FourLevelsAndLevel0",
       false,
       rocksdb::kCompactionStyleLevel,
       {{4, 0.8}, {3, 0.14}, {2, 0.03}, {1, 0.01}, {0, 0.01}, {0, 0.005}, {0, 0.005, true}}},
      {"Universal",
       false,
       rocksdb::kCompactionStyleUniversal,
       {{6, 0.6}, {5, 0.2}, {4, 0.1}, {0, 0.05}, {0, 0.03}, {0, 0.02}}}};
  return all;
}

rocksdb::Options options_of(const Shape& shape, const Policy& policy) {
  rocksdb::Options options = with_policy(test_options(), policy);
  options.compression = rocksdb::kNoCompression;
  options.compaction_style = shape.style;
  options.level_compaction_dynamic_level_bytes = shape.dynamic_levels;
  options.target_file_size_base = 1 << 20;
  return options;
}

class SstAdvise : public ToolTest {
 protected:
  [[nodiscard]] std::string db() const { return path("db").string(); }

  /// Writes a tree, each batch into its level; key numbers from keys on are absent.
  static void write_tree(rocksdb::DB& db, const Shape& shape, std::uint64_t keys) {
    std::uint64_t number = 0;
    for (const Batch& batch : shape.batches) {
      const auto end = number + static_cast<std::uint64_t>(batch.share * static_cast<double>(keys));
      for (; number < end; ++number) {
        std::string key = key_of(number);
        if (batch.one_part) key[0] = '0';
        ASSERT_TRUE(db.Put({}, key, key).ok());
      }
      ASSERT_TRUE(db.Flush({}).ok());
      if (batch.level > 0) move_down(db, batch.level);
    }
  }

  static void move_down(rocksdb::DB& db, int level) {
    rocksdb::ColumnFamilyMetaData meta;
    db.GetColumnFamilyMetaData(&meta);
    std::vector<std::string> files;
    for (const auto& file : meta.levels[0].files) files.push_back(file.directory + "/" + file.relative_filename);
    const rocksdb::Status moved = db.CompactFiles({}, files, level);
    ASSERT_TRUE(moved.ok()) << moved.ToString();
  }

  /// What the database really has.
  struct Measured {
    double bytes = 0;
    double looks = 0;
  };
  Measured measure(const Shape& shape, std::uint64_t keys, std::uint64_t questions) const {
    const rocksdb::Options options = options_of(shape, crivo_auto());
    const auto opened = open_database(options, db());
    rocksdb::TablePropertiesCollection files;
    EXPECT_TRUE(opened->GetPropertiesOfAllTables(&files).ok());
    Measured measured;
    for (const auto& [path, properties] : files) measured.bytes += static_cast<double>(properties->filter_size);
    EXPECT_EQ(count_not_found(*opened, keys, keys + questions), questions);
    const auto passed = options.statistics->getTickerCount(rocksdb::BLOOM_FILTER_FULL_POSITIVE);
    measured.looks = static_cast<double>(passed) / static_cast<double>(questions);
    return measured;
  }

  json advise(const std::string& arguments, int exit_code = 0) {
    const Outcome told = crivo("sst advise --json " + arguments);
    EXPECT_EQ(told.exit_code, exit_code) << told.err;
    return json::parse(told.out);
  }
};

void expect_near(const SstAdvise&, const std::string& what, double measured, double predicted) {
  EXPECT_NEAR(measured / predicted, 1, 0.1) << what << ": measured " << measured << ", predicted " << predicted;
}

/// Asks advice, follows it, and compares.
class Predictions : public SstAdvise, public ::testing::WithParamInterface<Shape> {
 protected:
  void follow(std::uint64_t keys, std::uint64_t questions, const Policy& before, std::size_t choices_followed) {
    const Shape& shape = GetParam();
    write_tree(*open_database(options_of(shape, before), db()), shape, keys);
    const json advice = advise("db")[0];
    compare("now", advice["now"], measure(shape, keys, questions));
    ASSERT_EQ(advice["plans"].size(), 2U);
    for (const json& plan : advice["plans"]) {
      const json& choices = plan["choices"];
      ASSERT_EQ(choices.size(), 5U);
      for (std::size_t i = 0; i < std::min(choices.size(), choices_followed); ++i) {
        const std::string policy = choices[i]["filter_policy"];
        const Outcome done = crivo("sst refilter -q --policy '" + policy + "' db");
        EXPECT_EQ(done.exit_code, 0) << done.err;
        const Measured then = measure(shape, keys, questions);
        compare(plan["goal"].get<std::string>() + " " + policy, choices[i], then);
        RecordProperty(policy, std::to_string(then.looks));
      }
    }
  }

  void compare(const std::string& what, const json& predicted, const Measured& measured) const {
    const double bytes = predicted["filter_bytes"];
    const double looks = predicted["looks_in_vain"];
    std::printf("%-100s bytes %9.0f %6.3f  looks %.5f %6.3f\n", what.c_str(), bytes, measured.bytes / bytes, looks,
                measured.looks / looks);
    expect_near(*this, what + ", bytes", measured.bytes, bytes);
    expect_near(*this, what + ", looks in vain", measured.looks, looks);
  }
};

TEST_P(Predictions, AreWhatTheBestChoiceThenDoes) { follow(100000, 100000, builtin_bloom(6), 1); }

TEST_P(Predictions, LongAreWhatEveryChoiceThenDoes) { follow(600000, 300000, builtin_bloom(7), 5); }

INSTANTIATE_TEST_SUITE_P(SstAdvise, Predictions, ::testing::ValuesIn(shapes()),
                         [](const auto& param_info) { return param_info.param.label; });

}  // namespace
}  // namespace crivo::testing
