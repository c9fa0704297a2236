// Kills a program with SIGKILL while it writes filter tables, repeatedly, and expects every acknowledged key (T1).
#include <poll.h>

#include <array>
#include <iostream>
#include <random>

#include "database.h"
#include "killed_program.h"
#include "temp_folder.h"

namespace crivo::testing {
namespace {

/// A writer whose standard output is a pipe to this process.
class CrashWriter {
 public:
  CrashWriter(const std::string& path, const std::string& journal_mode) {
    std::array<int, 2> ends{};
    EXPECT_EQ(pipe(ends.data()), 0);
    const int standard_output = dup(STDOUT_FILENO);
    dup2(ends[1], STDOUT_FILENO);
    writer_ = start_program({SQLITE_CRASH_WRITER, path, journal_mode});
    dup2(standard_output, STDOUT_FILENO);
    close(standard_output);
    close(ends[1]);
    acknowledged_ = ends[0];
  }
  ~CrashWriter() { close(acknowledged_); }
  CrashWriter(const CrashWriter&) = delete;
  CrashWriter& operator=(const CrashWriter&) = delete;

  void wait_for_commit() const {
    pollfd ready{acknowledged_, POLLIN, 0};
    poll(&ready, 1, -1);
  }

  /// Returns the last acknowledged number of keys, or `before` if there is none.
  std::int64_t kill_it(std::int64_t before) const {
    kill_program(writer_);
    std::int64_t keys = before;
    while (read(acknowledged_, &keys, sizeof keys) == sizeof keys) continue;
    return keys;
  }

 private:
  pid_t writer_;
  int acknowledged_ = -1;
};

/// A database with one journal mode, whose writer is killed repeatedly.
class Survivor {
 public:
  explicit Survivor(std::string journal_mode)
      : path_(temp_file("table_crash_" + journal_mode + ".db")), journal_mode_(std::move(journal_mode)) {
    begin_anew();
  }

  void begin_anew() {
    remove_database(path_);
    acknowledged_ = 0;
  }

  void kill_one() {
    const CrashWriter writer(path_, journal_mode_);
    if (random_() % 8 != 0) writer.wait_for_commit();  // in one of eight rounds, the kill may come during recovery
    sleep_us(random_() % 20'000);
    acknowledged_ = writer.kill_it(acknowledged_);
  }

  void expect_nothing_lost() {
    Database db(path_.c_str());
    if (acknowledged_ == 0 && db.ask("SELECT count(*) FROM sqlite_schema") == "0")
      return;  // killed before the table existed
    const std::int64_t keys = std::stoll(db.ask("SELECT keys FROM progress"));
    ASSERT_GE(keys, acknowledged_);
    ASSERT_EQ(db.ask("PRAGMA integrity_check"), "ok");
    for (std::size_t kind = 0; kind < kTableKinds.size(); ++kind) {
      const std::string table = kTableKinds[kind];
      const std::string of_kind = " JOIN " + table + " ON key = i WHERE i % 5 = " + std::to_string(kind);
      const std::string wanted = std::to_string((keys + 4 - static_cast<std::int64_t>(kind)) / 5);
      ASSERT_EQ(db.ask("SELECT count(*) FROM " + integers(0, keys - 1) + of_kind), keys == 0 ? "0" : wanted) << table;
      ASSERT_EQ(db.ask("INSERT INTO " + table + "(op) VALUES ('check')"), "") << table;
      // Keys that were rolled back or not committed are absent. The rate of 1e-9 rules out false positives.
      ASSERT_EQ(db.ask("SELECT count(*) FROM " + integers(-keys - 50, -1) + " JOIN " + table + " ON key = i"), "0");
      ASSERT_EQ(db.ask("SELECT count(*) FROM " + integers(keys, keys + 50) + " JOIN " + table + " ON key = i"), "0");
    }
    ASSERT_EQ(db.ask("SELECT count(*) FROM counting WHERE key = 'until ' || ?", {keys}), keys == 0 ? "0" : "1");
  }

  [[nodiscard]] std::int64_t acknowledged() const { return acknowledged_; }

 private:
  std::string path_, journal_mode_;
  std::int64_t acknowledged_ = 0;
  std::mt19937_64 random_{4};
};

void survive(int kills) {
  std::array<Survivor, 2> survivors{Survivor("WAL"), Survivor("DELETE")};
  std::int64_t acknowledged = 0;
  for (int i = 0; i < kills; ++i) {
    Survivor& survivor = survivors[static_cast<std::size_t>(i % 2)];
    SCOPED_TRACE("kill " + std::to_string(i));
    const std::int64_t before = survivor.acknowledged();
    ASSERT_NO_FATAL_FAILURE(survivor.kill_one());
    ASSERT_NO_FATAL_FAILURE(survivor.expect_nothing_lost());
    acknowledged += survivor.acknowledged() - before;
    if (survivor.acknowledged() > 5'000) survivor.begin_anew();  // keeps the checks fast
  }
  std::cout << kills << " kills, " << acknowledged << " keys acknowledged, none lost\n";
  EXPECT_GT(acknowledged, kills * 5) << "writers that write nothing prove nothing";
}

TEST(TableCrash, OfAWriterLosesNoAcknowledgedKey) { survive(20); }

TEST(TableCrash, LongSeriesLosesNoAcknowledgedKey) { survive(1000); }

}  // namespace
}  // namespace crivo::testing
