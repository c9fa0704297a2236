// The Nth write, truncation or sync of statements on filter tables fails, for every N in the long test. Statements and
// transactions are atomic, the database opens again and is intact, and no acknowledged key is lost (T1).

#include "failing_disk.h"
#include "table_scripts.h"
#include "temp_folder.h"

namespace crivo::testing {
namespace {

constexpr const char* kJournals[] = {"DELETE", "WAL", "TRUNCATE"};

/// The kind of failure of a run.
struct Failure {
  DiskFault fault;
  bool persistent;
};

std::string path_of(const char* name) { return temp_file(std::string("table_faults_") + name + ".db"); }

/// Makes pages small, so that there are many writes.
void make_small(Database& db, const std::string& journal) {
  db.run("PRAGMA page_size = 512");
  db.run("PRAGMA journal_mode = " + journal);
}

class FaultTrial {
 public:
  FaultTrial(const Script& script, std::string journal) : script_(script), journal_(std::move(journal)) {
    {
      remove_database(start_);
      Database db(start_.c_str());
      make_small(db, journal_);
      db.run("PRAGMA synchronous = OFF");
      make_script_tables(db);
      before_ = look_at_tables(db);
    }
    restore();
    Database db(path_.c_str());
    std::int64_t ignored = 0;
    wanted_ = run_script(db.get(), script_, &ignored);
    after_ = look_at_tables(db);
  }

  /// Runs the script, and fails its Nth change of a file. Returns whether there was an Nth change.
  bool fail(const Failure& failure, int nth) {
    restore();
    bool struck = false;
    {
      Database db(path_.c_str(), failing_disk());
      db.run("PRAGMA cache_size = 5");  // so that some writes come before the commit
      db.run("PRAGMA wal_autocheckpoint = 4");
      EXPECT_EQ(look_at_tables(db), before_);
      arm_disk({failure.fault, failure.persistent, nth});
      std::int64_t ignored = 0;
      const int status = run_script(db.get(), script_, &ignored);
      if (sqlite3_get_autocommit(db.get()) == 0) (void)db.run("ROLLBACK");
      struck = disarm_disk();
      expect_allowed(db, status);
      db.run("INSERT INTO scalable(key) SELECT i + 500 FROM fresh");
      seen_ = look_at_tables(db);
    }
    Database again(path_.c_str());
    EXPECT_EQ(again.ask("PRAGMA integrity_check"), "ok");
    EXPECT_EQ(look_at_tables(again), seen_);
    if (again.run("SELECT 1 FROM scalable WHERE key = 1") == SQLITE_OK) {
      EXPECT_EQ(again.ask("SELECT count(*) FROM fresh JOIN scalable ON key = i + 500"), "8");
    }
    return struck;
  }

  [[nodiscard]] int failures() const { return failures_; }

 private:
  void restore() {
    remove_database(path_);
    std::filesystem::copy_file(start_, path_);
  }

  /// A commit that reported an error may have taken effect, if the error came after the last write.
  void expect_allowed(Database& db, int status) {
    const std::string seen = look_at_tables(db);
    if (status == wanted_) {
      EXPECT_EQ(seen, after_);
      return;
    }
    ++failures_;
    const int primary = status & 0xff;
    EXPECT_TRUE(primary == SQLITE_IOERR || primary == SQLITE_FULL || primary == SQLITE_CANTOPEN) << status;
    if (script_.is_atomic) {
      EXPECT_TRUE(seen == before_ || seen == after_) << seen;
    }
  }

  const Script& script_;
  std::string journal_;
  std::string start_ = path_of("start"), path_ = path_of("trial");
  std::string before_, after_, seen_;
  int wanted_ = SQLITE_OK;
  int failures_ = 0;
};

/// Returns the number of failed runs.
int fail_every(const Script& script, const char* journal, const Failure& failure, int step) {
  FaultTrial trial(script, journal);
  int nth = 1;
  while (trial.fail(failure, nth)) {
    if (::testing::Test::HasFailure()) {
      ADD_FAILURE() << script.name << ", " << journal << ", write " << nth;
      break;
    }
    nth += step;
  }
  return trial.failures();
}

TEST(TableFaults, OfTheDiskNowAndThenDoAllOrNothing) {
  int failures = 0;
  int turn = 0;
  for (const Script& script : table_scripts()) {
    const auto fault = static_cast<DiskFault>(turn % kDiskFaults);
    failures += fail_every(script, kJournals[turn % 3], {fault, turn % 2 == 0}, 7);
    ++turn;
  }
  EXPECT_GT(failures, 20);
}

TEST(TableFaults, LongSeriesOfTheDiskDoesAllOrNothing) {
  int failures = 0;
  for (const Script& script : table_scripts()) {
    for (const char* journal : kJournals) {
      for (int fault = 0; fault < kDiskFaults; ++fault) {
        for (const bool persistent : {false, true}) {
          failures += fail_every(script, journal, {static_cast<DiskFault>(fault), persistent}, 1);
        }
      }
    }
  }
  EXPECT_GT(failures, 1000);
}

}  // namespace
}  // namespace crivo::testing
