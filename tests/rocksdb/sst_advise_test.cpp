// crivo sst advise: a database behaves as predicted, and no advice could lose keys.

#include <nlohmann/json.hpp>
#include <set>

#include "sst_support.h"

namespace crivo::testing {
namespace {

using nlohmann::json;

/// Keys that are written together, into files of one level.
struct Batch {
  int level;
  double share;           // of all keys
  bool one_part = false;  // only keys in one sixteenth of the range
};

/// The levels of a tree, from the last level up.
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

class SstAdvise : public SstToolTest {
 protected:
  /// Writes a tree, each batch into its level. Key numbers from `keys` are absent.
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

  /// The database's measured values.
  struct Measured {
    double bytes = 0;
    double reads = 0;
  };
  Measured measure(const Shape& shape, std::uint64_t keys, std::uint64_t questions) const {
    const rocksdb::Options options = options_of(shape, crivo_auto());
    const auto opened = open_database(options, db());
    const auto files = table_properties(*opened);
    Measured measured;
    for (const auto& [path, properties] : files) measured.bytes += static_cast<double>(properties->filter_size);
    EXPECT_EQ(count_not_found(*opened, keys, keys + questions), questions);
    const auto passed = options.statistics->getTickerCount(rocksdb::BLOOM_FILTER_FULL_POSITIVE);
    measured.reads = static_cast<double>(passed) / static_cast<double>(questions);
    return measured;
  }

  json advise(const std::string& arguments, int exit_code = 0) {
    const Outcome result = crivo("sst advise --json " + arguments);
    EXPECT_EQ(result.exit_code, exit_code) << result.err;
    return json::parse(result.out);
  }
};

void expect_near(const std::string& what, double measured, double predicted) {
  EXPECT_NEAR(measured / predicted, 1, 0.1) << what << ": measured " << measured << ", predicted " << predicted;
}

/// Gets advice, follows it, and compares the prediction with the measurement.
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
      EXPECT_EQ(choices[0]["kind"], "auto") << "which can do what the others can";
      for (std::size_t i = 0; i < std::min(choices.size(), choices_followed); ++i) {
        const std::string policy = choices[i]["filter_policy"];
        // Without this step, refilter would skip files whose filters are almost right.
        EXPECT_THAT(crivo("sst refilter -q --policy none db"), Succeeds());
        EXPECT_THAT(crivo("sst refilter -q --policy '" + policy + "' db"), Succeeds());
        const Measured then = measure(shape, keys, questions);
        compare(plan["goal"].get<std::string>() + " " + policy, choices[i], then);
      }
    }
  }

  void compare(const std::string& what, const json& predicted, const Measured& measured) const {
    const double bytes = predicted["filter_bytes"];
    const double reads = predicted["wasted_reads"];
    expect_near(what + ", bytes", measured.bytes, bytes);
    expect_near(what + ", wasted reads", measured.reads, reads);
  }
};

TEST_P(Predictions, AreWhatTheBestChoiceThenDoes) { follow(50000, 100000, builtin_bloom(6), 1); }

TEST_P(Predictions, LongAreWhatEveryChoiceThenDoes) { follow(600000, 300000, builtin_bloom(7), 5); }

INSTANTIATE_TEST_SUITE_P(SstAdvise, Predictions, ::testing::ValuesIn(shapes()),
                         [](const auto& param_info) { return param_info.param.label; });

constexpr std::uint64_t kKeys = 20000;

TEST_F(SstAdvise, RefusesWhatIsNoDatabaseAndNoMemory) {
  write("a file", "text");
  open_database(test_options(), db()).reset();
  const auto refused = [&](const std::string& arguments) {
    const Outcome result = crivo("sst advise " + arguments);
    EXPECT_EQ(result.exit_code, 2) << arguments;
    EXPECT_EQ(result.out, "") << arguments;
    return result.err;
  };
  EXPECT_THAT(
      refused("nowhere"),
      StartsWith("crivo sst advise: DB must be the folder of a database, got nowhere: No such file or directory"));
  EXPECT_THAT(refused("'a file'"), HasSubstr("DB must be the folder of a database, got a file"));
  EXPECT_THAT(refused("''"), HasSubstr("DB must be the folder of a database, got nothing"));
  EXPECT_THAT(refused("."), HasSubstr("OPTIONS of DB must exist and name only known objects, got ."));
  for (const char* memory : {"2X", "0", "-1", "1.5G", "65T"}) {
    EXPECT_EQ(refused(std::string("--memory=") + memory + " db"),
              std::string("crivo sst advise: memory must be a number of bytes from 1 to 64T, such as 4G or 4GB, got ") +
                  memory + '\n');
  }
  EXPECT_EQ(refused("--column-family nobody db"),
            "crivo sst advise: --column-family must be one of the database's, got nobody\n");
}

