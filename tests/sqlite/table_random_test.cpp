// Random statements on a filter table and on a plain table with the same keys. At a rate of 1e-9, a false positive is
// practically impossible, so both tables must return the same rows for every query. With kinds that count, they must
// also return the same counts. (T1 and T2 of table/filter_table.h.)
#include <array>
#include <memory>

#include "database.h"
#include "random_walk.h"
#include "temp_folder.h"

namespace crivo::testing {
namespace {

/// The schema of a pair of tables, and the kind of the filter. The plain table's name is "plain_" and the filter's.
struct Pair {
  std::string schema;
  std::string name;
  std::string kind;
  [[nodiscard]] std::string filter() const { return schema + "." + name; }
  [[nodiscard]] std::string plain() const { return schema + ".plain_" + name; }
  [[nodiscard]] bool counts() const { return kind == "counting" || kind == "growing" || kind == "spectral"; }
};

class Walk : Random {
 public:
  Walk(std::uint64_t seed, const std::string& encoding, int page_size) : Random(seed) {
    for (const std::string& path : {path_, attached_}) remove_database(path);
    db_ = std::make_unique<Database>(path_.c_str());
    db_->run("PRAGMA page_size = " + std::to_string(page_size));
    db_->run("PRAGMA encoding = '" + encoding + "'");
    connect();
    run("CREATE TABLE words(w)");
    run("INSERT INTO words VALUES (NULL), (1), (2), (3.5), ('t1'), (CAST('b1' AS BLOB)), (x'00'), ('ä'), (1e20), ('')");
    const std::array kinds = {"blocked", "counting", "growing", "scalable", "spectral", "'scalable:4'"};
    for (const char* schema : {"main", "temp", "aux1"}) {
      for (const std::string kind : kinds) make({schema, "f" + std::to_string(++names_), kind});
    }
    run("CREATE TABLE log(w)");
    run("CREATE TRIGGER into_both AFTER INSERT ON log BEGIN INSERT INTO f2(key) VALUES (new.w); "
        "INSERT INTO plain_f2(key) SELECT new.w WHERE new.w IS NOT NULL; END");
  }

  /// Runs one statement, or a few related ones.
  void step() {
    using Step = void (Walk::*)();
    static constexpr auto kSteps = std::to_array<Weighted<Step>>({{3, &Walk::insert},
                                                                  {1, &Walk::insert_many},
                                                                  {1, &Walk::insert_or_ignore},
                                                                  {1, &Walk::insert_selected},
                                                                  {1, &Walk::fire},
                                                                  {2, &Walk::remove},
                                                                  {2, &Walk::begin},
                                                                  {2, &Walk::end},
                                                                  {1, &Walk::rename},
                                                                  {1, &Walk::tidy_up},
                                                                  {1, &Walk::clear},
                                                                  {2, &Walk::ask_one},
                                                                  {2, &Walk::ask_in},
                                                                  {2, &Walk::join},
                                                                  {1, &Walk::ask_selected},
                                                                  {1, &Walk::reopen}});
    const auto next = drawn_step(kSteps, *this);
    (this->*next.step)();
  }

  [[nodiscard]] const std::string& last() const { return last_; }

 private:
  Pair& pair() { return pairs_[below(pairs_.size())]; }

  /// A key as SQL, or NULL. Keys of different types have different bytes, because a filter's key has no type.
  std::string key() {
    std::string number = std::to_string(static_cast<std::int64_t>(below(120)) - 30);
    switch (below(8)) {
      case 0:
        return "'t" + number + "'";
      case 1:
        return number + ".25";
      case 2:
        return "CAST('b" + number + "' AS BLOB)";
      case 3:
        return below(4) == 0 ? "NULL" : "'ä" + number + "'";
      case 4:
        return std::to_string(std::int64_t{1} << below(62));
      default:
        return number;
    }
  }
  std::string keys() {
    std::string list = key();
    for (std::size_t i = below(8); i > 0; --i) list += ", " + key();
    return list;
  }
  std::string rows() {
    std::string list = "(" + key() + ")";
    for (std::size_t i = below(30); i > 0; --i) list += ", (" + key() + ")";
    return list;
  }

  void run(const std::string& sql) {
    last_ = sql;
    ASSERT_EQ(db_->ask(sql), "") << sql;
  }

  /// Runs a query on both tables. `~` stands for the table.
  void ask(const Pair& pair, const std::string& question) {
    const auto put = [&](const std::string& table) {
      std::string sql = question;
      for (std::size_t at = sql.find('~'); at != std::string::npos; at = sql.find('~', at)) sql.replace(at, 1, table);
      return sql;
    };
    last_ = put(pair.filter());
    // A plain table may have a key several times.
    const std::string plain = "(SELECT key, count(*) AS count FROM " + pair.plain() + " GROUP BY CAST(key AS BLOB))";
    ASSERT_EQ(db_->ask(last_), db_->ask(put(plain))) << last_;
  }

