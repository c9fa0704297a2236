// One connection writes and three read, each in a thread. A reader that starts after a commit sees the commit's keys.
#include <atomic>
#include <random>
#include <thread>
#include <utility>

#include "database.h"
#include "temp_folder.h"

namespace crivo::testing {
namespace {

constexpr int kReaders = 3;

/// Keys are numbers. Key i is in the table of kind i % 5. Numbers increase, and are not reused after a rollback.
class Keys {
 public:
  /// Records a commit: all keys below `end`, except those that were rolled back. Never shrinks.
  void commit(std::int64_t end, const std::vector<std::int64_t>& taken_back) {
    for (const std::int64_t key : taken_back) taken_back_[static_cast<std::size_t>(key)].store(true);
    end_.store(end);
  }
  [[nodiscard]] std::int64_t end() const { return end_.load(); }
  [[nodiscard]] bool is_taken_back(std::int64_t key) const { return taken_back_[static_cast<std::size_t>(key)].load(); }
  [[nodiscard]] std::int64_t room() const { return static_cast<std::int64_t>(taken_back_.size()); }

 private:
  std::atomic<std::int64_t> end_{0};
  std::vector<std::atomic<bool>> taken_back_ = std::vector<std::atomic<bool>>(1 << 20);
};

class Threads {
 public:
  Threads() {
    remove_database(path_);
    Database db(path_.c_str());
    EXPECT_EQ(db.ask("PRAGMA journal_mode = WAL"), "wal");
    for (const std::string kind : kTableKinds) {
      const std::string capacity = kind == "scalable" ? "20" : "100000";
      db.run("CREATE VIRTUAL TABLE " + kind + " USING bloom(capacity=" + capacity + ", fpr=1e-9, kind=" + kind + ")");
    }
  }

  void write(int transactions) {
    Database db(path_.c_str());
    set_up(db);
    std::int64_t next = 0;
    for (int i = 0; i < transactions && next + 1000 < keys_.room(); ++i) {
      const std::int64_t first = next;
      std::vector<std::int64_t> taken_back;
      db.run("BEGIN IMMEDIATE");
      next = add_some(db, next);
      for (std::uint64_t savepoints = random_() % 4; savepoints > 0; --savepoints) {
        db.run("SAVEPOINT s");
        const std::int64_t inner = next;
        next = add_some(db, next);
        if (random_() % 2 == 0) {
          db.run("ROLLBACK TO s");
          for (std::int64_t key = inner; key < next; ++key) taken_back.push_back(key);
        }
        db.run("RELEASE s");
      }
      const bool rolls_back = random_() % 5 == 0;
      EXPECT_EQ(db.run(rolls_back ? "ROLLBACK" : "COMMIT"), SQLITE_OK);
      if (rolls_back) {
        taken_back.clear();
        for (std::int64_t key = first; key < next; ++key) taken_back.push_back(key);
      }
      keys_.commit(next, taken_back);
      while (next != 0 && ready_.load() < kReaders) std::this_thread::yield();
    }
    done_.store(true);
  }

  void read(unsigned seed) {
    Database db(path_.c_str());
    set_up(db);
    std::minstd_rand random(seed);
    bool is_ready = false;
    while (!done_.load()) {
      const std::int64_t committed = keys_.end();
      if (committed == 0) continue;
      if (random() % 2 == 0) db.run("BEGIN");  // one snapshot for several queries
      for (int i = 0; i < 20; ++i) {
        const std::int64_t recent = std::min<std::int64_t>(committed, 1 + static_cast<std::int64_t>(random() % 200));
        ask(db, committed - recent);
        ask(db, static_cast<std::int64_t>(random()) % committed);
      }
      if (sqlite3_get_autocommit(db.get()) == 0) db.run("COMMIT");
      if (!std::exchange(is_ready, true)) ++ready_;
    }
  }

