// What one filter block is: blocks that are no filters, and blocks that are some without keys.
#include <rocksdb/slice_transform.h>

#include <algorithm>

#include "crivo/rocksdb_verify.h"
#include "sst/filter_facts.h"
#include "sst/scan_facts.h"
#include "support.h"

namespace crivo::testing {
namespace {

TEST(FilterFacts, KnowBlocksThatAreNoFilters) {
  const sst::FilterFacts always = sst::describe_filter(std::string(6, '\0'), 10, true);
  EXPECT_EQ(always.kind, "always_maybe");
  EXPECT_FALSE(always.can_say_no());
  EXPECT_EQ(always.damage, "");
  EXPECT_THAT(sst::describe_filter("", 10, true).damage, HasSubstr("more than 5 bytes"));
  std::string block(64 + 5, '\0');
  block[64] = -3;  // reserved by RocksDB
  EXPECT_EQ(sst::describe_filter(block, 10, true).kind, "unknown");
  EXPECT_EQ(sst::describe_filter(block, 10, true).current_fp_rate, 1);
  block[64] = -1;
  block[66] = 6;
  EXPECT_EQ(sst::describe_filter(block, 10, true).damage, "bits must be set for the keys, got zeros");
  block[0] = 1;
  EXPECT_EQ(sst::describe_filter(block, 10, true).kind, "rocksdb.bloom");
  EXPECT_LT(sst::describe_filter(block, 10, true).current_fp_rate, 0.01);
  EXPECT_EQ(sst::describe_filter(block, 10, false).current_fp_rate, 1) << "the file's checksum says that it is damaged";
  block[68] = 1;  // reserved, and read as "maybe"
  EXPECT_EQ(sst::describe_filter(block, 10, true).kind, "unknown");
}

// Where a file has no checksums, nothing else would tell.
TEST(FilterFacts, TakeNoZerosForAFilter) {
  for (const std::size_t size : {7, 21, 37, 64, 69, 96, 1029, 12576}) {
    const sst::FilterFacts zeros = sst::describe_filter(std::string(size, '\0'), 10, true);
    EXPECT_NE(zeros.damage, "") << size;
    EXPECT_FALSE(zeros.can_say_no()) << size;
  }
  for (const int marker : {-2, -1, 1, 6}) {  // in front of which all bits are lost
    std::string block = build_block(*new_builder(*(marker == -2 ? builtin_ribbon() : builtin_bloom())), 0, 4000);
    std::fill_n(block.begin(), block.size() - 5, '\0');
    if (marker > 0) block[block.size() - 5] = static_cast<char>(marker);
    EXPECT_NE(sst::describe_filter(block, 4000, true).damage, "") << marker;
  }
}

TEST(FilterFacts, TakeNoPartitionWithoutKeysForDamage) {
  rocksdb::BlockBasedTableOptions table;
  table.filter_policy = builtin_bloom();
  partition(table, 512);
  table.block_size = 512;
  table.whole_key_filtering = false;
  rocksdb::Options options = with_table(test_options(), table);
  options.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(10));
  const ScratchDatabase db(options);
  for (int i = 0; i < 3000; ++i) {  // all keys that are too short come first
    ASSERT_TRUE(db->Put({}, (i < 1500 ? "a" : "b000000000") + std::to_string(10000 + i), std::string(50, 'v')).ok());
  }
  ASSERT_TRUE(db->Flush({}).ok());
  const RocksDBFilterReport report = VerifyRocksDBFilters(*db);
  EXPECT_TRUE(report.all_filters_work()) << report.text();
  EXPECT_EQ(report.files.at(0).kind, "rocksdb.bloom");
}

// A terminal would obey some of the bytes of a damaged filter.
TEST(ScanFacts, ShowTextsAndNoBytes) {
  const auto text_of = [](const std::string& name, const std::string& value) {
    return sst::scans_text(sst::scan_facts({{"crivo.scan." + name, value}}));
  };
  EXPECT_EQ(text_of("path:/", "left out: no memory"), "path:/ (left out: no memory)");
  EXPECT_EQ(text_of("a\x1b[2J", "left out: \x1b]0;x\a."), "a?[2J (left out: ?]0;x?.)");
  EXPECT_EQ(text_of("path:/", std::string(1000, 'x')).size(), 209U);
  EXPECT_EQ(text_of("path:/", std::string(9, '\x1b') + std::string(99, '\0')), "path:/ (damaged: marker must be -67)");
}

}  // namespace
}  // namespace crivo::testing
