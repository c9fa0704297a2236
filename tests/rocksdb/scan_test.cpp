// Scan filters: the files that they skip, and the files that they must not skip.
#include <rocksdb/comparator.h>
#include <rocksdb/convenience.h>
#include <rocksdb/merge_operator.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/sst_file_writer.h>

#include <functional>
#include <map>

#include "scan_support.h"

namespace crivo::testing {
namespace {

TEST(Scan, LeavesOutFilesWithoutThePrefixWhateverItsLength) {
  const ScratchDatabase db(with_scans({.extract = "prefix:2,4", .fp_rate = 1e-6}));
  put_file(*db, {"aaaa1", "ab"});
  put_file(*db, {"aabb1", "zz"});
  EXPECT_EQ(seen(*db, ScanFilter::for_prefix("aaaa")), (Keys{"aaaa1", "ab"}));
  EXPECT_EQ(seen(*db, ScanFilter::for_prefix("aabb1")), (Keys{"aabb1", "zz"}));
  EXPECT_EQ(seen(*db, ScanFilter::for_prefix("aa")).size(), 4U);
  EXPECT_EQ(seen(*db, ScanFilter::for_prefix("aaa")).size(), 4U) << "both files have aa";
  EXPECT_EQ(seen(*db, ScanFilter::for_prefix("ab")), (Keys{"aaaa1", "ab"}));
  EXPECT_EQ(seen(*db, ScanFilter::for_prefix("abab")), Keys{}) << "no key has so many bytes";
  EXPECT_EQ(seen(*db, ScanFilter::for_prefix("a")).size(), 4U) << "no filter of one byte";
  EXPECT_EQ(seen(*db, ScanFilter::for_prefix("")).size(), 4U);
}

TEST(Scan, LeavesOutFilesWithoutThePath) {
  const ScratchDatabase db(with_scans({.extract = "path:/", .fp_rate = 1e-6}));
  put_file(*db, {"etc/hosts", "usr/lib/x"});
  put_file(*db, {"etc/ssh/key", "usr/share"});
  EXPECT_EQ(seen(*db, ScanFilter::for_prefix("etc/ssh/")), (Keys{"etc/ssh/key", "usr/share"}));
  EXPECT_EQ(seen(*db, ScanFilter::for_prefix("usr/lib/x")), (Keys{"etc/hosts", "usr/lib/x"}));
  EXPECT_EQ(seen(*db, ScanFilter::for_prefix("usr/bin/x")), Keys{});
  EXPECT_EQ(seen(*db, ScanFilter::for_prefix("usr/li")).size(), 4U);
  EXPECT_EQ(seen(*db, ScanFilter::for_prefix("bin")).size(), 4U) << "nothing is known of a part of a name";
}

// The separator is the first byte in which the key differs from the previous one.
TEST(Scan, FindsAPathWhoseParentIsAKey) {
  const ScratchDatabase db(with_scans({.extract = "path:/"}));
  put_file(*db, {"dir", "dir/x"});
  put_file(*db, {"other/x"});
  EXPECT_EQ(seen(*db, ScanFilter::for_prefix("dir/")), (Keys{"dir", "dir/x"}));
}

TEST(Scan, LeavesOutFilesWithoutTheAttribute) {
  register_attributes();
  const ScratchDatabase db(with_scans({.extract = "attribute:parts prefix:1", .fp_rate = 1e-6}));
  put_file(*db, {"ada|1", "eve|2"});
  put_file(*db, {"bob|2", "eve|3"});
  const auto ada = ScanFilter::for_attribute("parts", "ada");
  EXPECT_EQ(seen(*db, ada), (Keys{"ada|1", "eve|2"}));
  EXPECT_TRUE(ada.matches("ada|9"));
  EXPECT_FALSE(ada.matches("eve|2"));
  EXPECT_EQ(ada.asked(), 2U);
  EXPECT_EQ(ada.skipped(), 1U);
  EXPECT_EQ(seen(*db, ScanFilter::for_attribute("parts", "2")).size(), 4U);
  EXPECT_EQ(seen(*db, ScanFilter::for_attribute("parts", "3").and_also(ScanFilter::for_prefix("eve"))),
            (Keys{"bob|2", "eve|3"}));
  EXPECT_EQ(seen(*db, ScanFilter::for_attribute("parts", "3").and_also(ScanFilter::for_prefix("ada"))), Keys{});
}

/// Each way to change an older file's key in a newer file that has nothing else.
TEST(Scan, KeepsFilesWithEveryTypeOfEntry) {
  const std::map<std::string, std::function<rocksdb::Status(rocksdb::DB&)>> changes = {
      {"put", [](auto& db) { return db.Put({}, "abcd", "new"); }},
      {"delete", [](auto& db) { return db.Delete({}, "abcd"); }},
      {"single delete", [](auto& db) { return db.SingleDelete({}, "abcd"); }},
      {"merge", [](auto& db) { return db.Merge({}, "abcd", "more"); }},
      {"entity",
       [](auto& db) {
         return db.PutEntity({}, db.DefaultColumnFamily(), "abcd", {{"column", "new"}});
       }},
      {"range", [](auto& db) { return db.DeleteRange({}, db.DefaultColumnFamily(), "aa", "b"); }},
  };
  for (const bool blobs : {false, true}) {
    for (const auto& [name, change] : changes) {
      SCOPED_TRACE(name + (blobs ? " with blobs" : ""));
      auto options = with_scans({.extract = "prefix:4"});
      options.enable_blob_files = blobs;
      ASSERT_TRUE(rocksdb::MergeOperator::CreateFromString({}, "stringappend", &options.merge_operator).ok());
      const ScratchDatabase db(options);
      put_file(*db, {"abcd", "abce"}, "old");
      ASSERT_TRUE(change(*db).ok());
      ASSERT_TRUE(db->Flush({}).ok());
      const auto entries = [&](const rocksdb::ReadOptions& read) {
        const std::unique_ptr<rocksdb::Iterator> at(db->NewIterator(read));
        std::map<std::string, std::string> found;
        for (at->Seek("abcd"); at->Valid() && at->key() == "abcd"; at->Next()) found["abcd"] = at->value().ToString();
        EXPECT_TRUE(at->status().ok());
        return found;
      };
      rocksdb::ReadOptions filtered;
      ASSERT_TRUE(ScanFilter::for_prefix("abcd").apply_to(&filtered).ok());
      EXPECT_EQ(entries(filtered), entries({}));
    }
  }
}

/// In level 0 and in a lower level, a scan skips the file with the range tombstone if the file has no keys, or no
/// matching ones. The tombstone still takes effect.
TEST(Scan, KeepsTheRangeTombstonesOfFilesThatAreLeftOut) {
  for (const bool compacted : {false, true}) {
    for (const bool with_keys : {false, true}) {
      SCOPED_TRACE(::testing::Message() << "compacted " << compacted << ", with keys " << with_keys);
      const ScratchDatabase db(with_scans({.extract = "prefix:4", .fp_rate = 1e-6}));
      put_file(*db, {"mmmm1", "mmmm2", "mmmm8"});
      rocksdb::CompactRangeOptions to_the_last_level;
      to_the_last_level.change_level = true;
      to_the_last_level.target_level = 6;
      ASSERT_TRUE(db->CompactRange(to_the_last_level, nullptr, nullptr).ok());
      if (with_keys) {
        ASSERT_TRUE(db->Put({}, "aaaa", "v").ok());
        ASSERT_TRUE(db->Put({}, "zzzz", "v").ok());
      }
      const rocksdb::Snapshot* const before = db->GetSnapshot();  // keeps the tombstone in compactions
      ASSERT_TRUE(db->DeleteRange({}, db->DefaultColumnFamily(), "mmmm1", "mmmm5").ok());
      ASSERT_TRUE(db->Flush({}).ok());
      if (compacted) {
        std::vector<std::string> files;
        for (const auto& file : live_files(*db)) {
          if (file.level == 0) files.push_back(file.name);
        }
        ASSERT_TRUE(db->CompactFiles({}, files, 3).ok());
      }
      const auto filter = ScanFilter::for_prefix("mmmm");
      const auto other = ScanFilter::for_prefix("none");
      EXPECT_EQ(seen(*db, filter), Keys{"mmmm8"});
      EXPECT_EQ(filter.skipped(), 1U) << "the file with the tombstone has no such key";
      EXPECT_EQ(seen(*db, other), Keys{});
      db->ReleaseSnapshot(before);
    }
  }
}

// A trap of RocksDB. A range tombstone extends a file's bounds beyond the target, and the keys are in the next file.
// LevelIterator::Seek (db/version_set.cc) compares the target's prefix with that of the next file's first key. If they
// differ, as with an extractor that uses all bytes of a key, it ends the scan.

/// A SliceTransform with prefixes of two lengths.
class FourOrSix final : public rocksdb::SliceTransform {
 public:
  const char* Name() const override { return "test.FourOrSix"; }
  rocksdb::Slice Transform(const rocksdb::Slice& key) const override { return {key.data(), key.size() >= 6 ? 6U : 4U}; }
  bool InDomain(const rocksdb::Slice& key) const override { return key.size() >= 4; }
};

void make_trap(const ScratchDatabase& db, const rocksdb::Options& options) {
  const std::string first = db.path() + "/first.ingested";
  const std::string second = db.path() + "/second.ingested";
  rocksdb::SstFileWriter writer({}, options);
  ASSERT_TRUE(writer.Open(first).ok() && writer.Put("0001xx", "v").ok());
  ASSERT_TRUE(writer.DeleteRange("0003", "0004m").ok() && writer.Finish().ok());
  ASSERT_TRUE(writer.Open(second).ok() && writer.Put("0004z1", "v").ok());
  ASSERT_TRUE(writer.Put("0004z2", "v").ok() && writer.Finish().ok());
  ASSERT_TRUE(db->IngestExternalFile({first, second}, {}).ok());
}

Keys from(rocksdb::DB& db, const std::string& prefix, const rocksdb::ReadOptions& options) {
  const std::unique_ptr<rocksdb::Iterator> at(db.NewIterator(options));
  Keys keys;
  for (at->Seek(prefix); at->Valid() && at->key().starts_with(prefix); at->Next()) keys.push_back(at->key().ToString());
  EXPECT_TRUE(at->status().ok());
  return keys;
}

TEST(Scan, AnswersWhereAnExtractorOfSeveralLengthsLosesKeys) {
  rocksdb::Options options = with_scans({.extract = "prefix:4,6"});
  options.prefix_extractor = std::make_shared<FourOrSix>();
  const ScratchDatabase db(options);
  make_trap(db, options);
  const Keys both = {"0004z1", "0004z2"};
  EXPECT_EQ(from(*db, "0004", {}), Keys{}) << "RocksDB has mended it: docs/design.md should say so";
  rocksdb::ReadOptions automatic;
  automatic.auto_prefix_mode = true;
  EXPECT_EQ(from(*db, "0004", automatic), both);
  rocksdb::ReadOptions filtered;
  ASSERT_TRUE(ScanFilter::for_prefix("0004").apply_to(&filtered).ok());
  EXPECT_EQ(from(*db, "0004", filtered), both);
}

std::string event(std::uint64_t time) {
  std::string key = "sensor12";
  for (int shift = 56; shift >= 0; shift -= 8) key.push_back(static_cast<char>(time >> shift));
  return key;
}

TEST(Scan, LeavesOutFilesWithoutANumberInTheRange) {
  const ScratchDatabase db(with_scans({.extract = "range:be64@8 range:dec@6", .fp_rate = 1e-6}));
  put_file(*db, {event(100), event(5000), "short"});
  put_file(*db, {event(0), event(3000), event(UINT64_MAX)});
  put_file(*db, {"order=17", "order=x", "order=99999999999999999999999"});
  const auto files = [&](std::string_view name, std::uint64_t low, std::uint64_t high) {
    const auto filter = ScanFilter::for_range(name, low, high);
    EXPECT_LE(seen(*db, filter).size(), 9U);
    return filter.asked() - filter.skipped();
  };
  EXPECT_EQ(files("be64@8", 100, 100), 1U);
  EXPECT_EQ(files("be64@8", 101, 2999), 0U);
  EXPECT_EQ(files("be64@8", 3000, 5000), 2U);
  EXPECT_EQ(files("be64@8", 0, 1), 1U);
  EXPECT_EQ(files("be64@8", UINT64_MAX, UINT64_MAX), 1U);
  EXPECT_EQ(files("be64@8", 0, UINT64_MAX), 3U) << "too long for any filter";
  EXPECT_EQ(files("be64@8", 9, 8), 0U) << "no number lies in an empty range";
  EXPECT_EQ(files("be64@9", 101, 2999), 3U) << "the files have no such filter";
  EXPECT_EQ(files("dec@6", 17, 18), 1U);
  EXPECT_EQ(files("dec@6", 18, 30), 0U);
  const auto filter = ScanFilter::for_range("be64@8", 100, 3000);
  EXPECT_TRUE(filter.matches(event(100)) && filter.matches(event(3000)));
  EXPECT_FALSE(filter.matches(event(99)) || filter.matches(event(3001)) || filter.matches("short"));
  EXPECT_FALSE(ScanFilter::for_range("dec@6", 0, UINT64_MAX).matches("order=99999999999999999999999"));
}

// PrefixMayExist: a present prefix is never denied, wherever it is stored, and most absent prefixes are denied.

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
  ASSERT_TRUE(db->Put({}, "b", "v").ok());  // in this order, the range of "a" starts here
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
