// The C function that returns the counters as text: every counter is present, in both formats.

#include <cstdlib>
#include <regex>
#include <set>
#include <sstream>

#include "crivo/rocksdb_counters.h"
#include "support.h"

namespace crivo::testing {
namespace {

std::string text_of(const char* format) {
  const std::unique_ptr<char, decltype(&std::free)> text(crivo_rocksdb_counters(format), &std::free);
  return text != nullptr ? text.get() : "none";
}

/// A database after lookups, with a column family whose name needs escaping.
struct Counted {
  std::shared_ptr<const rocksdb::FilterPolicy> policy =
      NewRocksDBFilterPolicy({.kind = Kind::kRibbon, .bloom_before_level = -1, .count_questions = true});
  ScratchDatabase db{with_policy(test_options(), policy)};

  Counted() {
    const Family other = create_family(*db, with_policy(test_options(), policy), "\"\\\n\xff\xc3\xa4");
    put_keys(*db, 0, 1, other.get());
    put_keys(*db, 0, 1000);
    EXPECT_EQ(count_not_found(*db, 0, 1200), 200U);
    EXPECT_EQ(count_not_found_by_multiget(*db, 0, 1200), 200U);
  }
};

TEST(RocksdbCountersText, IsJson) {
  const Counted counted;
  const RocksDBFilterCounters counters = *GetRocksDBFilterCounters(counted.policy.get());
  const auto& ribbon = counters.ribbon;
  EXPECT_EQ(ribbon.built, 2U);
  EXPECT_GT(ribbon.answered_no, 300U);
  const std::string expected =
      R"("policy":"crivo.Ribbon","column_families":["\"\\??ä","default"],"blocked":{"built":0,"keys":0,"bytes":0,)"
      R"("build_nanoseconds":0,"asked_singly":0,"asked_in_batches":0,"answered_no":0},"ribbon":{"built":2,"keys":1001,)"
      R"("bytes":)" +
      std::to_string(ribbon.bytes) + R"(,"build_nanoseconds":)" + std::to_string(ribbon.build_nanoseconds) +
      R"(,"asked_singly":)" + std::to_string(ribbon.asked_singly) + R"(,"asked_in_batches":)" +
      std::to_string(ribbon.asked_in_batches) + R"(,"answered_no":)" + std::to_string(ribbon.answered_no) +
      R"(},"always_maybe":0,"damaged_blocks":0,"builtin_blocks":0,"other_transform_blocks":0})";
  EXPECT_THAT(text_of("json"), HasSubstr(expected));
}

TEST(RocksdbCountersText, IsWhatPrometheusReads) {
  const Counted counted;
  const RocksDBFilterCounters counters = *GetRocksDBFilterCounters(counted.policy.get());
  const std::string text = text_of("prometheus");
  const std::string labels = R"(\{policy="crivo.Ribbon",number="[0-9]+",)";
  const auto has = [&](const std::string& line) { return std::regex_search(text, std::regex("(^|\n)" + line + "\n")); };
  const std::string no = std::to_string(counters.ribbon.answered_no);
  EXPECT_TRUE(has("crivo_rocksdb_answered_no_total" + labels + "kind=\"ribbon\"\\} " + no)) << text;
  EXPECT_TRUE(has("crivo_rocksdb_built_total" + labels + "kind=\"blocked\"\\} 0")) << text;
  EXPECT_TRUE(has("crivo_rocksdb_policy_info" + labels + R"re(column_families="\\"\\\\\?\?ä,default"\} 1)re")) << text;
  std::istringstream lines(text);
  std::set<std::string> described;
  std::set<std::string> samples;
  const std::regex sample(R"re(([a-z_]+)\{([a-z_]+="([^"\\]|\\["\\])*",?)+\} [0-9]+)re");
  for (std::string line; std::getline(lines, line);) {
    std::smatch found;
    if (line.starts_with("# HELP ")) {
      std::string name = line.substr(7, line.find(' ', 7) - 7);
      std::getline(lines, line);
      EXPECT_THAT(line, StartsWith("# TYPE " + name + (name.ends_with("_total") ? " counter" : " gauge")));
      EXPECT_TRUE(described.insert(name).second) << name;
    } else {
      ASSERT_TRUE(std::regex_match(line, found, sample)) << line;
      EXPECT_EQ(described.count(found[1]), 1U) << line;
      EXPECT_TRUE(samples.insert(line.substr(0, line.rfind(' '))).second) << "twice: " << line;
    }
  }
  EXPECT_EQ(described.size(), 12U);
}

TEST(RocksdbCountersText, IsOfThePoliciesThatThereAre) {
  std::string number;
  {
    const Policy policy = crivo_bloom();
    const std::string text = text_of("json");
    const std::size_t last = text.rfind("{\"number\":");
    number = text.substr(last, text.find(',', last) - last);
    EXPECT_THAT(text.substr(last), HasSubstr("\"crivo.Bloom\",\"column_families\":[],"));
  }
  EXPECT_THAT(text_of("json"), Not(HasSubstr(number + ",")));
}

TEST(RocksdbCountersText, HasNoOtherFormats) {
  EXPECT_EQ(crivo_rocksdb_counters("xml"), nullptr);
  EXPECT_EQ(crivo_rocksdb_counters(""), nullptr);
  EXPECT_EQ(crivo_rocksdb_counters(nullptr), nullptr);
}

}  // namespace
}  // namespace crivo::testing
