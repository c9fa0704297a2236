// Scan filters: what they leave out, what they must not, and what they do with what they cannot answer.
#include <rocksdb/comparator.h>
#include <rocksdb/convenience.h>
#include <rocksdb/merge_operator.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/sst_file_writer.h>
#include <rocksdb/utilities/options_util.h>

#include <functional>
#include <map>
#include <stdexcept>

#include "crivo/rocksdb_scan.h"
#include "support.h"

namespace crivo::testing {
namespace {

using Keys = std::vector<std::string>;
using Factory = std::shared_ptr<rocksdb::TablePropertiesCollectorFactory>;

Factory scan_collector(const ScanFilterOptions& options) {
  Factory factory;
  const rocksdb::Status made = NewScanFilterCollectorFactory(options, &factory);
  EXPECT_TRUE(made.ok()) << made.ToString();
  return factory;
}

rocksdb::Options with_scans(const ScanFilterOptions& scans) {
  rocksdb::Options options = test_options();
  options.table_properties_collector_factories.push_back(scan_collector(scans));
  return options;
}

/// Each call makes one file of level 0.
void put_file(rocksdb::DB& db, const Keys& keys, const std::string& value = "v") {
  for (const std::string& key : keys) ASSERT_TRUE(db.Put({}, key, value).ok());
  ASSERT_TRUE(db.Flush({}).ok());
}

Keys scan_all(rocksdb::DB& db, const rocksdb::ReadOptions& options) {
  const std::unique_ptr<rocksdb::Iterator> at(db.NewIterator(options));
  Keys keys;
  for (at->SeekToFirst(); at->Valid(); at->Next()) keys.push_back(at->key().ToString());
  EXPECT_TRUE(at->status().ok()) << at->status().ToString();
  return keys;
}

/// All that the files that are not left out have.
Keys seen(rocksdb::DB& db, const ScanFilter& filter) {
  rocksdb::ReadOptions options;
  EXPECT_TRUE(filter.apply_to(&options).ok());
  return scan_all(db, options);
}

std::string customer_of(const rocksdb::Slice& key) {
  const std::string text = key.ToString();
  return text.substr(0, text.find('|'));
}

/// "ada|17" has the attributes "ada" and the two digits.
void register_attributes() {
  static const bool once = [] {
    const auto parts = [](const rocksdb::Slice& key, const ScanValueSink& sink) {
      sink(customer_of(key));
      const std::string text = key.ToString();
      if (text.find('|') != std::string::npos) sink(text.substr(text.find('|') + 1));
    };
    const auto thrower = [](const rocksdb::Slice& key, const ScanValueSink& sink) {
      if (key == "bad") throw std::runtime_error("no attribute of bad");
      sink(key.ToStringView());
    };
    return RegisterScanAttribute("parts", parts).ok() && RegisterScanAttribute("thrower", thrower).ok();
  }();
  ASSERT_TRUE(once);
}

TEST(Scan, LeavesOutFilesWithoutThePrefixWhateverItsLength) {
  const ScratchFolder folder;
  const auto db = open_database(with_scans({.extract = "prefix:2,4", .fp_rate = 1e-6}), folder.path());
  put_file(*db, {"aaaa1", "ab"});
  put_file(*db, {"aabb1", "zz"});
  EXPECT_EQ(seen(*db, ScanFilter::Prefix("aaaa")), (Keys{"aaaa1", "ab"}));
  EXPECT_EQ(seen(*db, ScanFilter::Prefix("aabb1")), (Keys{"aabb1", "zz"}));
  EXPECT_EQ(seen(*db, ScanFilter::Prefix("aa")).size(), 4U);
  EXPECT_EQ(seen(*db, ScanFilter::Prefix("aaa")).size(), 4U) << "both files have aa";
  EXPECT_EQ(seen(*db, ScanFilter::Prefix("ab")), (Keys{"aaaa1", "ab"}));
  EXPECT_EQ(seen(*db, ScanFilter::Prefix("abab")), Keys{}) << "no key has so many bytes";
  EXPECT_EQ(seen(*db, ScanFilter::Prefix("a")).size(), 4U) << "no filter of one byte";
  EXPECT_EQ(seen(*db, ScanFilter::Prefix("")).size(), 4U);
}

TEST(Scan, LeavesOutFilesWithoutThePath) {
  const ScratchFolder folder;
  const auto db = open_database(with_scans({.extract = "path:/", .fp_rate = 1e-6}), folder.path());
  put_file(*db, {"etc/hosts", "usr/lib/x"});
  put_file(*db, {"etc/ssh/key", "usr/share"});
  EXPECT_EQ(seen(*db, ScanFilter::Prefix("etc/ssh/")), (Keys{"etc/ssh/key", "usr/share"}));
  EXPECT_EQ(seen(*db, ScanFilter::Prefix("usr/lib/x")), (Keys{"etc/hosts", "usr/lib/x"}));
  EXPECT_EQ(seen(*db, ScanFilter::Prefix("usr/bin/x")), Keys{});
  EXPECT_EQ(seen(*db, ScanFilter::Prefix("usr/li")).size(), 4U);
  EXPECT_EQ(seen(*db, ScanFilter::Prefix("bin")).size(), 4U) << "nothing is known of a part of a name";
}

TEST(Scan, LeavesOutFilesWithoutTheAttribute) {
  register_attributes();
  const ScratchFolder folder;
  const auto db = open_database(with_scans({.extract = "attribute:parts prefix:1", .fp_rate = 1e-6}), folder.path());
  put_file(*db, {"ada|1", "eve|2"});
  put_file(*db, {"bob|2", "eve|3"});
  const auto ada = ScanFilter::Attribute("parts", "ada");
  EXPECT_EQ(seen(*db, ada), (Keys{"ada|1", "eve|2"}));
  EXPECT_TRUE(ada.matches("ada|9"));
  EXPECT_FALSE(ada.matches("eve|2"));
  EXPECT_EQ(ada.asked(), 2U);
  EXPECT_EQ(ada.skipped(), 1U);
  EXPECT_EQ(seen(*db, ScanFilter::Attribute("parts", "2")).size(), 4U);
  EXPECT_EQ(seen(*db, ScanFilter::Attribute("parts", "3").And(ScanFilter::Prefix("eve"))), (Keys{"bob|2", "eve|3"}));
  EXPECT_EQ(seen(*db, ScanFilter::Attribute("parts", "3").And(ScanFilter::Prefix("ada"))), Keys{});
}

/// Each way to change what an older file says of a key, in a newer file that has nothing else.
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
      const ScratchFolder folder;
      auto options = with_scans({.extract = "prefix:4"});
      options.enable_blob_files = blobs;
      ASSERT_TRUE(rocksdb::MergeOperator::CreateFromString({}, "stringappend", &options.merge_operator).ok());
      const auto db = open_database(options, folder.path());
      put_file(*db, {"abcd", "abce"}, "old");
      ASSERT_TRUE(change(*db).ok());
      ASSERT_TRUE(db->Flush({}).ok());
      const auto entries = [&](rocksdb::ReadOptions read) {
        const std::unique_ptr<rocksdb::Iterator> at(db->NewIterator(read));
        std::map<std::string, std::string> found;
        for (at->Seek("abcd"); at->Valid() && at->key() == "abcd"; at->Next()) found["abcd"] = at->value().ToString();
        EXPECT_TRUE(at->status().ok());
        return found;
      };
      rocksdb::ReadOptions filtered;
      ASSERT_TRUE(ScanFilter::Prefix("abcd").apply_to(&filtered).ok());
      EXPECT_EQ(entries(filtered), entries({}));
    }
  }
}