TEST_F(SstAdvise, LeavesADatabaseThatIsInUseAsItIs) {
  const Shape& shape = shapes()[0];
  rocksdb::Options options = options_of(shape, builtin_bloom());
  options.stats_dump_period_sec = 0;  // LOG grows only if the tool writes into it
  const auto opened = open_database(options, db());
  write_tree(*opened, shape, kKeys);
  const std::string listed = shell("ls -l --time-style=full-iso db").out;
  EXPECT_THAT(
      crivo("sst advise db"),
      Exits(0, "",
            AllOf(HasSubstr(".\n\ncolumn family default, filter_policy bloomfilter:10:false\nlevel  files   runs"),
                  HasSubstr("\nWith at most the present memory:\n"),
                  HasSubstr("\nWith at most the present wasted reads:\n"))));
  EXPECT_EQ(shell("ls -l --time-style=full-iso db").out, listed);
}

TEST_F(SstAdvise, HasTheSameNamesInEveryJson) {
  write_tree(*open_database(options_of(shapes()[0], builtin_bloom()), db()), shapes()[0], kKeys);
  const auto names = [](const json& object) {
    std::set<std::string> all;
    for (const auto& [name, value] : object.items()) all.insert(name);
    return all;
  };
  using Names = std::set<std::string>;
  EXPECT_EQ(advise("--memory 100 db")[0]["plans"][0]["choices"], json::array()) << "none that writes no filter";
  const json advice = advise("--memory 20K db")[0];
  EXPECT_EQ(names(advice), (Names{"column_family", "filter_policy", "now", "note", "plans", "gets"}));
  EXPECT_EQ(names(advice["now"]), (Names{"filter_bytes", "wasted_reads", "levels"}));
  const Names level{"level", "files", "runs", "kind", "keys", "filter_bytes", "bits_per_key", "wasted_reads"};
  EXPECT_EQ(names(advice["now"]["levels"][0]), level);
  ASSERT_EQ(advice["plans"].size(), 1U);
  EXPECT_EQ(names(advice["plans"][0]), (Names{"goal", "limit", "choices"}));
  EXPECT_EQ(advice["plans"][0]["limit"], 20 << 10);
  Names kinds;
  for (const json& choice : advice["plans"][0]["choices"]) {
    EXPECT_EQ(names(choice), (Names{"kind", "filter_policy", "filter_bytes", "wasted_reads", "levels"}));
    EXPECT_EQ(names(choice["levels"][0]), level);
    EXPECT_LE(choice["filter_bytes"], 20 << 10);
    EXPECT_GT(choice["filter_bytes"], 19 << 10);
    kinds.insert(choice["kind"].get<std::string>());
  }
  EXPECT_EQ(kinds, (Names{"auto", "blocked", "ribbon", "rocksdb_bloom", "rocksdb_ribbon"}));
}

TEST_F(SstAdvise, LevelsAddUpToTheWhole) {
  write_tree(*open_database(options_of(shapes()[1], builtin_bloom()), db()), shapes()[1], kKeys);
  const json advice = advise("db")[0];
  const auto add_up = [](const json& whole) {
    double keys = 0;
    double bytes = 0;
    double reads = 0;
    for (const json& level : whole["levels"]) {
      keys += level["keys"].get<double>();
      bytes += level["filter_bytes"].get<double>();
      reads += level["wasted_reads"].get<double>();
      EXPECT_DOUBLE_EQ(level["bits_per_key"], 8 * level["filter_bytes"].get<double>() / level["keys"].get<double>());
    }
    EXPECT_NEAR(keys, kKeys, 1);
    EXPECT_NEAR(bytes, whole["filter_bytes"], 1);
    EXPECT_NEAR(reads, whole["wasted_reads"], 1e-9);
  };
  add_up(advice["now"]);
  for (const json& choice : advice["plans"][0]["choices"]) add_up(choice);
  const json& level0 = advice["now"]["levels"][0];
  EXPECT_EQ(level0["level"], 0);
  EXPECT_EQ(level0["files"], 3);
  EXPECT_NEAR(level0["runs"].get<double>(), 2 + 1.0 / 16, 0.05) << "one of the three has few keys' place";
  EXPECT_THAT(crivo("sst advise db").out, ContainsRegex("\n  all +7 +6[.]0[0-9] +20000 +[0-9]+ +1[0-9][.][0-9]{2} "));
}