  [[nodiscard]] std::int64_t questions() const { return questions_.load(); }
  [[nodiscard]] std::int64_t wrong() const { return wrong_.load(); }

 private:
  static void set_up(Database& db) {
    sqlite3_busy_timeout(db.get(), 3'600'000);
    db.run("PRAGMA synchronous = OFF");
    db.run("PRAGMA wal_autocheckpoint = 20");
  }

  std::int64_t add_some(Database& db, std::int64_t next) {
    for (std::uint64_t n = random_() % 12; n > 0; --n, ++next) {
      const std::string table = kTableKinds[static_cast<std::size_t>(next) % kTableKinds.size()];
      EXPECT_EQ(db.run("INSERT INTO " + table + "(key) VALUES (?)", {next}), SQLITE_OK);
    }
    return next;
  }

  /// A committed key must be found, and a rolled-back key must not. The rate of 1e-9 rules out false positives.
  void ask(Database& db, std::int64_t key) {
    const std::string found =
        db.ask(std::string("SELECT 1 FROM ") + kTableKinds[static_cast<std::size_t>(key) % kTableKinds.size()] +
                   " WHERE key = ?",
               {key});
    ++questions_;
    if (found != (keys_.is_taken_back(key) ? "" : "1")) ++wrong_;
  }

  std::string path_ = temp_file("table_threads.db");
  Keys keys_;
  std::mt19937_64 random_{7};
  std::atomic<bool> done_{false};
  std::atomic<int> ready_{0};  // readers that have read the first keys, and will see the others arrive
  std::atomic<std::int64_t> questions_{0}, wrong_{0};
};

void run_threads(int transactions) {
  Threads threads;
  std::vector<std::thread> readers;
  for (unsigned i = 1; i <= kReaders; ++i) readers.emplace_back([&threads, i] { threads.read(i); });
  threads.write(transactions);
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(threads.wrong(), 0);
  EXPECT_GT(threads.questions(), transactions);
}

TEST(TableThreads, ReadersSeeEveryCommittedKey) { run_threads(60); }

TEST(TableThreads, LongRunOfReadersSeesEveryCommittedKey) { run_threads(20000); }

// A function has no transaction of its own, and reads a table with several statements.
TEST(TableThreads, ASnapshotIsOfOneMomentWhateverAnotherConnectionDoesMeanwhile) {
  const std::string path = new_database("one_moment.db");
  Database db(path.c_str());
  EXPECT_EQ(db.ask("PRAGMA journal_mode = WAL"), "wal");
  db.run("CREATE TABLE s(c)");
  db.run("INSERT INTO s VALUES ('a')");
  db.run("CREATE VIRTUAL TABLE t USING bloom(source=s.c)");
  struct Other {
    Database db;
    int statements_left = 0;
    int rebuilds = 0;
  };
  Other other{Database(path.c_str())};
  const auto before_statement = [](unsigned, void* context, void*, void*) {
    auto& meanwhile = *static_cast<Other*>(context);
    if (meanwhile.statements_left-- != 0) return 0;
    EXPECT_EQ(meanwhile.db.ask("INSERT INTO t(op) VALUES ('rebuild')"), "");
    ++meanwhile.rebuilds;
    return 0;
  };
  sqlite3_trace_v2(db.get(), SQLITE_TRACE_STMT, before_statement, &other);
  int statement = 0;
  do {
    other.statements_left = statement;
    EXPECT_EQ(db.ask("SELECT bloom_contains(bloom_snapshot('t'), 'a')"), "1") << statement;
    other.statements_left = statement;
    EXPECT_EQ(db.ask("SELECT bloom_table_info('t') ->> 'keys'"), "1") << statement;
    ++statement;
  } while (other.rebuilds >= 2 * statement - 1);
  EXPECT_GT(statement, 5);
  sqlite3_trace_v2(db.get(), 0, nullptr, nullptr);
}

}  // namespace
}  // namespace crivo::testing
