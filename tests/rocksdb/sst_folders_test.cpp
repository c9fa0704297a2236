// crivo sst and databases that it cannot know enough of: files in db_paths, an Env of its own, a library that was lost.
#include <rocksdb/convenience.h>
#include <rocksdb/env_encryption.h>

#include "../tool/shell.h"
#include "sst_support.h"

namespace crivo::testing {
namespace {

constexpr std::uint64_t kKeys = 500;

class SstFolders : public ToolTest {
 protected:
  [[nodiscard]] std::string db() const { return path("db").string(); }
  [[nodiscard]] rocksdb::Options in_folders(const std::vector<std::string>& folders) const {
    rocksdb::Options options = many_files(nullptr);
    for (const std::string& folder : folders) options.db_paths.emplace_back(path(folder).string(), 1U << 30);
    return options;
  }
  void expect_untouched(const std::string& command, const std::string& message) {
    const auto before = listing(db());
    const Outcome refused = crivo(command);
    EXPECT_EQ(refused.exit_code, 2) << command << refused.err;
    EXPECT_THAT(refused.err, HasSubstr(message)) << command;
    EXPECT_EQ(listing(db()), before) << command;
  }
};

constexpr const char* kElsewhere = "if its files lie in db_paths or cf_paths, which OPTIONS does not name";

TEST_F(SstFolders, RewritesNothingWhereFilesLieElsewhere) {
  for (const bool paranoid : {true, false}) {
    for (const bool in_second : {false, true}) {
      SCOPED_TRACE(std::string(in_second ? "all in the second folder" : "all in the first") +
                   (paranoid ? "" : ", lax"));
      shell("rm -rf db first");
      rocksdb::Options options = in_second ? in_folders({"first", "db"}) : in_folders({"first"});
      options.paranoid_checks = paranoid;
      {
        const auto opened = open_database(options, db());
        put_keys(*opened, 0, kKeys);
        rewrite_files(*opened, in_second ? 1 : 0);
      }
      for (const char* const dry : {"", "--dry-run "}) {
        expect_untouched("sst refilter --policy crivo.Auto:10 " + std::string(dry) + "db", kElsewhere);
      }
      EXPECT_EQ(count_not_found(*open_database(options, db()), 0, kKeys), 0U);
    }
  }
}

// As it opens a database for writing, RocksDB writes what is in the log into files of the folder that it is told.
TEST_F(SstFolders, LeavesKeysThatAreOnlyInTheLog) {
  const rocksdb::Options options = in_folders({"first"});
  ASSERT_TRUE(open_database(options, db())->Put({}, "in the log", "only").ok());
  const auto before = listing(db());
  const Outcome nothing = crivo("sst refilter --policy crivo.Auto:10 db");
  EXPECT_EQ(nothing.exit_code, 0);
  EXPECT_THAT(nothing.err, HasSubstr("0 files rewritten"));
  EXPECT_EQ(listing(db()), before);
  std::string value;
  EXPECT_TRUE(open_database(options, db())->Get({}, "in the log", &value).ok());
}

TEST_F(SstFolders, LeavesAColumnFamilyThatIsOnlyInTheLog) {
  const rocksdb::Options options = many_files(nullptr);
  rocksdb::Options elsewhere = options;
  elsewhere.cf_paths = in_folders({"first"}).db_paths;
  {
    const auto opened = open_database(options, db());
    rocksdb::ColumnFamilyHandle* other = nullptr;
    ASSERT_TRUE(opened->CreateColumnFamily(elsewhere, "other", &other).ok());
    put_keys(*opened, 0, kKeys);
    ASSERT_TRUE(opened->Put({}, other, "in the log", "only").ok());
    ASSERT_TRUE(opened->DestroyColumnFamilyHandle(other).ok());
  }
  expect_untouched("sst refilter --policy crivo.Auto:10 db",
                   "column family other must have a file, got keys in the log only");
}

TEST_F(SstFolders, RefusesAnEnvOfItsOwn) {
  std::shared_ptr<rocksdb::EncryptionProvider> provider;
  ASSERT_TRUE(rocksdb::EncryptionProvider::CreateFromString({}, "CTR://test", &provider).ok());
  const std::unique_ptr<rocksdb::Env> encrypted(rocksdb::NewEncryptedEnv(rocksdb::Env::Default(), provider));
  rocksdb::Options options = many_files(crivo_bloom());
  options.env = encrypted.get();
  write_database(options, db(), kKeys);
  const std::string message =
      "CURRENT of DB must name a manifest, got other bytes in db: what lies in an Env of its own";
  expect_untouched("sst refilter db", message);
  expect_untouched("sst refilter --dry-run db", message);
  EXPECT_THAT(crivo("sst info db").err, HasSubstr(message));
}

TEST_F(SstFolders, SaysThatNothingAsksTheFilters) {
  for (const Policy& policy : {crivo_bloom(), builtin_bloom()}) {
    shell("rm -rf db");
    write_database(many_files(policy), db(), kKeys);
    EXPECT_EQ(crivo("sst info db").exit_code, 0);
    // What a process does whose OPTIONS name a policy, and that has not loaded the library.
    { const auto without = open_database(many_files(nullptr), db()); }
    const Outcome told = crivo("sst info db");
    EXPECT_EQ(told.exit_code, 1);
    EXPECT_THAT(told.out, HasSubstr("! nothing asks it: the database was last opened without a filter policy"));
    EXPECT_THAT(crivo("sst info --json db").out, HasSubstr("\"complaint\":\"nothing asks it: "));
    const bool is_ours = std::string(policy->Name()).starts_with("crivo.");
    const std::string lost = ", and crivo.Bloom:10 in OPTIONS-";
    EXPECT_THAT(told.err, is_ours ? ::testing::Matcher<std::string>(HasSubstr(lost)) : ::testing::Eq(""));
    { const auto again = open_database(many_files(policy), db()); }
    EXPECT_EQ(crivo("sst info db").exit_code, 0);
  }
}

TEST_F(SstFolders, SaysThatThePolicyIsLostAndGivesItBack) {
  write_database(many_files(crivo_bloom()), db(), kKeys);
  {
    const auto without = open_database(many_files(nullptr), db());
    rewrite_files(*without);
  }
  const Outcome told = crivo("sst info db");
  EXPECT_EQ(told.exit_code, 1);
  EXPECT_THAT(told.err, HasSubstr("note: column family default has no filter policy in OPTIONS-"));
  EXPECT_EQ(crivo("sst refilter --policy crivo.Bloom:10 db").exit_code, 0);
  EXPECT_EQ(crivo("sst info db").exit_code, 0);
  EXPECT_EQ(crivo("sst refilter --dry-run db").exit_code, 0) << "OPTIONS name the policy again";
}

TEST_F(SstFolders, ThatLackAFileAreNotCalledUnwritable) {
  write_database(many_files(crivo_bloom()), db(), kKeys);
  std::filesystem::remove(sst_files(db())[0]);
  for (const char* const command : {"advise db", "refilter db", "refilter --dry-run db"}) {
    const Outcome refused = crivo(std::string("sst ") + command);
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_THAT(refused.err, HasSubstr(": DB must be one that RocksDB can open, got db: "));
  }
}

// To open a pipe is to wait for its other end.
TEST_F(SstFolders, WaitsForNoPipe) {
  const std::string command = "timeout 60 '" CRIVO_TOOL "' sst ";
  write_database(many_files(crivo_bloom()), db(), kKeys);
  shell("rm -f db/LOG; mkfifo db/LOG db/LOG.old.1 db/mine pipe");
  EXPECT_EQ(shell(command + "advise db").exit_code, 0);
  EXPECT_EQ(shell(command + "info db").exit_code, 0);
  for (const char* const single : {"info pipe", "probe pipe </dev/null"}) {
    const Outcome refused = shell(command + single);
    EXPECT_EQ(refused.exit_code, 2) << single;
    EXPECT_THAT(refused.err, HasSubstr("FILE must be an SST file, got pipe: it is a pipe, a socket or a device"));
  }
  for (const char* const whole : {"advise pipe", "refilter pipe", "refilter --dry-run pipe"}) {
    EXPECT_THAT(shell(command + whole).err, HasSubstr(": DB must be the folder of a database, got pipe: it is a pipe"));
  }
  for (const char* const file : {"CURRENT", "OPTIONS-999999", "MANIFEST-000001", "999999.sst", "999999.log"}) {
    shell(std::string("rm -rf copy; mkdir copy; cp db/*.sst db/[CIMO]* copy; rm -f copy/") + file + "; mkfifo copy/" +
          file);
    for (const char* const each : {"info copy", "advise copy", "refilter --policy crivo.Auto:10 copy"}) {
      const Outcome refused = shell(command + each);
      EXPECT_EQ(refused.exit_code, 2) << each;
      EXPECT_THAT(refused.err,
                  HasSubstr("file of DB must be a regular file, got copy/" + std::string(file) + ": it is a pipe"));
    }
  }
}

}  // namespace
}  // namespace crivo::testing