TEST_F(SstAdvise, KeepsThePolicysOtherOptionsAndItsKeyTransformAboveAll) {
  const Policy policy = policy_from_string(
      "{id=crivo.Bloom;bits_per_key=10;key_transform=drop_suffix:2;max_build_bytes=5000000;count_questions=true}");
  write_tree(*open_database(options_of(shapes()[0], policy), db()), shapes()[0], kKeys);
  const json choices = advise("db")[0]["plans"][0]["choices"];
  EXPECT_EQ(choices.size(), 3U) << "RocksDB's filters would lose keys";
  for (const json& choice : choices) {
    const std::string text = choice["filter_policy"];
    EXPECT_THAT(text, EndsWith(";max_build_bytes=5000000;count_questions=true;key_transform=drop_suffix:2}"));
    const std::string id = policy_from_string(text)->GetId();
    EXPECT_THAT(id, HasSubstr(":key_transform:drop_suffix:2")) << id;
    EXPECT_THAT(crivo("sst refilter -q --policy '" + text + "' db"), Succeeds());
  }
}

TEST_F(SstAdvise, KeepsTheLimitOfAllFilters) {
  rocksdb::Options options = options_of(shapes()[0], policy_from_string("crivo.Auto:10:max_total_bytes:50M"));
  options.listeners = {NewRocksDBFilterListener()};
  write_tree(*open_database(options, db()), shapes()[0], kKeys);
  const json advice = advise("db");
  for (const json& choice : advice[0]["plans"][0]["choices"]) {
    const std::string text = choice["filter_policy"];
    EXPECT_EQ(text.find("max_total_bytes=52428800") != text.npos, text.find("crivo.Auto") != text.npos) << text;
    EXPECT_THAT(crivo("sst refilter -q --policy '" + text + "' db"), Succeeds());
  }
}

TEST_F(SstAdvise, TakesTenBitsWhereThereAreNoFilters) {
  write_tree(*open_database(options_of(shapes()[1], nullptr), db()), shapes()[1], kKeys);
  const json advice = advise("db")[0];
  EXPECT_EQ(advice["filter_policy"], "");
  EXPECT_EQ(advice["now"]["filter_bytes"], 0);
  EXPECT_NEAR(advice["now"]["wasted_reads"].get<double>(), 6 + 1.0 / 16, 0.1) << "each run is read, one by few";
  ASSERT_EQ(advice["plans"].size(), 1U);
  EXPECT_EQ(advice["plans"][0]["limit"].get<double>(), kKeys * 10 / 8);
}

TEST_F(SstAdvise, DividesNoBudgetWhereThereAreNoLevelsYet) {
  put_keys(*open_database(options_of(shapes()[0], builtin_bloom()), db()), 0, kKeys);
  const json advice = advise("db")[0];
  std::set<std::string> policies;
  for (const json& choice : advice["plans"][0]["choices"]) policies.insert(choice["filter_policy"]);
  EXPECT_EQ(policies.size(), 5U);
  EXPECT_THAT(*policies.upper_bound("crivo.A"), MatchesRegex("crivo.Auto:(9[.]9[0-9]*|10)"));
}

TEST_F(SstAdvise, SaysWhyThereIsNothingToAdvise) {
  rocksdb::Options options = test_options();
  open_database(options, db()).reset();
  EXPECT_EQ(advise("db")[0]["note"], "it has no keys in files");
  rocksdb::BlockBasedTableOptions prefixes;
  prefixes.whole_key_filtering = false;
  write_tree(*open_database(with_table(options, prefixes), db()), shapes()[0], 1000);
  const json advice = advise("db")[0];
  EXPECT_EQ(advice["note"], "whole_key_filtering=false without a prefix_extractor leaves no key to filter");
  EXPECT_THAT(advice["plans"], IsEmpty());
  EXPECT_THAT(crivo("sst advise db").out, HasSubstr("nothing to advise: whole_key_filtering=false"));
}

