// Scan filters answer "maybe" if they cannot answer, and report invalid options.
#include <rocksdb/convenience.h>
#include <rocksdb/sst_file_writer.h>

#include "crivo/rocksdb_verify.h"
#include "scan_support.h"

namespace crivo::testing {
namespace {

TEST(Scan, ReadsAFileWhoseFilterItCannotAnswerFrom) {
  register_attributes();
  const ScratchDatabase db(with_scans({.extract = "prefix:4 attribute:parts", .fp_rate = 1e-6}));
  put_file(*db, {"aaaa|1"});
  const rocksdb::TableProperties good = properties_of(*db);
  const auto prefix = ScanFilter::for_prefix("bbbb");
  const auto value = ScanFilter::for_attribute("parts", "bob");
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
  const ScratchDatabase db(with_scans({.extract = "prefix:4 attribute:parts", .fp_rate = 1e-6, .comparator = "Mine"}));
  put_file(*db, {"aaaa|1"});
  rocksdb::TableProperties file = properties_of(*db);
  const auto skips_prefix = [&](const std::string& comparator) {
    file.comparator_name = comparator;
    return !ScanFilter::for_prefix("bbbb").may_match(file);
  };
  const auto skips_value = [&](const std::string& comparator) {
    file.comparator_name = comparator;
    return !ScanFilter::for_attribute("parts", "bob").may_match(file);
  };
  for (const char* const fine : {"leveldb.BytewiseComparator", "rocksdb.ReverseBytewiseComparator", "Mine"}) {
    EXPECT_TRUE(skips_prefix(fine) && skips_value(fine)) << fine;
  }
  for (const char* const other : {"", "Other", "mine"}) {
    EXPECT_FALSE(skips_prefix(other) || skips_value(other)) << other;
  }
  // A collector gets keys with timestamps at their ends, which may change the values of a function, but not a prefix.
  for (const char* const timed : {"leveldb.BytewiseComparator.u64ts", "rocksdb.ReverseBytewiseComparator.u64ts"}) {
    EXPECT_TRUE(skips_prefix(timed)) << timed;
    EXPECT_FALSE(skips_value(timed)) << timed;
  }
}

TEST(Scan, ReadsIngestedFilesThatHaveNoFilter) {
  const rocksdb::Options options = with_scans({.extract = "prefix:4", .fp_rate = 1e-6});
  const ScratchDatabase db(options);
  const auto ingest = [&](const rocksdb::Options& writer_options, const std::string& key) {
    rocksdb::SstFileWriter writer({}, writer_options);
    const std::string file = db.path() + "/" + key + ".ingested";
    ASSERT_TRUE(writer.Open(file).ok() && writer.Put(key, "v").ok() && writer.Finish().ok());
    ASSERT_TRUE(db->IngestExternalFile({file}, {}).ok());
  };
  ingest(test_options(), "aaaa");
  ingest(options, "bbbb");
  EXPECT_EQ(seen(*db, ScanFilter::for_prefix("cccc")), Keys{"aaaa"});
  EXPECT_EQ(seen(*db, ScanFilter::for_prefix("bbbb")), (Keys{"aaaa", "bbbb"}));
}

TEST(Scan, GoesOnWithoutAFilterWhereTheAttributeThrows) {
  register_attributes();
  const ScratchDatabase db(with_scans({.extract = "attribute:thrower prefix:3", .fp_rate = 1e-6}));
  put_file(*db, {"any", "bad", "car"});
  EXPECT_EQ(seen(*db, ScanFilter::for_attribute("thrower", "none")).size(), 3U);
  EXPECT_EQ(seen(*db, ScanFilter::for_prefix("non")), Keys{});
  EXPECT_EQ(properties_of(*db).user_collected_properties.at("crivo.scan.attribute:thrower"),
            "omitted: the attribute's function threw no attribute of bad");
}

TEST(Scan, LeavesOutAFilterThatDoesNotFit) {
  const ScratchDatabase db(with_scans({.extract = "prefix:16,2", .max_bytes = 1000}));
  put_keys(*db, 0, 20000);
  const auto& properties = properties_of(*db).user_collected_properties;
  EXPECT_EQ(properties.at("crivo.scan.prefix:16"), "omitted: needs more than max_bytes");
  EXPECT_FALSE(ScanFilter::for_prefix("zz" + std::string(14, '0')).may_match(properties_of(*db))) << "prefix:2 answers";
  std::size_t bytes = 0;
  for (const auto& [name, value] : properties) bytes += value.size();
  EXPECT_LT(bytes, 1100U);
}

TEST(Scan, IsToldOfByVerifyRocksDBFilters) {
  const ScratchDatabase db(with_scans({.extract = "prefix:2 path:/ prefix:16", .max_bytes = 1000}));
  put_keys(*db, 0, 20000);
  const RocksDBFilterReport report = VerifyRocksDBFilters(*db);
  ASSERT_EQ(report.files.size(), 1U);
  EXPECT_THAT(report.files[0].scans, HasSubstr("prefix:2 (ribbon, "));
  EXPECT_THAT(report.files[0].scans, HasSubstr("prefix:16 (omitted: needs more than max_bytes)"));
  EXPECT_THAT(report.text(), HasSubstr("scans: path:/ (ribbon, "));
  std::size_t bytes = 0;
  for (const auto& [name, value] : properties_of(*db).user_collected_properties) {
    if (name.starts_with("crivo.scan.")) bytes += value.size();
  }
  EXPECT_EQ(report.files[0].scan_bytes, bytes);
}

TEST(Scan, RefusesOptionsThatAreWrong) {
  const auto error_of = [](const ScanFilterOptions& options) {
    Factory factory;
    return NewScanFilterCollectorFactory(options, &factory).ToString();
  };
  EXPECT_THAT(error_of({}), HasSubstr("crivo.ScanFilter: extract must have at least one filter, got nothing"));
  EXPECT_THAT(error_of({.extract = "prefix:0"}), HasSubstr("extract must have a prefix of 1 to 65535 bytes, got 0"));
  for (const char* const extract :
       {"prefix:",    "prefix:4,",         "prefix:04",     "prefix:65536",    "prefix:4x",  "prefix:-1",
        "path:",      "path:ab",           "path:;",        "path:\\",         "attribute:", "attribute:none",
        "range:",     "range:be64",        "range:be64@08", "range:dec@65536", "range:none", "suffix:4",
        "prefix:4 4", "prefix:4 prefix:4", "path:/ path:/"}) {
    EXPECT_THAT(error_of({.extract = extract}), HasSubstr("crivo.ScanFilter: extract must")) << extract;
  }
  EXPECT_THAT(error_of({.extract = "path:/", .kind = "classic"}),
              HasSubstr("kind must be ribbon or blocked, got classic"));
  EXPECT_THAT(error_of({.extract = "path:/", .fp_rate = 0.6}), HasSubstr("fp_rate must be in [1e-9, 0.5], got 0.6"));
  EXPECT_THAT(error_of({.extract = "path:/", .range_length = 3}), HasSubstr("range_length must be a power of two"));
  EXPECT_THAT(error_of({.extract = "path:/", .max_bytes = 63}), HasSubstr("max_bytes must be in"));
  const auto nothing = [](const rocksdb::Slice&, const ScanValueSink&) {};
  for (const char* const name : {"", "a b", "a:b", "a23456789012345678901234"}) {
    EXPECT_TRUE(RegisterScanAttribute(name, nothing).IsInvalidArgument()) << name;
  }
  EXPECT_TRUE(RegisterScanAttribute("empty", {}).IsInvalidArgument());
  EXPECT_TRUE(RegisterScanAttribute("once", nothing).ok());
  EXPECT_TRUE(RegisterScanAttribute("once", nothing).IsInvalidArgument());
  rocksdb::ReadOptions untouched;
  EXPECT_THAT(ScanFilter::for_attribute("none", "x").apply_to(&untouched).ToString(), HasSubstr("got attribute:none"));
  EXPECT_THAT(ScanFilter::for_range("none", 1, 2).apply_to(&untouched).ToString(), HasSubstr("got range:none"));
  untouched.tailing = true;  // a tailing iterator would end a level at a skipped file
  EXPECT_THAT(ScanFilter::for_prefix("aaaa").apply_to(&untouched).ToString(), HasSubstr("tailing must be false"));
  EXPECT_FALSE(untouched.table_filter);
}

TEST(Scan, TakesOptionsAndNamesUpToTheirBounds) {
  constexpr std::uint32_t kLongest = std::uint32_t{1} << 31;
  constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 30;
  const auto takes = [](const ScanFilterOptions& options) {
    Factory factory;
    return NewScanFilterCollectorFactory(options, &factory).ok();
  };
  for (const ScanFilterOptions& at_the_bound : std::vector<ScanFilterOptions>{
           {.extract = "prefix:1,65535 range:be64@0 range:dec@65535"},
           {.extract = "path:/", .fp_rate = 1e-9, .range_length = 1, .max_bytes = 64},
           {.extract = "path:/", .fp_rate = 0.5, .range_length = kLongest, .max_bytes = kMaxBytes}}) {
    EXPECT_TRUE(takes(at_the_bound)) << at_the_bound.extract;
  }
  for (const double rate : {0.9e-9, 0.51}) EXPECT_FALSE(takes({.extract = "path:/", .fp_rate = rate})) << rate;
  EXPECT_FALSE(takes({.extract = "path:/", .range_length = 0}));
  EXPECT_FALSE(takes({.extract = "path:/", .max_bytes = kMaxBytes + 1}));
  const auto nothing = [](const rocksdb::Slice&, const ScanValueSink&) {};
  for (const char* const name : {"azAZ09_-.", "a234567890123456789012"}) {
    EXPECT_TRUE(RegisterScanAttribute(name, nothing).ok()) << name;
    EXPECT_TRUE(takes({.extract = std::string("attribute:") + name})) << name;
  }
  for (const char* const name : {"`", "{", "@", "[", "/", ":", "a2345678901234567890123"}) {
    EXPECT_TRUE(RegisterScanAttribute(name, nothing).IsInvalidArgument()) << name;
  }
}

TEST(Scan, IsMadeByOptionStringsAndOptionsFiles) {
  const std::string text =
      "table_properties_collectors={{id=crivo.ScanFilter;extract=prefix:2,4 path:/;fp_rate=0.000001}}";
  rocksdb::Options options;
  ASSERT_TRUE(rocksdb::GetOptionsFromString({}, test_options(), text, &options).ok());
  ASSERT_EQ(options.table_properties_collector_factories.size(), 1U);
  ScratchDatabase db(options);
  put_file(*db, {"aaaa"});
  db.reopen(loaded_options(db.path()));
  put_file(*db, {"bbbb"});
  EXPECT_EQ(seen(*db, ScanFilter::for_prefix("aaaa")), Keys{"aaaa"});
  EXPECT_EQ(seen(*db, ScanFilter::for_prefix("bb")), Keys{"bbbb"});
}

TEST(Scan, IsReadFromOptionsFilesWithEverySeparator) {
  Keys allowed;
  std::string extract;
  for (char separator = '!'; separator <= '~'; ++separator) {
    Factory factory;
    const std::string path = std::string("path:") + separator;
    if (!NewScanFilterCollectorFactory({.extract = path}, &factory).ok()) continue;
    allowed.push_back(path);
    extract += path + " ";
  }
  EXPECT_THAT(allowed, ::testing::Contains("path:#"));
  ScratchDatabase db(with_scans({.extract = extract}));
  db.reopen(loaded_options(db.path()));
  put_file(*db, {"key"});
  const auto& properties = properties_of(*db).user_collected_properties;
  for (const std::string& path : allowed) EXPECT_EQ(properties.count("crivo.scan." + path), 1U) << path;
}

/// Parses an option string with this scan collector.
rocksdb::Status read_collector(const rocksdb::ConfigOptions& config, const std::string& text,
                               rocksdb::Options* options) {
  return rocksdb::GetOptionsFromString(config, *options,
                                       "table_properties_collectors={{id=crivo.ScanFilter;" + text + "}}", options);
}

const char* const kWrongCollectors[] = {"extract=prefix:x",         "fp_rate=7;extract=path:/",
                                        "unknown=1;extract=path:/", "kind=ribbon",
                                        "extract=perfix:4",         "extract=",
                                        "extract=range:dec@x",      "extract=attribute:nope",
                                        "extract=range:nope",       "extract=path:/;max_bytes=1"};

TEST(Scan, TellsOfAWrongOptionStringUnderEveryPolicy) {
  for (const Policy& policy : {crivo_auto(), builtin_bloom(), Policy()}) {
    for (const std::string wrong : kWrongCollectors) {
      rocksdb::Options options = with_policy(test_options(), policy);
      const rocksdb::Status read = read_collector({}, wrong, &options);
      EXPECT_TRUE(read.IsInvalidArgument()) << wrong << ": " << read.ToString();
      EXPECT_THAT(read.ToString(),
                  HasSubstr(wrong.starts_with("unknown") ? "Could not find option" : "crivo.ScanFilter: "));
    }
  }
}

TEST(Scan, TellsInEachFileOfAWrongOptionThatWasIgnored) {
  rocksdb::ConfigOptions ignoring;
  ignoring.ignore_unknown_options = true;
  rocksdb::Options options = test_options();
  options.fail_if_options_file_error = false;  // otherwise RocksDB 9 would not open it
  ASSERT_TRUE(read_collector(ignoring, "extract=attribute:nope", &options).ok());
  const ScratchDatabase db(options);
  put_file(*db, {"aaaa"});
  EXPECT_THAT(VerifyRocksDBFilters(*db).files.at(0).scans,
              HasSubstr("options (extract must have an attribute registered with RegisterScanAttribute, got nope)"));
  EXPECT_TRUE(try_to_open(with_policy(options, crivo_auto())).IsInvalidArgument())
      << "Crivo's policy validates the options";
}

}  // namespace
}  // namespace crivo::testing
