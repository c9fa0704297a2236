// crivo sst refilter: which policies the tool treats as no policy, and what it removes with --policy none.
#include "sst_support.h"

namespace crivo::testing {
namespace {

constexpr std::uint64_t kKeys = 3000;

class SstWanted : public SstToolTest {
 protected:
  void make(const std::string& policy) {
    shell("rm -rf db");
    rocksdb::Options options = many_files(policy == "nullptr" ? nullptr : policy_from_string(policy));
    options.target_file_size_base = 64 << 10;
    write_database(options, db(), kKeys);
  }
};

TEST_F(SstWanted, IsNoPolicyThatWritesNothing) {
  make("crivo.Bloom:10");
  const auto before = listing(db());
  for (const char* const policy :
       {"rocksdb.BuiltinBloomFilter", "{id=rocksdb.BuiltinBloomFilter}", "bloomfilter:0:false", "bloomfilter:-1",
        "rocksdb.BloomFilter:0.4", "ribbonfilter:0.2", "crivo.Bloom:0", "crivo.Ribbon:0.3", "crivo.Auto:0",
        "{id=crivo.Auto;budget_bits_per_key=0}"}) {
    for (const char* const dry : {"", "--dry-run "}) {
      EXPECT_THAT(crivo(std::string("sst refilter ") + dry + "--policy '" + policy + "' db"),
                  Fails(AllOf(HasSubstr("--policy must write filters, got " + std::string(policy)),
                              HasSubstr(" writes no filters in column family default; --policy none removes filters"))))
          << policy;
    }
  }
  for (const char* const policy : {"", "nullptr", "crivo.bloom:10", "CRIVO.Bloom", "BloomFilter:10", "blocked"}) {
    EXPECT_THAT(crivo(std::string("sst refilter --policy '") + policy + "' db"),
                Fails(HasSubstr("--policy must name a filter policy, such as crivo.Auto:10 or bloomfilter:10, got " +
                                std::string(*policy == '\0' ? "nothing" : policy))))
        << policy;
  }
  EXPECT_EQ(listing(db()), before);
}

TEST_F(SstWanted, IsNoPolicyOfOptionsThatWritesNothing) {
  const std::pair<const char*, const char*> nothing[] = {
      {"filter_policy=rocksdb.BuiltinBloomFilter", "policy rocksdb.BuiltinBloomFilter writes no filters"},
      {"filter_policy=crivo.Bloom:0.3", "policy crivo.Bloom:0.3 writes no filters"},
      {"filter_policy=crivo.Bloom:10;whole_key_filtering=false",
       "whole_key_filtering=false without a prefix_extractor leaves no key"}};
  for (const auto& [table, why] : nothing) {
    make("bloomfilter:10:false");
    open_database(with_table(many_files(nullptr), table_from_string(table)), db()).reset();  // writes OPTIONS
    const auto before = listing(db());
    EXPECT_THAT(crivo("sst refilter db"),
                Fails(AllOf(HasSubstr(std::string("note: skipped: column family default: ") + why),
                            HasSubstr("OPTIONS of DB must have a filter policy, got none that writes filters ("))));
    EXPECT_EQ(listing(db()), before);
  }
}

TEST_F(SstWanted, IsNoneWhereItIsAskedForByName) {
  make("crivo.Bloom:10");
  const std::size_t files = sst_files(db()).size();
  EXPECT_THAT(crivo("sst refilter --policy none db"),
              Succeeds(HasSubstr(std::to_string(files) + " files rewritten; no file has a filter")));
  EXPECT_THAT(crivo("sst info db"),
              Says(AllOf(HasSubstr("written without a filter policy"), Not(HasSubstr("blocked")))))
      << "it was done on purpose";
  EXPECT_THAT(crivo("sst refilter --policy none db").err, HasSubstr("0 files rewritten"));
  expect_all_there(many_files(nullptr), db(), kKeys);
}

TEST_F(SstWanted, LeavesNoNameOfCrivosInOptionsOfRocksDBsPolicies) {
  rocksdb::Options options = many_files(nullptr);
  options.table_properties_collector_factories.clear();
  write_database(options, db(), kKeys);
  EXPECT_THAT(crivo("sst refilter --policy bloomfilter:10:false db"), Succeeds());
  EXPECT_THAT(shell("cat db/OPTIONS-*").out, Not(HasSubstr("crivo")));
  for (const std::string policy : {"bloomfilter:10:false", "none"}) {
    SCOPED_TRACE(policy);
    shell("rm -rf db");
    options = many_files(nullptr);
    ASSERT_TRUE(ConfigureRocksDB(options, {.bits_per_key = 10}).ok());
    write_database(options, db(), kKeys);
    const std::string newest = "cat \"$(ls -v db/OPTIONS-* | tail -1)\"";
    EXPECT_THAT(shell(newest).out, AllOf(HasSubstr("crivo.FilterKind"), HasSubstr("crivo.FilterCounters")));
    EXPECT_THAT(crivo("sst refilter --policy " + policy + " db"), Succeeds());
    EXPECT_THAT(shell(newest).out, Not(HasSubstr("crivo")));
  }
}

}  // namespace
}  // namespace crivo::testing