/// At each place of a level: a file that has nothing but the range tombstone, or whose other keys do not match, is left
/// out, and what it deletes stays deleted.
TEST(Scan, KeepsTheRangeTombstonesOfFilesThatAreLeftOut) {
  for (const bool compacted : {false, true}) {
    for (const bool with_keys : {false, true}) {
      SCOPED_TRACE(::testing::Message() << "compacted " << compacted << ", with keys " << with_keys);
      const ScratchFolder folder;
      const auto db = open_database(with_scans({.extract = "prefix:4", .fp_rate = 1e-6}), folder.path());
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
        std::vector<rocksdb::LiveFileMetaData> live;
        db->GetLiveFilesMetaData(&live);
        for (const auto& file : live) {
          if (file.level == 0) files.push_back(file.name);
        }
        ASSERT_TRUE(db->CompactFiles({}, files, 3).ok());
      }
      const auto filter = ScanFilter::Prefix("mmmm");
      const auto other = ScanFilter::Prefix("none");
      EXPECT_EQ(seen(*db, filter), Keys{"mmmm8"});
      EXPECT_EQ(filter.skipped(), 1U) << "the file with the tombstone has no such key";
      EXPECT_EQ(seen(*db, other), Keys{});
      db->ReleaseSnapshot(before);
    }
  }
}