  void make(const Pair& pair) {
    run("CREATE VIRTUAL TABLE " + pair.filter() + " USING bloom(fpr=1e-9, kind=" + pair.kind +
        ", capacity=" + (pair.kind.find("scalable") == std::string::npos ? "3000" : "20") + ")");
    run("CREATE TABLE " + pair.plain() + "(key)");
    pairs_.push_back(pair);
  }

  void connect() {
    db_->run("PRAGMA synchronous = OFF");
    db_->run("PRAGMA recursive_triggers = ON");
    db_->run("ATTACH ? AS aux1", {attached_});
  }

  void insert() { insert_values("(" + key() + ")"); }
  void insert_many() { insert_values(rows()); }
  void insert_values(const std::string& values) {
    const Pair& to = pair();
    run("INSERT INTO " + to.filter() + "(key) VALUES " + values);
    run("INSERT INTO " + to.plain() + " SELECT column1 FROM (VALUES " + values + ") WHERE column1 IS NOT NULL");
  }
  void insert_or_ignore() {
    const Pair& to = pair();
    const std::string value = key();
    run("INSERT OR IGNORE INTO " + to.filter() + "(key) VALUES (" + value + ")");
    const int changed = sqlite3_changes(db_->get());
    run("INSERT INTO " + to.plain() + " SELECT " + value + " AS k WHERE k IS NOT NULL AND NOT EXISTS (SELECT 1 FROM " +
        to.plain() + " WHERE CAST(key AS BLOB) = CAST(k AS BLOB))");
    ASSERT_EQ(changed, sqlite3_changes(db_->get())) << "changes() of " << to.filter() << ", " << value;
  }
  void insert_selected() {
    const Pair& to = pair();
    const Pair& from = pair();
    const std::string limit = " WHERE rowid % 7 = " + std::to_string(below(7)) + " LIMIT 20";
    if (&to == &from) return;
    run("INSERT INTO " + to.filter() + "(key) SELECT key FROM " + from.plain() + limit);
    run("INSERT INTO " + to.plain() + " SELECT key FROM " + from.plain() + limit);
  }
  void fire() { run("INSERT INTO log VALUES " + rows()); }

  void remove() {
    const Pair& from = pair();
    if (from.kind != "counting") return;
    const std::string value = key();
    run("DELETE FROM " + from.filter() + " WHERE key = " + value);
    run("DELETE FROM " + from.plain() + " WHERE rowid IN (SELECT rowid FROM " + from.plain() +
        " WHERE CAST(key AS BLOB) = CAST(" + value + " AS BLOB) LIMIT 1)");
  }
  void clear() {
    if (below(6) != 0) return;
    const Pair& to = pair();
    run("INSERT INTO " + to.filter() + "(op) VALUES ('clear')");
    run("DELETE FROM " + to.plain());
  }

  void begin() {
    if (depth_ == 0) run("BEGIN");
    run("SAVEPOINT s" + std::to_string(++depth_));
  }
  void end() {
    if (depth_ == 0) return;
    const std::string name = "s" + std::to_string(1 + below(static_cast<std::size_t>(depth_)));
    switch (below(4)) {
      case 0:
        return end_transaction("COMMIT");
      case 1:
        return end_transaction("ROLLBACK");
      case 2:
        run("ROLLBACK TO " + name);
        depth_ = std::stoi(name.substr(1));
        return;
      default:
        run("RELEASE " + name);
        depth_ = std::stoi(name.substr(1)) - 1;
        if (depth_ == 0) end_transaction("COMMIT");
    }
  }
  void end_transaction(const std::string& how) {
    run(how);
    depth_ = 0;
  }

  /// Renames only the filter. The plain table is found by the pair's name, which stays.
  void rename() {
    const Pair& renamed = pair();
    if (renamed.name == "f2" || below(3) != 0) return;
    run("ALTER TABLE " + renamed.filter() + " RENAME TO [it's other]");
    if (below(2) == 0) run("INSERT INTO " + renamed.schema + ".[it's other](op) VALUES ('check')");
    run("ALTER TABLE " + renamed.schema + ".[it's other] RENAME TO " + renamed.name);
  }

