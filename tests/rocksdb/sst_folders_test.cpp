// crivo sst with databases that it cannot read completely: files in db_paths, another Env, a lost library.
#include <rocksdb/convenience.h>
#include <rocksdb/env_encryption.h>
#include <rocksdb/utilities/transaction_db.h>

#include "sst_support.h"

namespace crivo::testing {
namespace {

constexpr std::uint64_t kKeys = 500;

class SstFolders : public SstToolTest {
 protected:
  [[nodiscard]] rocksdb::Options in_folders(const std::vector<std::string>& folders) const {
    rocksdb::Options options = many_files(nullptr);
    for (const std::string& folder : folders) options.db_paths.emplace_back(path(folder).string(), 1U << 30);
    return options;
  }
  void expect_untouched(const std::string& command, const std::string& message) {
    const auto before = listing(db());
    EXPECT_THAT(crivo(command), Fails(HasSubstr(message))) << command;
    EXPECT_EQ(listing(db()), before) << command;
  }
};

constexpr const char* kElsewhere = "a database with files in db_paths or cf_paths cannot be opened here";

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

// When RocksDB opens a database for writing, it writes the log's keys into files of the given folder.
TEST_F(SstFolders, LeavesKeysThatAreOnlyInTheLog) {
  const rocksdb::Options options = in_folders({"first"});
  ASSERT_TRUE(open_database(options, db())->Put({}, "in the log", "only").ok());
  const auto before = listing(db());
  EXPECT_THAT(crivo("sst refilter --policy crivo.Auto:10 db"), Succeeds(HasSubstr("0 files rewritten")));
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
    const Family other = create_family(*opened, elsewhere);
    put_keys(*opened, 0, kKeys);
    ASSERT_TRUE(opened->Put({}, other.get(), "in the log", "only").ok());
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
  const std::string message = "CURRENT of DB must name a manifest, got other bytes in db: a database in its own Env";
  expect_untouched("sst refilter db", message);
  expect_untouched("sst refilter --dry-run db", message);
  EXPECT_THAT(crivo("sst info db").err, HasSubstr(message));
}

TEST_F(SstFolders, SaysThatNothingAsksTheFilters) {
  for (const Policy& policy : {crivo_bloom(), builtin_bloom()}) {
    shell("rm -rf db");
    write_database(many_files(policy), db(), kKeys);
    EXPECT_THAT(crivo("sst info db"), Succeeds());
    // Simulates a process whose OPTIONS file names a policy, but that has not loaded the library.
    { const auto without = open_database(many_files(nullptr), db()); }
    const bool is_ours = std::string(policy->Name()).starts_with("crivo.");
    EXPECT_THAT(crivo("sst info db"),
                Exits(1, is_ours ? TextMatcher(HasSubstr(", but had crivo.Bloom:10 in OPTIONS-")) : "",
                      HasSubstr("! the database was last opened without a filter policy, so the filter is unused")));
    EXPECT_THAT(crivo("sst info --json db").out, HasSubstr("\"complaint\":\"the database was last opened without"));
    { const auto again = open_database(many_files(policy), db()); }
    EXPECT_THAT(crivo("sst info db"), Succeeds());
  }
}

TEST_F(SstFolders, SaysThatThePolicyIsLostAndGivesItBack) {
  write_database(many_files(crivo_bloom()), db(), kKeys);
  {
    const auto without = open_database(many_files(nullptr), db());
    rewrite_files(*without);
  }
  EXPECT_THAT(crivo("sst info db"),
              Exits(1, AllOf(HasSubstr("note: column family default has no filter policy in OPTIONS-"),
                             HasSubstr("crivo rocksdb run -- PROGRAM"))));
  EXPECT_THAT(crivo("sst refilter --policy crivo.Bloom:10 db"), Succeeds());
  EXPECT_THAT(crivo("sst info db"), Succeeds());
  EXPECT_THAT(crivo("sst refilter --dry-run db"), Succeeds()) << "OPTIONS name the policy again";
}

TEST_F(SstFolders, ThatLackAFileAreNotCalledUnwritable) {
  write_database(many_files(crivo_bloom()), db(), kKeys);
  std::filesystem::remove(sst_files(db())[0]);
  for (const char* const command : {"advise db", "refilter db", "refilter --dry-run db"}) {
    EXPECT_THAT(crivo(std::string("sst ") + command), Fails(HasSubstr(": DB must be readable by RocksDB, got db: ")));
  }
}

/// Makes the files of a killed program: a log with a prepared transaction, and an empty file.
void write_transactions(const rocksdb::Options& options, const std::string& path, const std::string& copy) {
  rocksdb::TransactionDBOptions prepared;
  prepared.write_policy = rocksdb::WRITE_PREPARED;
  rocksdb::TransactionDB* opened = nullptr;
  ASSERT_TRUE(rocksdb::TransactionDB::Open(options, prepared, path, &opened).ok());
  const std::unique_ptr<rocksdb::TransactionDB> db(opened);
  put_keys(*db, 0, kKeys);
  const std::unique_ptr<rocksdb::Transaction> transaction(db->BeginTransaction({}));
  ASSERT_TRUE(transaction->SetName("prepared").ok());
  ASSERT_TRUE(transaction->Put("in the log", "only").ok());
  ASSERT_TRUE(transaction->Prepare().ok());
  std::filesystem::copy(path, copy);
  write_bytes(copy + "/999999.sst", "");
  ASSERT_TRUE(transaction->Rollback().ok());
}

TEST_F(SstFolders, DescribesATransactionDatabaseThatWasKilled) {
  write_transactions(many_files(crivo_bloom()), path("running").string(), db());
  EXPECT_THAT(crivo("sst info db"), Exits(0, "", Not(HasSubstr("999999.sst"))));
  EXPECT_THAT(crivo("sst advise db"), Succeeds());
}

// Opening a pipe would wait for a writer.
TEST_F(SstFolders, WaitsForNoPipe) {
  const std::string command = "timeout 60 '" CRIVO_TOOL "' sst ";
  write_database(many_files(crivo_bloom()), db(), kKeys);
  shell("rm -f db/LOG; mkfifo db/LOG db/LOG.old.1 db/mine pipe");
  EXPECT_THAT(shell(command + "advise db"), Succeeds());
  EXPECT_THAT(shell(command + "info db"), Succeeds());
  for (const char* const single : {"info pipe", "probe pipe </dev/null"}) {
    EXPECT_THAT(shell(command + single),
                Fails(HasSubstr("FILE must be an SST file, got pipe: it is a pipe, a socket or a device")))
        << single;
  }
  for (const char* const whole : {"advise pipe", "refilter pipe", "refilter --dry-run pipe"}) {
    EXPECT_THAT(shell(command + whole).err, HasSubstr(": DB must be the folder of a database, got pipe: it is a pipe"));
  }
  for (const char* const file : {"CURRENT", "OPTIONS-999999", "MANIFEST-000001", "999999.sst", "999999.log"}) {
    shell(std::string("rm -rf copy; mkdir copy; cp db/*.sst db/[CIMO]* copy; rm -f copy/") + file + "; mkfifo copy/" +
          file);
    for (const char* const each : {"info copy", "advise copy", "refilter --policy crivo.Auto:10 copy"}) {
      EXPECT_THAT(shell(command + each), Fails(HasSubstr("file of DB must be a regular file, got copy/" +
                                                         std::string(file) + ": it is a pipe")))
          << each;
    }
  }
}

}  // namespace
}  // namespace crivo::testing
