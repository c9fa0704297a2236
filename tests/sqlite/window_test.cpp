// Filter tables with a window: CREATE VIRTUAL TABLE ... USING bloom(window=...). table/filter_table.h defines W1 to W3.
#include <map>
#include <random>

#include "database.h"
#include "temp_folder.h"

namespace crivo::testing {
namespace {

constexpr std::int64_t kDay = 86400;
constexpr std::int64_t kStart = 1'700'000'000;  // in November 2023

/// The time of SQLite's clock, in seconds since 1970, for connections that are opened while a FakeClock exists.
std::int64_t fake_seconds = kStart;

class FakeClock {
 public:
  FakeClock() {
    static sqlite3_vfs vfs = [] {
      sqlite3_vfs made = *sqlite3_vfs_find(nullptr);
      made.zName = "fake clock";
      made.xCurrentTimeInt64 = [](sqlite3_vfs*, sqlite3_int64* time) {
        *time = (fake_seconds + 210866760000) * 1000;
        return SQLITE_OK;
      };
      return made;
    }();
    usual_ = sqlite3_vfs_find(nullptr);
    sqlite3_vfs_register(&vfs, 1);
    fake_seconds = kStart;
  }
  ~FakeClock() { sqlite3_vfs_register(usual_, 1); }

 private:
  sqlite3_vfs* usual_;
};

/// The connection is opened after the fake clock is installed, and closed before it is removed.
class Window : FakeClock, public FilterTableTest {
 protected:
  using FilterTableTest::FilterTableTest;
  void advance(std::int64_t seconds) {
    run("INSERT INTO t(op, arg) VALUES ('advance', " + std::to_string(seconds) + ")");
  }
  std::string info(const std::string& field) { return table_info("t", field); }
};

/// Compares a table with a model, for a page size, a number of panes, and a clock.
class WindowModel : public Window, public ::testing::WithParamInterface<std::tuple<int, int, std::string>> {
 protected:
  /// The expected state: the last pane of each key, and the newest pane.
  struct Model {
    std::map<std::int64_t, std::int64_t> keys;
    std::int64_t newest = 0;
  };

  void check(const std::string& what) {
    const std::int64_t now = std::max(model_.newest, manual_ ? 0 : fake_seconds / kPane);
    std::string expected;
    for (const auto& [key, pane] : model_.keys) {
      if (now - pane <= std::get<1>(GetParam())) expected += std::to_string(key) + ",";
    }
    std::string answer = ask("SELECT group_concat(i || ',', '') FROM " + integers(0, kKeys - 1) + " JOIN t ON key = i");
    ASSERT_EQ(answer == "NULL" ? "" : answer, expected) << what << " at " << fake_seconds;
    answer = ask("SELECT group_concat(i || ',', '') FROM " + integers(0, kKeys - 1) +
                 " WHERE bloom_contains((SELECT bloom_open(bloom_snapshot('t'))), i)");
    ASSERT_EQ(answer == "NULL" ? "" : answer, expected) << what << " at " << fake_seconds << " in a snapshot";
  }
  void step(std::mt19937& random) {
    const auto up_to = [&](std::int64_t most) { return std::uniform_int_distribution<std::int64_t>(0, most)(random); };
    switch (up_to(9)) {
      case 0:
        fake_seconds += up_to(3 * kPane);
        return;
      case 1:
        fake_seconds += kPane - fake_seconds % kPane - (up_to(1) != 0 ? 1 : 0);  // to a pane's first or last second
        return;
      case 2:
        fake_seconds -= up_to(2 * kPane);  // sets the clock back
        return;
      case 3:
        if (!manual_) return;
        advance(fake_seconds);
        model_.newest = std::max(model_.newest, fake_seconds / kPane);
        return;
      case 4:
        run("SAVEPOINT s");
        saved_.push_back(model_);
        return;
      case 5:
        if (saved_.empty()) return;
        run("ROLLBACK TO s");
        run("RELEASE s");
        model_ = saved_.back();
        saved_.pop_back();
        return;
      default: {
        const std::int64_t key = up_to(kKeys - 1);
        run((up_to(1) != 0 ? "INSERT INTO t(key) VALUES (" : "INSERT OR IGNORE INTO t(key) VALUES (") +
            std::to_string(key) + ")");
        if (!manual_) model_.newest = std::max(model_.newest, fake_seconds / kPane);
        model_.keys[key] = model_.newest;
      }
    }
  }