  void tidy_up() {
    const Pair& tidied = pair();
    run("INSERT INTO " + tidied.filter() + "(op) VALUES ('check')");
    run("INSERT INTO " + tidied.filter() + "(op) VALUES ('rebuild')");
    if (depth_ == 0 && below(4) == 0) run("VACUUM " + std::string(tidied.schema == "temp" ? "main" : tidied.schema));
    last_ = "bloom_snapshot " + tidied.filter();
    ASSERT_EQ(db_->ask("SELECT count(*) FROM " + tidied.plain() +
                       " WHERE NOT bloom_contains((SELECT bloom_open("
                       "bloom_snapshot('" +
                       tidied.name + "', '" + tidied.schema + "'))), key)"),
              "0");
  }

  void ask_one() {
    const Pair& asked = pair();
    const std::string value = key();
    ask(asked, "SELECT quote(key) FROM ~ AS t WHERE key = " + value);
    if (asked.counts()) ask(asked, "SELECT sum(count) FROM ~ AS t WHERE key = " + value);
    ask(asked, "SELECT EXISTS (SELECT 1 FROM ~ AS t WHERE key = " + value +
                   ") + 2 * NOT EXISTS (SELECT 1 FROM ~ AS t " + "WHERE key = " + key() + ")");
    if (asked.schema == "main")
      ask(asked, "SELECT count(*) FROM (SELECT 1 FROM ~ WHERE key = 1 OR key = " + value + ")");
  }
  void ask_in() {
    const Pair& asked = pair();
    const std::string list = keys();
    ask(asked,
        "SELECT group_concat(k, ' ') FROM (SELECT quote(key) AS k FROM ~ AS t WHERE key IN (" + list + ") ORDER BY 1)");
    ask(asked, "SELECT count(*) FROM ~ AS t WHERE key IN (" + list + ") AND key NOT IN (1, 't1')");
    ask(asked, "SELECT group_concat(quote(k)) FROM (SELECT key AS k FROM ~ AS t WHERE key IN (" + list +
                   ") UNION SELECT key FROM ~ AS t WHERE key = " + key() + " ORDER BY 1)");
  }
  void join() {
    const Pair& asked = pair();
    ask(asked, "SELECT count(*) FROM words JOIN ~ AS t ON t.key = w");
    ask(asked, "SELECT count(*) FROM ~ AS t JOIN words ON t.key = w");
    ask(asked, "SELECT count(*), count(t.key) FROM words LEFT JOIN ~ AS t ON t.key = w");
    ask(asked, "SELECT group_concat(quote(w)) FROM words WHERE NOT EXISTS (SELECT 1 FROM ~ AS t WHERE t.key = w)");
    ask(asked, "SELECT count(*) FROM words AS a, words AS b CROSS JOIN ~ AS t WHERE t.key = a.w AND t.key = b.w");
  }
  void ask_selected() {
    const Pair& asked = pair();
    const std::string from = pair().plain();
    ask(asked, "SELECT count(*) FROM ~ AS t WHERE key IN (SELECT key FROM " + from + ")");
    ask(asked, "SELECT count(*) FROM (SELECT DISTINCT key FROM " + from +
                   ") AS o WHERE EXISTS (SELECT 1 FROM ~ AS t "
                   "WHERE t.key = o.key)");
  }

  /// Closes the database and opens it again. Temporary tables are lost.
  void reopen() {
    if (depth_ != 0 || below(5) != 0) return;
    db_ = nullptr;
    db_ = std::make_unique<Database>(path_.c_str());
    connect();
    std::erase_if(pairs_, [](const Pair& pair) { return pair.schema == "temp"; });
    for (const char* kind : {"counting", "scalable"}) make({"temp", "f" + std::to_string(++names_), kind});
  }

  std::string path_ = temp_file("table_random.db");
  std::string attached_ = temp_file("table_random_attached.db");
  std::unique_ptr<Database> db_;
  std::vector<Pair> pairs_;
  int names_ = 0;
  int depth_ = 0;
  std::string last_;
};

void walk_all(std::uint64_t first, std::uint64_t walks, int steps) {
  static constexpr std::array kEncodings = {"UTF-8", "UTF-16le", "UTF-16be"};
  static constexpr std::array kPageSizes = {4096, 512, 1024, 65536};
  walk_seeds("CRIVO_TABLE_SEED", first, walks, [&](std::uint64_t seed) {
    Walk walk(seed, kEncodings[seed % 3], kPageSizes[seed % 4]);
    for (int i = 0; i < steps; ++i) {
      walk.step();
      ASSERT_FALSE(::testing::Test::HasFailure()) << "step " << i << ": " << walk.last();
    }
  });
}

TEST(TableRandom, StatementsGiveWhatAPlainTableGives) { walk_all(1, 4, 150); }

TEST(TableRandom, LongSeriesOfStatementsGivesWhatAPlainTableGives) { walk_all(100, 12, 1000); }

}  // namespace
}  // namespace crivo::testing