TEST_F(SstAdvise, DividesMemoryByTheKeysOfColumnFamilies) {
  {
    const auto opened = open_database(options_of(shapes()[0], crivo_bloom()), db());
    put_keys(*opened, 0, kKeys);
    const Family other = create_family(*opened, options_of(shapes()[0], builtin_ribbon()), "the other");
    put_keys(*opened, 0, 3 * kKeys, other.get());
  }
  const json both = advise("--memory 80KB db");
  ASSERT_EQ(both.size(), 2U);
  EXPECT_EQ(both[0]["plans"][0]["limit"], 20000);
  EXPECT_EQ(both[1]["plans"][0]["limit"], 60000);
  const json one = advise("--memory 80KB --column-family 'the other' db");
  ASSERT_EQ(one.size(), 1U);
  EXPECT_EQ(one[0]["column_family"], "the other");
  EXPECT_EQ(one[0]["plans"][0]["limit"], 80000);
}

TEST_F(SstAdvise, SaysWhatIsDamaged) {
  write_tree(*open_database(options_of(shapes()[0], crivo_bloom()), db()), shapes()[0], kKeys);
  damage_filters(sst_files(db())[0]);
  const Outcome result = crivo("sst advise --json db");
  EXPECT_THAT(result, Exits(1, AllOf(HasSubstr("crivo sst advise: note: "), HasSubstr("damaged"))));
  const json now = json::parse(result.out)[0]["now"];
  EXPECT_GT(now["wasted_reads"], 0.05) << "every key passes";
}

TEST_F(SstAdvise, ReadsInLogHowManyGetsFoundAValue) {
  const rocksdb::Options options = configured({.bits_per_key = 10}, options_of(shapes()[0], nullptr));
  {
    const auto opened = open_database(options, db());
    write_tree(*opened, shapes()[0], kKeys);
    EXPECT_EQ(count_not_found(*opened, 0, kKeys), 0U);
    EXPECT_EQ(count_not_found(*opened, kKeys, 3 * kKeys), 2 * kKeys);
    EXPECT_EQ(count_not_found_by_multiget(*opened, 3 * kKeys, 4 * kKeys), kKeys);
  }
  const json gets = advise("db")[0]["gets"];
  EXPECT_EQ(gets["in_files"], 4 * kKeys);
  EXPECT_EQ(gets["found"], kKeys);
  EXPECT_EQ(gets["filter_negatives"], filter_useful(options));
  EXPECT_NEAR(gets["filter_false_positives"].get<double>(), 0.02 * 3 * kKeys, 0.01 * 3 * kKeys);
  EXPECT_THAT(crivo("sst advise db").out, AllOf(StartsWith("LOG: 25% of 80000 Gets that came to files found a value."),
                                                Not(HasSubstr("bottommost_fp_rate"))));
}

TEST_F(SstAdvise, NamesTheOptionForGetsThatMostlyFindTheirKey) {
  {
    const auto opened = open_database(configured({.bits_per_key = 10}, options_of(shapes()[0], nullptr)), db());
    write_tree(*opened, shapes()[0], kKeys);
    EXPECT_EQ(count_not_found(*opened, 0, kKeys + 1000), 1000U);
  }
  EXPECT_THAT(crivo("sst advise db").out, HasSubstr("see bottommost_fp_rate of crivo.Auto"));
}

// Under RocksDB's own policies, every key passes Crivo's filters, so the statistics say nothing about the keys.
TEST_F(SstAdvise, DoesNotTakeKeysThatPassForKeysThatAreFound) {
  write_tree(*open_database(configured({.bits_per_key = 10}, options_of(shapes()[0], nullptr)), db()), shapes()[0],
             kKeys);
  for (const bool listener : {false, true}) {
    rocksdb::Options reader = options_of(shapes()[0], builtin_bloom());
    if (listener) reader.listeners.push_back(NewRocksDBFilterListener());
    {
      const auto opened = open_database(reader, db());
      EXPECT_EQ(count_not_found(*opened, kKeys, kKeys + 5000), 5000U);
      if (listener) put_keys(*opened, 0, 1);
    }
    const std::string result = crivo("sst advise db").out;
    EXPECT_THAT(result, Not(AnyOf(HasSubstr("100%"), HasSubstr("bottommost_fp_rate"))));
    EXPECT_THAT(result, StartsWith(listener ? "LOG: 0% of 5000 Gets that came to files found a value. "
                                            : "LOG has no counts of Gets. "));
    EXPECT_GT(advise("db")[0]["now"]["wasted_reads"].get<double>(), 1) << "every key passes";
  }
}

}  // namespace
}  // namespace crivo::testing