// The trap. A file's bounds are stretched over the target by a range tombstone, and the keys are in the next file.
// LevelIterator::Seek (RocksDB's db/version_set.cc) compares the target's prefix with that of the next file's first
// key, and ends the scan where they differ, as they do if an extractor takes as many bytes as a key has.

/// A SliceTransform of two lengths.
class FourOrSix final : public rocksdb::SliceTransform {
 public:
  const char* Name() const override { return "test.FourOrSix"; }
  rocksdb::Slice Transform(const rocksdb::Slice& key) const override { return {key.data(), key.size() >= 6 ? 6U : 4U}; }
  bool InDomain(const rocksdb::Slice& key) const override { return key.size() >= 4; }
};

void make_trap(rocksdb::DB& db, const rocksdb::Options& options, const ScratchFolder& folder) {
  const std::string first = folder.path("first.ingested");
  const std::string second = folder.path("second.ingested");
  rocksdb::SstFileWriter writer({}, options);
  ASSERT_TRUE(writer.Open(first).ok() && writer.Put("0001xx", "v").ok());
  ASSERT_TRUE(writer.DeleteRange("0003", "0004m").ok() && writer.Finish().ok());
  ASSERT_TRUE(writer.Open(second).ok() && writer.Put("0004z1", "v").ok());
  ASSERT_TRUE(writer.Put("0004z2", "v").ok() && writer.Finish().ok());
  ASSERT_TRUE(db.IngestExternalFile({first, second}, {}).ok());
}

Keys from(rocksdb::DB& db, const std::string& prefix, const rocksdb::ReadOptions& options) {
  const std::unique_ptr<rocksdb::Iterator> at(db.NewIterator(options));
  Keys keys;
  for (at->Seek(prefix); at->Valid() && at->key().starts_with(prefix); at->Next()) keys.push_back(at->key().ToString());
  EXPECT_TRUE(at->status().ok());
  return keys;
}

TEST(Scan, AnswersWhereAnExtractorOfSeveralLengthsLosesKeys) {
  const ScratchFolder folder;
  rocksdb::Options options = with_scans({.extract = "prefix:4,6"});
  options.prefix_extractor = std::make_shared<FourOrSix>();
  const auto db = open_database(options, folder.path("db"));
  make_trap(*db, options, folder);
  const Keys both = {"0004z1", "0004z2"};
  EXPECT_EQ(from(*db, "0004", {}), Keys{}) << "RocksDB has mended it: docs/design.md should say so";
  rocksdb::ReadOptions automatic;
  automatic.auto_prefix_mode = true;
  EXPECT_EQ(from(*db, "0004", automatic), both);
  rocksdb::ReadOptions filtered;
  ASSERT_TRUE(ScanFilter::Prefix("0004").apply_to(&filtered).ok());
  EXPECT_EQ(from(*db, "0004", filtered), both);
}

std::string event(std::uint64_t time) {
  std::string key = "sensor12";
  for (int shift = 56; shift >= 0; shift -= 8) key.push_back(static_cast<char>(time >> shift));
  return key;
}

