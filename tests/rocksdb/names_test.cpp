// With the library loaded, no misspelled policy silently gives a database without filters. An invalid name or option is
// an error of DB::Open, or of the function that parses the options.
#include <rocksdb/convenience.h>
#include <rocksdb/listener.h>
#include <rocksdb/utilities/db_ttl.h>
#include <rocksdb/utilities/options_util.h>
#include <rocksdb/utilities/transaction_db.h>

#include <functional>
#include <iterator>
#include <sstream>

#include "environment.h"
#include "support.h"

namespace crivo::testing {
namespace {

using rocksdb::BlockBasedTableOptions;
using rocksdb::ColumnFamilyOptions;
using rocksdb::ConfigOptions;
using rocksdb::Status;

/// An interface that converts the text of a policy to options.
struct Way {
  std::string label;
  std::function<Status(const std::string& text, ColumnFamilyOptions& options)> read;
};

void use(ColumnFamilyOptions& options, const BlockBasedTableOptions& table) {
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
}

/// Writes the OPTIONS file of a database with this policy, as after an edit by hand.
void write_options_file(const std::string& folder, const std::string& text) {
  static const std::string file = [] {
    const ScratchDatabase made(with_policy(test_options(), crivo_bloom(10)));
    std::string name;
    EXPECT_TRUE(rocksdb::GetLatestOptionsFileName(made.path(), rocksdb::Env::Default(), &name).ok());
    return read_bytes(made.path() + "/" + name);
  }();
  std::string edited = file;
  const std::string before = "filter_policy=crivo.Bloom:10";
  edited.replace(edited.find(before), before.size(), "filter_policy=" + text);
  std::filesystem::create_directories(folder);
  write_bytes(folder + "/OPTIONS-000007", edited);
}

Status load_options_file(const std::string& text, ColumnFamilyOptions& options) {
  const TempFolder folder;
  write_options_file(folder.path(), text);
  rocksdb::DBOptions db;
  std::vector<rocksdb::ColumnFamilyDescriptor> families;
  Status loaded = rocksdb::LoadLatestOptions(ConfigOptions(), folder.path(), &db, &families);
  if (loaded.ok()) options = families.at(0).options;
  return loaded;
}

std::vector<Way> ways() {
  const auto in_factory = [](const std::string& text) {
    return "block_based_table_factory={filter_policy=" + text + "}";
  };
  return {
      {"GetColumnFamilyOptionsFromString",
       [=](const std::string& text, ColumnFamilyOptions& options) {
         return rocksdb::GetColumnFamilyOptionsFromString(ConfigOptions(), {}, in_factory(text), &options);
       }},
      {"TableFactoryById",
       [](const std::string& text, ColumnFamilyOptions& options) {
         return rocksdb::GetColumnFamilyOptionsFromString(
             ConfigOptions(), {}, "table_factory={id=BlockBasedTable;filter_policy=" + text + "}", &options);
       }},
      {"GetBlockBasedTableOptionsFromString",
       [](const std::string& text, ColumnFamilyOptions& options) {
         BlockBasedTableOptions table;
         Status read =
             rocksdb::GetBlockBasedTableOptionsFromString(ConfigOptions(), {}, "filter_policy=" + text, &table);
         use(options, table);
         return read;
       }},
      {"GetBlockBasedTableOptionsFromMap",
       [](const std::string& text, ColumnFamilyOptions& options) {
         BlockBasedTableOptions table;
         Status read =
             rocksdb::GetBlockBasedTableOptionsFromMap(ConfigOptions(), {}, {{"filter_policy", text}}, &table);
         use(options, table);
         return read;
       }},
      {"CreateFromString",
       [](const std::string& text, ColumnFamilyOptions& options) {
         BlockBasedTableOptions table;
         Status read = rocksdb::FilterPolicy::CreateFromString(ConfigOptions(), text, &table.filter_policy);
         use(options, table);
         return read;
       }},
      {"LoadLatestOptions",
       [](const std::string& text, ColumnFamilyOptions& options) { return load_options_file(text, options); }},
  };
}

/// Texts that are invalid in every interface. RocksDB's parsers remove blanks and braces that a map would not.
std::vector<std::string> wrong_ones() {
  std::istringstream words(R"(
    crivo crivo. crivo.bloom crivo.Bloom: crivo.Bloom:10:1:5 crivo.Bloom:ten crivo.Bloom:+5 crivo.Bloom:0x10
    crivo.Bloom:1e999 crivo.Bloom:nan crivo.Bloom:inf crivo.Bloom:-1 crivo.Bloom:1000.1 crivo.Bloom:10%
    crivo.Bloom:10,5 crivo.Bloom=10 crivo.Bloom,10 crivo-Bloom:10 crivo.BloomFilter:10 crivo.Ribbon:10:
    crivo.Ribbon:10:0.5 crivo.Auto:ten crivo.Auto:10:levels:1 Crivo.Bloom:10 CRIVO.BLOOM cRiVo.Bloom
    'crivo.Bloom:10' rocksdb.crivo.Bloom filter=crivo.Bloom {name=crivo.Bloom;bits_per_key=10}
    {policy=Crivo.Bloom;bits_per_key=10} {crivo.Bloom;bits_per_key=10} {id=crivo.Bloom;bits_per_key}
    {id=crivo.Bloom;=10} {id=crivo.Blum;bits_per_key=10} {id=crivo.Bloom:10:3} {id=crivo.Bloom;bits=10}
    {id=crivo.Bloom;BITS_PER_KEY=10} {id=crivo.Bloom;bits_per_key=} {id=crivo.Bloom;bits_per_key=+5}
    {id=crivo.Bloom;bits_per_key=1e-999} {id=crivo.Bloom;bits_per_key=10;crivo.Bloom.bits_per_key=12}
    {id=crivo.Bloom;crivo.Ribbon.bits_per_key=12} {id=crivo.Bloom;bits_per_key=10;fp_rate=0.01}
    {id=crivo.Bloom;filter_policy=crivo.Ribbon} {id=crivo.Bloom;nested={bits_per_key=10}}
    {id=crivo.Bloom;kind=classic} {id=crivo.Bloom;count_questions=yes}
    {id=crivo.Ribbon;bloom_before_level=2147483648})");
  std::vector<std::string> wrong(std::istream_iterator<std::string>(words), {});
  wrong.insert(wrong.end(), {"crivo.Bloom: 10", "crivo.Bloom :10", "crivo Bloom", "\"crivo.Bloom:10\""});
  return wrong;
}

/// Opens a database with these options, and returns the status.
Status open_status(const ColumnFamilyOptions& options) {
  rocksdb::Options all(rocksdb::DBOptions(), options);
  all.create_if_missing = true;
  return try_to_open(all);
}

TEST(RocksdbNames, WrongOnesAreErrorsWhicheverWayTheyCome) {
  for (const Way& way : ways()) {
    for (const std::string& text : wrong_ones()) {
      ColumnFamilyOptions options;
      const Status read = way.read(text, options);
      if (!read.ok()) continue;  // an early error is better
      const Status opened = open_status(options);
      EXPECT_TRUE(opened.IsInvalidArgument()) << way.label << ": " << text << ": " << opened.ToString();
      EXPECT_THAT(opened.ToString(), HasSubstr("rivo")) << way.label << ": " << text;
    }
  }
}

TEST(RocksdbNames, RightOnesOpenWhicheverWayTheyCome) {
  for (const Way& way : ways()) {
    for (const std::string text : {"crivo.Auto", "crivo.Ribbon:10:1", "{id=crivo.Bloom;bits_per_key=10}"}) {
      ColumnFamilyOptions options;
      EXPECT_TRUE(way.read(text, options).ok()) << way.label << ": " << text;
      EXPECT_EQ(open_status(options).ToString(), "OK") << way.label << ": " << text;
      const auto* table = options.table_factory->GetOptions<BlockBasedTableOptions>();
      ASSERT_NE(table->filter_policy, nullptr) << way.label << ": " << text;
      EXPECT_THAT(table->filter_policy->Name(), HasSubstr("crivo.")) << way.label << ": " << text;
    }
  }
}

TEST(RocksdbNames, AreCheckedForEveryColumnFamilyAndKindOfDatabase) {
  ColumnFamilyOptions wrong;
  ASSERT_TRUE(rocksdb::GetColumnFamilyOptionsFromString(ConfigOptions(), {},
                                                        "block_based_table_factory={filter_policy=crivo.Blum}", &wrong)
                  .ok());
  const TempFolder folder;
  const rocksdb::Options all(rocksdb::DBOptions(test_options()), wrong);
  std::unique_ptr<rocksdb::DB> db;
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  rocksdb::DBOptions create(test_options());
  create.create_missing_column_families = true;
  const Status opened = open_into(&db, [&](auto* out) {
    return rocksdb::DB::Open(create, folder.path(), {{"default", ColumnFamilyOptions()}, {"second", wrong}}, &handles,
                             out);
  });
  EXPECT_THAT(opened.ToString(), HasSubstr("crivo.Blum"));
  rocksdb::TransactionDB* transactions = nullptr;
  EXPECT_THAT(rocksdb::TransactionDB::Open(all, {}, folder.path(), &transactions).ToString(), HasSubstr("crivo.Blum"));
  rocksdb::DBWithTTL* ttl = nullptr;
  EXPECT_THAT(rocksdb::DBWithTTL::Open(all, folder.path(), &ttl).ToString(), HasSubstr("crivo.Blum"));
}

// RocksDB does not check the policy here. Either nothing is written, or LOG has a line.
TEST(RocksdbNames, AWrongNameStillReadsFilters) {
  const TempFolder folder;
  put_keys(*open_database(with_policy(test_options(), crivo_bloom(10)), folder.path()), 0, 2000);
  const rocksdb::Options wrong = with_policy(test_options(), policy_from_string("crivo.Blum"));
  std::unique_ptr<rocksdb::DB> db;
  const auto expect_filters = [&] {
    ASSERT_NE(db, nullptr);
    EXPECT_EQ(count_not_found(*db, 0, 2000), 0U);
    const std::uint64_t before = filter_useful(wrong);
    EXPECT_EQ(count_not_found(*db, 2000, 3000), 1000U);
    EXPECT_GT(filter_useful(wrong), before + 900);
  };
  EXPECT_TRUE(open_into(&db, [&](auto* out) { return rocksdb::DB::OpenForReadOnly(wrong, folder.path(), out); }).ok());
  expect_filters();
  rocksdb::Options secondary = wrong;
  secondary.max_open_files = -1;
  EXPECT_TRUE(open_into(&db, [&](auto* out) {
                return rocksdb::DB::OpenAsSecondary(secondary, folder.path(), folder.file("secondary"), out);
              }).ok());
  expect_filters();
}

TEST(RocksdbNames, ThatAreWrongInCreateColumnFamilyAreInTheLog) {
  const ScratchDatabase db(test_options());
  const rocksdb::Options wrong = with_policy(test_options(), policy_from_string("crivo.Blum"));
  put_keys(*db, 0, 1, create_family(*db, wrong).get());
  EXPECT_THAT(read_bytes(db.path() + "/LOG"), HasSubstr("crivo.Blum: name must be crivo.Auto, crivo.Bloom or"));
}

TEST(RocksdbNames, UnknownOptionsAreIgnoredIfTheUserSaysSoAndWrongOnesAreNot) {
  ConfigOptions ignoring;
  ignoring.ignore_unknown_options = true;
  const auto status = [&](const std::string& text) {
    BlockBasedTableOptions table;
    const Status read = rocksdb::GetBlockBasedTableOptionsFromMap(ignoring, {}, {{"filter_policy", text}}, &table);
    EXPECT_TRUE(read.ok()) << read.ToString();
    ColumnFamilyOptions options;
    use(options, table);
    return open_status(options).ToString();
  };
  EXPECT_EQ(status("{id=crivo.Bloom;bits_per_key=10;of_a_later_version=1}"), "OK");
  EXPECT_THAT(status("{id=crivo.Bloom;bits_per_key=ten}"), HasSubstr("bits_per_key must be in [0, 1000], got ten"));
  EXPECT_THAT(status("crivo.Blum"), HasSubstr("name must be"));
}

TEST(RocksdbNames, OfCollectorsAndListenersAreCheckedWithThePolicy) {
  const auto status = [](const std::string& collectors, const std::string& listeners) {
    ColumnFamilyOptions family;
    EXPECT_TRUE(rocksdb::GetColumnFamilyOptionsFromString(ConfigOptions(), {},
                                                          "block_based_table_factory={filter_policy=crivo.Bloom:10};"
                                                          "table_properties_collectors={" +
                                                              collectors + "}",
                                                          &family)
                    .ok());
    rocksdb::DBOptions db_options;
    EXPECT_TRUE(rocksdb::GetDBOptionsFromString(ConfigOptions(), {},
                                                "create_if_missing=true;listeners={" + listeners + "}", &db_options)
                    .ok());
    EXPECT_EQ(family.table_properties_collector_factories.size(), 1U) << collectors;
    EXPECT_EQ(db_options.listeners.size(), 1U) << listeners;
    return try_to_open({db_options, family}).ToString();
  };
  EXPECT_EQ(status("crivo.FilterKind", "crivo.FilterCounters"), "OK");
  EXPECT_THAT(status("crivo.filterkind", "crivo.FilterCounters"),
              HasSubstr("crivo: table_properties_collectors must be crivo.FilterKind, got crivo.filterkind"));
  EXPECT_THAT(status("crivo.FilterKind", "Crivo.Counters"),
              HasSubstr("crivo: listeners must be crivo.FilterCounters, got Crivo.Counters"));
}

TEST(RocksdbNames, OfAnUnknownInstructionSetIsRefused) {
  const Policy policy = policy_from_string("crivo.Bloom:10");
  const Environment altivec("CRIVO_ISA", "altivec");
  const rocksdb::Status refused = policy->ValidateOptions({}, rocksdb::ColumnFamilyOptions());
  EXPECT_TRUE(refused.IsInvalidArgument());
  EXPECT_THAT(refused.ToString(), HasSubstr("CRIVO_ISA must be one of scalar"));
}

}  // namespace
}  // namespace crivo::testing
