// PrefixMayExist: what is there is never denied, wherever it lies, and most of what is not there is.
#include <rocksdb/comparator.h>

#include "scan_support.h"

namespace crivo::testing {
namespace {

bool may_exist(const ScratchDatabase& db, std::string_view prefix) {
  return PrefixMayExist(*db, db->DefaultColumnFamily(), prefix);
}

TEST(Prefix, IsFoundInMemtablesAndFiles) {
  const ScratchDatabase db(with_scans({.extract = "prefix:2,4", .fp_rate = 1e-6}));
  EXPECT_FALSE(may_exist(db, "aa")) << "an empty database";
  put_file(*db, {"aaaa1", "aaab1", "ab", "zz"});
  ASSERT_TRUE(db->Put({}, "bbbb1", "v").ok());
  for (const char* there : {"aaaa", "aaaa1", "aaab", "aa", "ab", "a", "zz", "bbbb", "bbbb1", "bb", "b"}) {
    EXPECT_TRUE(may_exist(db, there)) << there;
  }
  for (const char* absent : {"aaac", "ac", "aaac1", "zy", "bbbc", "bbbb2", "c", "zzz1"}) {
    EXPECT_EQ(may_exist(db, absent), absent == std::string("c")) << absent << ": no filter is of one byte";
  }
  ASSERT_TRUE(db->Flush({}).ok());
  EXPECT_TRUE(may_exist(db, "bbbb1"));
  ASSERT_TRUE(db->CompactRange({}, nullptr, nullptr).ok());
  EXPECT_TRUE(may_exist(db, "bbbb1"));
  EXPECT_TRUE(may_exist(db, "aaaa"));
  EXPECT_FALSE(may_exist(db, "aaac"));
  ASSERT_TRUE(db->Delete({}, "ab").ok());
  EXPECT_TRUE(may_exist(db, "ab")) << "the file has it still";
  ASSERT_TRUE(db->CompactRange({}, nullptr, nullptr).ok());
  EXPECT_FALSE(may_exist(db, "ab"));
}

TEST(Prefix, IsMaybeWhereNothingIsKnown) {
  const ScratchDatabase plain(test_options());
  EXPECT_FALSE(may_exist(plain, "a"));
  put_file(*plain, {"a", "ac"});
  EXPECT_TRUE(may_exist(plain, "ab")) << "the file has no filter";
  EXPECT_TRUE(may_exist(plain, ""));
  EXPECT_TRUE(may_exist(plain, "\xFF\xFF")) << "nothing lies behind it";
  rocksdb::CompactRangeOptions to_a_level_with_order;
  to_a_level_with_order.change_level = true;
  to_a_level_with_order.target_level = 3;
  ASSERT_TRUE(plain->CompactRange(to_a_level_with_order, nullptr, nullptr).ok());
  EXPECT_TRUE(may_exist(plain, "ab"));
  EXPECT_FALSE(may_exist(plain, "b")) << "it lies outside of the file's bounds";
}

TEST(Prefix, IsAskedInReverseOrder) {
  rocksdb::Options options = with_scans({.extract = "prefix:2", .fp_rate = 1e-6});
  options.comparator = rocksdb::ReverseBytewiseComparator();
  const ScratchDatabase db(options);
  ASSERT_TRUE(db->Put({}, "ab", "v").ok());
  ASSERT_TRUE(db->Put({}, "b", "v").ok());  // where the range of "a" starts
  for (const bool flushed : {false, true}) {
    if (flushed) {
      ASSERT_TRUE(db->Flush({}).ok());
    }
    EXPECT_TRUE(may_exist(db, "ab")) << flushed;
    EXPECT_TRUE(may_exist(db, "a")) << flushed;
    EXPECT_FALSE(may_exist(db, "ac")) << flushed;
    EXPECT_FALSE(may_exist(db, "aa")) << flushed;
  }
}

TEST(Prefix, IsFoundInReverseOrderWhereTheKeyIsThePrefix) {
  rocksdb::Options options = with_scans({.extract = "prefix:2", .fp_rate = 1e-6});
  options.comparator = rocksdb::ReverseBytewiseComparator();
  const std::vector<std::string> keys = {"ab", {"a\0", 2}, {"\0\0", 2}, "a\xFF"};
  for (const std::string& key : keys) {
    const ScratchDatabase db(options);
    ASSERT_TRUE(db->Put({}, "b", "v").ok());
    ASSERT_TRUE(db->Put({}, key, "v").ok());
    ASSERT_TRUE(db->Put({}, "", "v").ok());
    EXPECT_TRUE(may_exist(db, key));
    ASSERT_TRUE(db->Flush({}).ok());
    EXPECT_TRUE(may_exist(db, key));
    ASSERT_TRUE(db->CompactRange({}, nullptr, nullptr).ok());
    EXPECT_TRUE(may_exist(db, key));
    EXPECT_FALSE(may_exist(db, "ac"));
  }
}

TEST(Prefix, IsAskedOfManyAtOnce) {
  const ScratchDatabase db(with_scans({.extract = "prefix:4", .fp_rate = 1e-6}));
  for (int file = 0; file < 5; ++file) put_file(*db, {"000" + std::to_string(file), "999" + std::to_string(file)});
  ASSERT_TRUE(db->Put({}, "5555", "v").ok());
  EXPECT_EQ(PrefixesMayExist(*db, db->DefaultColumnFamily(), {"0003", "0007", "9990", "5555", "", "5556"}),
            (std::vector<bool>{true, false, true, true, true, false}));
  EXPECT_EQ(PrefixesMayExist(*db, db->DefaultColumnFamily(), {}), std::vector<bool>());
}

TEST(Prefix, IsFoundInAnotherColumnFamily) {
  const rocksdb::Options options = with_scans({.extract = "prefix:2", .fp_rate = 1e-6});
  const ScratchDatabase db(options);
  const auto family = create_family(*db, options, "other");
  ASSERT_TRUE(db->Put({}, family.get(), "ab", "v").ok());
  ASSERT_TRUE(db->Flush({}, family.get()).ok());
  EXPECT_TRUE(PrefixMayExist(*db, family.get(), "ab"));
  EXPECT_FALSE(PrefixMayExist(*db, family.get(), "ac"));
  EXPECT_FALSE(may_exist(db, "ab"));
}

}  // namespace
}  // namespace crivo::testing