TEST(Scan, LeavesOutFilesWithoutANumberInTheRange) {
  const ScratchFolder folder;
  const auto db = open_database(with_scans({.extract = "range:be64@8 range:dec@6", .fp_rate = 1e-6}), folder.path());
  put_file(*db, {event(100), event(5000), "short"});
  put_file(*db, {event(0), event(3000), event(UINT64_MAX)});
  put_file(*db, {"order=17", "order=x", "order=99999999999999999999999"});
  const auto files = [&](std::string_view name, std::uint64_t low, std::uint64_t high) {
    const auto filter = ScanFilter::Range(name, low, high);
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
  const auto filter = ScanFilter::Range("be64@8", 100, 3000);
  EXPECT_TRUE(filter.matches(event(100)) && filter.matches(event(3000)));
  EXPECT_FALSE(filter.matches(event(99)) || filter.matches(event(3001)) || filter.matches("short"));
  EXPECT_FALSE(ScanFilter::Range("dec@6", 0, UINT64_MAX).matches("order=99999999999999999999999"));
}

// What cannot be answered is "maybe".

/// The properties of the only file, as a scan gets them.
rocksdb::TableProperties properties_of(rocksdb::DB& db) {
  rocksdb::TablePropertiesCollection all;
  EXPECT_TRUE(db.GetPropertiesOfAllTables(&all).ok());
  EXPECT_EQ(all.size(), 1U);
  return *all.begin()->second;
}

TEST(Scan, ReadsAFileWhoseFilterItCannotAnswerFrom) {
  register_attributes();
  const ScratchFolder folder;
  const auto db = open_database(with_scans({.extract = "prefix:4 attribute:parts", .fp_rate = 1e-6}), folder.path());
  put_file(*db, {"aaaa|1"});
  const rocksdb::TableProperties good = properties_of(*db);
  const auto prefix = ScanFilter::Prefix("bbbb");
  const auto value = ScanFilter::Attribute("parts", "bob");
  ASSERT_FALSE(prefix.may_match(good));
  ASSERT_FALSE(value.may_match(good));
  for (const char* const name : {"crivo.scan.prefix:4", "crivo.scan.attribute:parts"}) {
    const auto& asked = name == std::string("crivo.scan.prefix:4") ? prefix : value;
    const std::string block = good.user_collected_properties.at(name);
    const auto with = [&](const std::string& bytes) {
      rocksdb::TableProperties changed = good;
      changed.user_collected_properties[name] = bytes;
      return changed;
    };
    for (std::size_t i = 0; i < block.size() * 8; ++i) {
      std::string damaged = block;
      damaged[i / 8] = static_cast<char>(damaged[i / 8] ^ (1 << i % 8));
      EXPECT_TRUE(asked.may_match(with(damaged))) << name << ", bit " << i;
    }
    for (std::size_t i = 0; i < block.size(); ++i) {
      EXPECT_TRUE(asked.may_match(with(block.substr(0, i)))) << name << ", " << i << " bytes";
    }
    EXPECT_TRUE(asked.may_match(with(std::string(block.size(), '\0'))));
    rocksdb::TableProperties without = good;
    without.user_collected_properties.erase(name);
    EXPECT_TRUE(asked.may_match(without));
  }
  rocksdb::TableProperties swapped = good;  // a filter of another extract
  std::swap(swapped.user_collected_properties["crivo.scan.prefix:4"],
            swapped.user_collected_properties["crivo.scan.attribute:parts"]);
  EXPECT_TRUE(prefix.may_match(swapped));
  EXPECT_TRUE(value.may_match(swapped));
}

TEST(Scan, LeavesOutFilesOfKnownComparatorsOnly) {
  register_attributes();
  const ScratchFolder folder;
  const auto db = open_database(
      with_scans({.extract = "prefix:4 attribute:parts", .fp_rate = 1e-6, .comparator = "Mine"}), folder.path());
  put_file(*db, {"aaaa|1"});
  rocksdb::TableProperties file = properties_of(*db);
  const auto skips_prefix = [&](const std::string& comparator) {
    file.comparator_name = comparator;
    return !ScanFilter::Prefix("bbbb").may_match(file);
  };
  const auto skips_value = [&](const std::string& comparator) {
    file.comparator_name = comparator;
    return !ScanFilter::Attribute("parts", "bob").may_match(file);
  };
  for (const char* const fine : {"leveldb.BytewiseComparator", "rocksdb.ReverseBytewiseComparator", "Mine"}) {
    EXPECT_TRUE(skips_prefix(fine) && skips_value(fine)) << fine;
  }
  for (const char* const other : {"", "Other", "mine"}) {
    EXPECT_FALSE(skips_prefix(other) || skips_value(other)) << other;
  }
  // A collector sees keys with their timestamps, behind which a prefix is the same, and another function's value not.
  for (const char* const timed : {"leveldb.BytewiseComparator.u64ts", "rocksdb.ReverseBytewiseComparator.u64ts"}) {
    EXPECT_TRUE(skips_prefix(timed)) << timed;
    EXPECT_FALSE(skips_value(timed)) << timed;
  }
}

TEST(Scan, ReadsIngestedFilesThatHaveNoFilter) {
  const ScratchFolder folder;
  const rocksdb::Options options = with_scans({.extract = "prefix:4", .fp_rate = 1e-6});
  const auto db = open_database(options, folder.path());
  const auto ingest = [&](const rocksdb::Options& writer_options, const std::string& key) {
    rocksdb::SstFileWriter writer({}, writer_options);
    const std::string file = folder.path(key + ".ingested");
    ASSERT_TRUE(writer.Open(file).ok() && writer.Put(key, "v").ok() && writer.Finish().ok());
    ASSERT_TRUE(db->IngestExternalFile({file}, {}).ok());
  };
  ingest(test_options(), "aaaa");
  ingest(options, "bbbb");
  EXPECT_EQ(seen(*db, ScanFilter::Prefix("cccc")), Keys{"aaaa"});
  EXPECT_EQ(seen(*db, ScanFilter::Prefix("bbbb")), (Keys{"aaaa", "bbbb"}));
}

TEST(Scan, GoesOnWithoutAFilterWhereTheAttributeThrows) {
  register_attributes();
  const ScratchFolder folder;
  const auto db = open_database(with_scans({.extract = "attribute:thrower prefix:3", .fp_rate = 1e-6}), folder.path());
  put_file(*db, {"any", "bad", "car"});
  EXPECT_EQ(seen(*db, ScanFilter::Attribute("thrower", "none")).size(), 3U);
  EXPECT_EQ(seen(*db, ScanFilter::Prefix("non")), Keys{});
  EXPECT_EQ(properties_of(*db).user_collected_properties.at("crivo.scan.attribute:thrower"), "no attribute of bad");
}

TEST(Scan, LeavesOutAFilterThatDoesNotFit) {
  const ScratchFolder folder;
  const auto db = open_database(with_scans({.extract = "prefix:16,2", .max_bytes = 1000}), folder.path());
  put_keys(*db, 0, 20000);
  const auto& properties = properties_of(*db).user_collected_properties;
  EXPECT_EQ(properties.at("crivo.scan.prefix:16"), "left out: it needs more than max_bytes");
  EXPECT_FALSE(ScanFilter::Prefix("zz" + std::string(14, '0')).may_match(properties_of(*db))) << "prefix:2 answers";
  std::size_t bytes = 0;
  for (const auto& [name, value] : properties) bytes += value.size();
  EXPECT_LT(bytes, 1100U);
}

TEST(Scan, RefusesOptionsThatAreWrong) {
  const auto error_of = [](const ScanFilterOptions& options) {
    Factory factory;
    return NewScanFilterCollectorFactory(options, &factory).ToString();
  };
  EXPECT_THAT(error_of({}), HasSubstr("crivo.ScanFilter: extract must have at least one part, got nothing"));
  EXPECT_THAT(error_of({.extract = "prefix:0"}), HasSubstr("extract must have a prefix of 1 to 65535 bytes, got 0"));
  for (const char* const extract : {"prefix:",
                                    "prefix:4,",
                                    "prefix:04",
                                    "prefix:65536",
                                    "prefix:4x",
                                    "prefix:-1",
                                    "path:",
                                    "path:ab",
                                    "path:;",
                                    "attribute:",
                                    "attribute:none",
                                    "range:",
                                    "range:be64",
                                    "range:be64@08",
                                    "range:dec@65536",
                                    "range:none",
                                    "suffix:4",
                                    "prefix:4 4",
                                    "prefix:4 prefix:4",
                                    "path:/ path:/"}) {
    EXPECT_THAT(error_of({.extract = extract}), HasSubstr("crivo.ScanFilter: extract must")) << extract;
  }
  EXPECT_THAT(error_of({.extract = "path:/", .kind = "classic"}),
              HasSubstr("kind must be ribbon or blocked, got classic"));
  EXPECT_THAT(error_of({.extract = "path:/", .fp_rate = 0.6}), HasSubstr("fp_rate must lie in [1e-9, 0.5], got 0.6"));
  EXPECT_THAT(error_of({.extract = "path:/", .range_length = 3}), HasSubstr("range_length must be a power of two"));
  EXPECT_THAT(error_of({.extract = "path:/", .max_bytes = 63}), HasSubstr("max_bytes must lie in"));
  const auto nothing = [](const rocksdb::Slice&, const ScanValueSink&) {};
  for (const char* const name : {"", "a b", "a:b", "a23456789012345678901234"}) {
    EXPECT_TRUE(RegisterScanAttribute(name, nothing).IsInvalidArgument()) << name;
  }
  EXPECT_TRUE(RegisterScanAttribute("empty", {}).IsInvalidArgument());
  EXPECT_TRUE(RegisterScanAttribute("once", nothing).ok());
  EXPECT_TRUE(RegisterScanAttribute("once", nothing).IsInvalidArgument());
  rocksdb::ReadOptions untouched;
  EXPECT_THAT(ScanFilter::Attribute("none", "x").apply_to(&untouched).ToString(), HasSubstr("got attribute:none"));
  EXPECT_THAT(ScanFilter::Range("none", 1, 2).apply_to(&untouched).ToString(), HasSubstr("got range:none"));
  EXPECT_FALSE(untouched.table_filter);
}

TEST(Scan, IsMadeByOptionStringsAndOptionsFiles) {
  const ScratchFolder folder;
  const std::string text =
      "table_properties_collectors={{id=crivo.ScanFilter;extract=prefix:2,4 path:/;fp_rate=0.000001}}";
  rocksdb::Options options;
  ASSERT_TRUE(rocksdb::GetOptionsFromString({}, test_options(), text, &options).ok());
  ASSERT_EQ(options.table_properties_collector_factories.size(), 1U);
  put_file(*open_database(options, folder.path()), {"aaaa"});
  rocksdb::DBOptions database;
  std::vector<rocksdb::ColumnFamilyDescriptor> families;
  ASSERT_TRUE(rocksdb::LoadLatestOptions({}, folder.path(), &database, &families).ok());
  const auto db = open_database({database, families[0].options}, folder.path());
  put_file(*db, {"bbbb"});
  EXPECT_EQ(seen(*db, ScanFilter::Prefix("aaaa")), Keys{"aaaa"});
  EXPECT_EQ(seen(*db, ScanFilter::Prefix("bb")), Keys{"bbbb"});
}

TEST(Scan, TellsOfAWrongOptionString) {
  const ScratchFolder folder;
  for (const char* const wrong :
       {"extract=prefix:x", "fp_rate=7;extract=path:/", "unknown=1;extract=path:/", "kind=ribbon"}) {
    rocksdb::Options options = with_policy(test_options(), crivo_auto());
    const auto read = rocksdb::GetOptionsFromString(
        {}, options, "table_properties_collectors={{id=crivo.ScanFilter;" + std::string(wrong) + "}}", &options);
    rocksdb::DB* db = nullptr;
    EXPECT_FALSE(read.ok() && rocksdb::DB::Open(options, folder.path(), &db).ok()) << wrong;
    delete db;
  }
}

}  // namespace
}  // namespace crivo::testing