  static constexpr std::int64_t kPane = 100;
  static constexpr std::int64_t kKeys = 60;
  Model model_;
  std::vector<Model> saved_;
  const bool manual_ = std::get<2>(GetParam()) == "manual";
};

INSTANTIATE_TEST_SUITE_P(PageBytesPanesAndClock, WindowModel,
                         ::testing::Combine(::testing::Values(512, 1024, 4096, 65536), ::testing::Values(1, 7, 30),
                                            ::testing::Values("now", "manual")));

TEST_P(WindowModel, FindsExactlyTheKeysOfItsPanes) {
  const auto [page_bytes, panes, clock] = GetParam();
  std::mt19937 random(static_cast<unsigned>(page_bytes + panes));
  run("PRAGMA page_size = " + std::to_string(page_bytes));
  // The rate is so low that an expired key must not be found.
  make("capacity=3000, fpr=1e-9, panes=" + std::to_string(panes) + ", window=" + std::to_string(panes * kPane) +
       ", clock=" + clock);
  if (manual_) advance(kStart);
  model_.newest = kStart / kPane;
  for (int i = 0; i < 150; ++i) {
    step(random);
    check("step " + std::to_string(i));
    if (HasFatalFailure()) return;
  }
  for (; !saved_.empty(); saved_.pop_back()) run("RELEASE s");
  run("INSERT INTO t(op) VALUES ('check')");
  run("INSERT INTO t(op) VALUES ('rebuild')");
  check("rebuild");
}

TEST_F(Window, IsNotAdvancedPastTheClockThatItReads) {
  make("capacity=1000, fpr=1e-9, window=2");
  insert(1, 100);
  for (const char* time : {"strftime('%s', 'now') + 3600", "0", "NULL"}) {
    EXPECT_EQ(ask(std::string("INSERT INTO t(op, arg) SELECT 'advance', ") + time),
              "error: t: clock must be manual for op advance, got now");
  }
  fake_seconds += 4;
  EXPECT_EQ(found(1, 100), 0);
}

TEST_F(Window, ForgetsAllWhenTheClockJumpsAhead) {
  make("capacity=1000, fpr=1e-9, window='7 days', panes=7");
  insert(1, 100);
  fake_seconds += 100000 * kDay;
  EXPECT_EQ(found(1, 100), 0);
  insert(101, 101);
  EXPECT_EQ(found(1, 101), 1);
  fake_seconds -= 100000 * kDay;
  EXPECT_EQ(found(1, 101), 1) << "what was forgotten does not come back";
  run("INSERT INTO t(op) VALUES ('clear')");  // resets the clock
  insert(1, 100);
  fake_seconds += 9 * kDay;
  EXPECT_EQ(found(1, 101), 0);
}

TEST_F(Window, MovesAManualClockOnlyByAdvance) {
  make("capacity=1000, fpr=1e-9, window=700, panes=7, clock=manual");
  insert(1, 10);
  fake_seconds += 1000 * kDay;
  EXPECT_EQ(found(1, 10), 10);
  EXPECT_EQ(info("next_pane"), "NULL");
  advance(0);  // sets the clock for the first time: the present keys get this time
  EXPECT_EQ(info("next_pane"), "100");
  advance(700);
  EXPECT_EQ(found(1, 10), 10);
  advance(800);
  EXPECT_EQ(found(1, 10), 0);
  run("INSERT INTO t(op) VALUES ('clear')");
  insert(1, 10);
  advance(5000);
  EXPECT_EQ(found(1, 10), 10);
  run("INSERT INTO t(op, arg) VALUES ('advance', '1970-01-01 01:34:59')");  // 5699
  EXPECT_EQ(found(1, 10), 10);
  EXPECT_EQ(info("next_pane"), "5700");
  advance(5800);
  EXPECT_EQ(found(1, 10), 0);
  EXPECT_THAT(ask("INSERT INTO t(op) VALUES ('advance')"),
              StartsWith("error: t: arg must be a time from 1970 to 9999"));
}

/// The number of frames that a statement adds to the write-ahead log.
class WindowFrames : public Window, public ::testing::WithParamInterface<int> {
 protected:
  WindowFrames() : Window(new_database("window_frames.db")) {}
  void SetUp() override {
    run("PRAGMA page_size = " + std::to_string(GetParam()));
    run("PRAGMA journal_mode = WAL");
    run("PRAGMA wal_autocheckpoint = 0");
    run("PRAGMA synchronous = 0");
    count_frames(db_, &frames_);
  }
  int frames_of(const std::string& sql) {
    const int before = frames_;
    run(sql);
    return frames_ - before;
  }
  int frames_ = 0;
};

INSTANTIATE_TEST_SUITE_P(Bytes, WindowFrames, ::testing::Values(1024, 2048, 4096, 8192, 65536));

TEST_P(WindowFrames, ChangesOnePagePerKeyAndOneMoreWhenAPaneEnds) {
  make("capacity=8000, window='7 days', panes=7");
  insert(1, 8000);
  for (int pane = 0; pane < 20; ++pane) {
    fake_seconds += pane < 10 ? kDay : 20 * kDay;
    const std::string pane_keys = std::to_string(100000 + 100 * pane);
    EXPECT_EQ(frames_of("INSERT INTO t(key) VALUES (" + pane_keys + ")"), 2);
    EXPECT_EQ(frames_of("INSERT INTO t(key) VALUES (" + pane_keys + " + 1)"), 1);
    EXPECT_EQ(frames_of("INSERT INTO t(key) VALUES (" + pane_keys + " + 1)"), 0) << "it is there";
    EXPECT_EQ(frames_of("SELECT count(*) FROM t WHERE key = " + pane_keys), 0);
  }
}

TEST_P(WindowFrames, AdvancesInConstantTime) {
  make("capacity=1000000, window='7 days', panes=7, clock=manual");
  advance(kStart);
  insert(1, 5000);
  for (const int days : {1, 3, 7, 8, 10000}) {
    const std::string advance =
        "INSERT INTO t(op, arg) VALUES ('advance', " + std::to_string(kStart + days * kDay) + ")";
    EXPECT_EQ(frames_of(advance), 1) << days;
    EXPECT_EQ(frames_of(advance), 0) << "it is that time already";
  }
  EXPECT_EQ(found(1, 5000), 0);
  EXPECT_EQ(info("keys"), "0");
  EXPECT_NE(info("stored_pages"), "0");
  run("INSERT INTO t(op) VALUES ('rebuild')");
  EXPECT_EQ(info("stored_pages"), "0");
}

TEST_F(Window, GivesEachPaneAsAFilter) {
  make("capacity=7000, fpr=0.08, seed=5, window='7 days', panes=7");
  for (std::int64_t pane = 0; pane < 3; ++pane) {
    insert(1000 * pane, 1000 * pane + 999);
    fake_seconds += kDay;
  }
  const std::string alike = "bloom_agg(i, 1000, 0.01, 'blocked', 5)";  // the keys and the rate of one pane
  for (int age = 1; age <= 3; ++age) {
    const std::string keys = integers(1000 * (3 - age), 1000 * (3 - age) + 999);
    run("CREATE TEMP TABLE pane AS SELECT bloom_snapshot('t', NULL, " + std::to_string(age) + ") AS f");
    EXPECT_EQ(ask("SELECT sum(bloom_contains(f, i)) FROM pane, " + keys), "1000");
    EXPECT_EQ(ask("SELECT bloom_cardinality(bloom_intersect(f, (SELECT " + alike + " FROM " + keys +
                  "))) BETWEEN 950 AND 1050 FROM pane"),
              "1");
    run("DROP TABLE pane");
  }
  EXPECT_EQ(ask("SELECT bloom_cardinality(bloom_snapshot('t', 'main', 0))"), "0");
  EXPECT_THAT(ask("SELECT bloom_snapshot('t', NULL, 8)"),
              HasSubstr("pane must be an integer from 0 (the newest) to 7, got 8"));
  EXPECT_THAT(ask("SELECT bloom_snapshot('t', NULL, -1)"), HasSubstr("pane must be an integer of at least 0"));
  EXPECT_THAT(ask("SELECT bloom_snapshot('t', NULL, 'x')"), HasSubstr("pane must be an integer of at least 0"));
}

// Compares a table with a filter. The filter's bytes are those of the table's rows.
TEST_F(Window, IsTheFilterOfTheSameNameRowByRow) {
  make("capacity=3000, fpr=0.001, seed=5, window='7 days', panes=7, clock=manual");
  run("CREATE TEMP TABLE filter AS SELECT bloom_create(3000, 0.001, 'window:7 days/7', 5) AS f");
  for (const std::int64_t day : {0, 1, 2, 2, 5, 4, 9}) {
    const std::string time = std::to_string(kStart + day * kDay);
    const std::string keys = integers(400 * day, 400 * day + 399);
    advance(kStart + day * kDay);
    run("INSERT INTO t(key) SELECT i FROM " + keys);
    run("UPDATE filter SET f = bloom_add_many(bloom_advance(f, " + time + "), (SELECT json_group_array(i) FROM " +
        keys + "))");
  }
  // Only the headers differ: the filter counts its keys, and the table estimates their number.
  EXPECT_EQ(ask("SELECT substr(bloom_raw(bloom_snapshot('t')), 65) = substr(bloom_raw(f), 65) FROM filter"), "1");
  // The rows without their 24-byte headers are the filter after its blob header and its window header, 64 bytes each.
  EXPECT_EQ(ask("SELECT group_concat(hex(substr(bits, 25)), '') = (SELECT hex(substr(bloom_raw(f), 129)) FROM filter) "
                "FROM (SELECT bits FROM t_pages ORDER BY page_no)"),
            "1");
}

TEST_F(Window, AFilterTakesItsTimeFromSqlite) {
  run("CREATE TEMP TABLE filter AS SELECT bloom_add(bloom_advance(bloom_create(100, 1e-9, 'window:60/1')), 'a') AS f");
  EXPECT_EQ(ask("SELECT bloom_info(f) ->> 'next_pane' FROM filter"), std::to_string((kStart / 60 + 1) * 60));
  fake_seconds += 180;
  EXPECT_EQ(ask("SELECT bloom_contains(f, 'a') || bloom_contains(bloom_advance(f), 'a') || "
                "bloom_contains(bloom_advance(f, 'now'), 'a') FROM filter"),
            "100");
  run("CREATE TABLE kept(f)");
  EXPECT_THAT(ask("CREATE INDEX i ON kept(bloom_advance(f, 'now'))"),
              HasSubstr("non-deterministic functions prohibited"));
  EXPECT_EQ(ask("SELECT bloom_advance(f, 'yesterday') FROM filter"),
            "error: bloom_advance: time must be a time from 1970 to 9999, as seconds since 1970 or as a text that "
            "SQLite's date functions read, got 'yesterday'");
  EXPECT_EQ(ask("SELECT bloom_advance(bloom_create(9), 1)"),
            "error: bloom_advance: kind must support advance (window), got blocked");
}

TEST_F(Window, SizesAPaneForItsShareOfTheKeysAndOfTheRate) {
  const auto units = [this](const std::string& arguments) {
    run("CREATE VIRTUAL TABLE sized USING bloom(" + arguments + ")");
    const std::string state = ask("SELECT value FROM sized_meta");
    run("DROP TABLE sized");
    return state.substr(state.find(" units="), state.find(" k=") - state.find(" units="));
  };
  for (int keys = 1000; keys < 1100; ++keys) {  // about one more block for every 50 keys
    const std::string window = ", fp_rate=0.05, window='4 days', panes=4";
    const std::string pane = units("capacity=" + std::to_string(keys) + ", fp_rate=0.01");
    EXPECT_EQ(units("capacity=" + std::to_string(4 * keys) + window), pane) << keys;
    EXPECT_EQ(units("capacity=" + std::to_string(4 * keys - 3) + window), pane) << keys;
  }
}

TEST_F(Window, TellsWhatItHolds) {
  make("capacity=7000, window='36 hours', panes=3");
  insert(1, 500);
  fake_seconds += kDay / 2;
  insert(501, 1500);
  EXPECT_EQ(
      ask("SELECT json_remove(bloom_table_info('t'), '$.keys', '$.current_fp_rate', '$.pane_keys', '$.pages', "
          "'$.stored_pages', '$.bytes')"),
      R"({"kind":"blocked","capacity":7000,"fp_rate":0.01,"over_capacity":0,"seed":0,"layers":1,"row_bytes":3864,)"
      R"("window":129600,"panes":3,"clock":"now","generation":1,"next_pane":)" +
          std::to_string((kStart / (kDay / 2) + 2) * (kDay / 2)) + "}");
  EXPECT_NEAR(std::stod(info("keys")), 1500, 60);
  EXPECT_NEAR(std::stod(info("pane_keys[0]")), 1000, 40);
  EXPECT_NEAR(std::stod(info("pane_keys[1]")), 500, 20);
  EXPECT_EQ(info("pane_keys[2]") + info("pane_keys[3]") + info("pane_keys[4]"), "00NULL");
  EXPECT_EQ(ask("SELECT bloom_info(bloom_snapshot('t')) ->> 'keys'"), info("keys"));
}

// The table is over capacity as soon as one pane has more than its share of the keys.
TEST_F(Window, TellsWhenItsRateIsAboveThePromise) {
  make("capacity=8000, window=800, clock=manual");
  advance(0);
  insert(1, 1000);
  EXPECT_EQ(info("over_capacity"), "0");
  insert(1001, 5000);
  EXPECT_EQ(info("over_capacity"), "1");
  const double rate = std::stod(info("current_fp_rate"));
  EXPECT_NEAR(static_cast<double>(found(1'000'001, 1'020'000)) / 20000, rate, 4.5 * std::sqrt(rate / 20000));
  advance(100);
  EXPECT_EQ(info("over_capacity"), "1");
  advance(900);
  EXPECT_EQ(info("over_capacity"), "0");
}

TEST_F(Window, NamesWhatIsWrongWithItsArguments) {
  const auto error = [this](const std::string& arguments) {
    return ask("CREATE VIRTUAL TABLE e USING bloom(capacity=1000, " + arguments + ")");
  };
  for (const char* window : {"", "7 dayss", "7days2", "0.001", "36526 days"}) {
    EXPECT_THAT(error(std::string("window='") + window + "'"),
                StartsWith("error: e: window must be a length of time like '7 days'"))
        << window;
  }
  EXPECT_EQ(error("window=60, panes=0"), "error: e: panes must be an integer from 1 to 256, got '0'");
  EXPECT_EQ(error("window=60, panes=257"), "error: e: panes must be an integer from 1 to 256, got '257'");
  EXPECT_EQ(error("window=60, panes=2.5"), "error: e: panes must be an integer from 1 to 256, got '2.5'");
  EXPECT_EQ(error("panes=7"), "error: e: panes must be set together with window, got no window");
  EXPECT_EQ(error("clock=now"), "error: e: clock must be set together with window, got no window");
  EXPECT_EQ(error("window=60, clock=utc"), "error: e: clock must be now or manual, got 'utc'");
  EXPECT_EQ(error("window=60, kind=counting"), "error: e: kind must be blocked if window is set, got counting");
  EXPECT_EQ(error("window=60, source='a.b'"), "error: e: source must not be set together with window, got both");
  EXPECT_EQ(ask("SELECT count(*) FROM sqlite_schema"), "0") << "nothing may be left behind";
  for (const char* window : {"7 days", "1 day", "36 hours", "90 minutes", "30 seconds", "2 weeks", "1.5 hours", "10",
                             "7 Days", "1 HOUR", "2 HOURS", "36525 days"}) {
    EXPECT_EQ(error(std::string("window='") + window + "'"), "") << window;
    EXPECT_EQ(ask("DROP TABLE e"), "");
  }
}

TEST_F(Window, GoesFromTheFirstTimeToTheLast) {
  make("capacity=1000, fpr=1e-9, window=60, clock=manual");
  advance(0);
  insert(1, 10);
  EXPECT_EQ(found(1, 10), 10);
  run("INSERT INTO t(op, arg) VALUES ('advance', '9999-12-31 23:59:59.999')");
  insert(11, 20);
  EXPECT_EQ(found(1, 20), 10);
}

TEST_F(Window, NamesWhatIsWrongWithATime) {
  make("capacity=1000, window=60, clock=manual");
  for (const char* time : {"'soon'", "-1", "1e12", "x'00'", "''", "'1969-12-31'", "9e999"}) {
    EXPECT_THAT(ask(std::string("INSERT INTO t(op, arg) VALUES ('advance', ") + time + ")"),
                StartsWith("error: t: arg must be a time from 1970 to 9999"))
        << time;
  }
  run("CREATE VIRTUAL TABLE plain USING bloom(capacity=10)");
  EXPECT_THAT(ask("INSERT INTO plain(op) VALUES ('advance')"), HasSubstr("table must have a window"));
  EXPECT_THAT(ask("INSERT INTO t(op, arg) SELECT 'union', bloom_create(10)"), HasSubstr("table must have no window"));
}

TEST_F(Window, AFilterReportsSqlitesOwnErrorForATime) {
  const auto deny = [](void*, int action, const char*, const char* function, const char*, const char*) {
    return action == SQLITE_FUNCTION && std::string_view(function) == "julianday" ? SQLITE_DENY : SQLITE_OK;
  };
  sqlite3_set_authorizer(db_.get(), deny, nullptr);
  EXPECT_EQ(ask("SELECT bloom_advance(bloom_create(10, 0.01, 'window:800'), '2024-01-01')"),
            "error: bloom_advance: not authorized to use function: julianday");
  sqlite3_set_authorizer(db_.get(), nullptr, nullptr);
}

// Tests W2 of table/filter_table.h.
TEST_F(Window, SaysWhichPageIsFromTheFuture) {
  for (const std::int64_t panes : {1, 5}) {
    make("capacity=1000, window=800");
    insert(1, 10);
    run("CREATE TABLE state AS SELECT value FROM t_meta");
    fake_seconds += 100 * panes;
    insert(11, 100);
    run("UPDATE t_meta SET value = (SELECT value FROM state)");
    fake_seconds -= 100 * panes;
    EXPECT_THAT(ask("INSERT INTO t(op) VALUES ('check')"),
                HasSubstr("must be of generation 0 at most, got " + std::to_string(panes)));
    EXPECT_THAT(ask("SELECT count(*) FROM " + integers(1, 100) + " JOIN t ON key = i"),
                HasSubstr("must be of generation"));
    run("DROP TABLE t");
    run("DROP TABLE state");
  }
}

}  // namespace
}  // namespace crivo::testing
