// The SQLite extension with forged shadow tables and forged blobs. The input is a program of small steps: damage to a
// shadow table (with the checksum repaired), a statement on a filter table, or a call of an SQL function. A step may
// fail. It must not crash, run forever, or lose a key that was just added.
#include <sqlite3.h>

#include <array>

#include "../sqlite/table_surgery.h"
#include "blob_surgery.h"
#include "crivo/sqlite.h"
#include "fuzz_body.h"
#include "input.h"
#include "require.h"

namespace crivo::testing {
namespace {

struct TableRow {
  const char* name;
  const char* arguments;
};
constexpr std::array kTables = {
    TableRow{"blocked", "capacity=300"},
    TableRow{"counting", "capacity=300, kind=counting"},
    TableRow{"scalable", "capacity=20, kind=scalable"},
    TableRow{"spectral", "capacity=300, kind=spectral"},
    TableRow{"windowed", "capacity=300, window='1 day', panes=3, clock=manual"},
    TableRow{"followed", "source='sources.value', kind=counting"},
};
constexpr unsigned kMaxSteps = 24;

/// A bound value: only one member is used.
struct Value {
  enum class Type { kNull, kInteger, kReal, kText, kBlob } type = Type::kNull;
  std::int64_t integer = 0;
  double real = 0;
  std::string bytes;
};

Value text(std::string bytes) { return {Value::Type::kText, 0, 0, std::move(bytes)}; }
Value blob(std::string bytes) { return {Value::Type::kBlob, 0, 0, std::move(bytes)}; }
Value integer(std::int64_t number) { return {Value::Type::kInteger, number, 0, {}}; }

class Connection {
 public:
  Connection() {
    require(sqlite3_open(":memory:", &db_) == SQLITE_OK, "SQLite opens a database");
    require(sqlite3_crivo_init(db_, nullptr, nullptr) == SQLITE_OK, "the extension registers");
    sqlite3_limit(db_, SQLITE_LIMIT_LENGTH, 1 << 20);
    sqlite3_db_config(db_, SQLITE_DBCONFIG_LOOKASIDE, nullptr, 0,
                      0);  // for AddressSanitizer: no lookaside memory
    run("PRAGMA page_size = 512");
    run("CREATE TABLE sources(value)");
    run("CREATE TABLE keys AS VALUES (1), (2), ('three'), (x'04'), (77), (NULL)");
    for (const auto& [name, arguments] : kTables) {
      run("CREATE VIRTUAL TABLE " + std::string(name) + " USING bloom(" + arguments + ")");
      run("INSERT INTO " + std::string(name) + "(op, arg) VALUES ('advance', 1e9)");
      const std::string into = name == std::string("followed") ? "sources(value)" : std::string(name) + "(key)";
      run("INSERT INTO " + into + " VALUES (1), (2), ('three'), (x'04'), (5.5)");
      run("INSERT INTO " + into +
          " WITH n(i) AS (VALUES (10) UNION ALL SELECT i + 1 FROM n WHERE i < 60) SELECT i FROM n");
      require(run("SELECT 1 FROM " + std::string(name) + " WHERE key = 'three'") == SQLITE_DONE && rows() == 1,
              "the fuzzer's tables have keys");
    }
    find_functions();
    require(sqlite3_open(":memory:", &start_) == SQLITE_OK, "SQLite opens a database");
    sqlite3_exec(start_, "PRAGMA page_size = 512", nullptr, nullptr, nullptr);
    copy(start_, db_);
  }

  /// Restores the initial database in a transaction. A rollback is the cheapest way.
  void restore() {
    const bool in_transaction = sqlite3_get_autocommit(db_) == 0;
    if (in_transaction) run("ROLLBACK");
    if (!in_transaction) copy(db_, start_);
    require(run("BEGIN") == SQLITE_DONE, "no transaction is left open");
  }

  /// Runs a statement, stores the first column of its last row, and counts the rows.
  int run(const std::string& sql, const std::vector<Value>& values = {}) {
    rows_ = 0;
    answer_ = {};
    sqlite3_stmt* statement = nullptr;
    int status = sqlite3_prepare_v2(db_, sql.c_str(), static_cast<int>(sql.size()), &statement, nullptr);
    if (status != SQLITE_OK) return status;
    for (std::size_t i = 0; i < values.size(); ++i) bind(statement, static_cast<int>(i) + 1, values[i]);
    while ((status = sqlite3_step(statement)) == SQLITE_ROW && ++rows_ < 1000) keep(statement);
    sqlite3_finalize(statement);
    return status;
  }
  [[nodiscard]] int rows() const { return rows_; }
  [[nodiscard]] const Value& answer() const { return answer_; }

  /// "name(?1, ?2)" for each function of the extension and each of its numbers of arguments.
  [[nodiscard]] const std::vector<std::string>& calls() const { return calls_; }

 private:
  /// Not sqlite3_deserialize: after a table-valued function was used, it makes SQLite 3.40 crash.
  static void copy(sqlite3* to, sqlite3* from) {
    sqlite3_backup* backup = sqlite3_backup_init(to, "main", from, "main");
    require(backup != nullptr && sqlite3_backup_step(backup, -1) == SQLITE_DONE, "no statement is left open");
    sqlite3_backup_finish(backup);
  }

  static void bind(sqlite3_stmt* statement, int at, const Value& value) {
    switch (value.type) {
      case Value::Type::kNull:
        break;
      case Value::Type::kInteger:
        sqlite3_bind_int64(statement, at, value.integer);
        break;
      case Value::Type::kReal:
        sqlite3_bind_double(statement, at, value.real);
        break;
      case Value::Type::kText:
        sqlite3_bind_text64(statement, at, value.bytes.data(), value.bytes.size(), SQLITE_STATIC, SQLITE_UTF8);
        break;
      case Value::Type::kBlob:
        sqlite3_bind_blob64(statement, at, value.bytes.data(), value.bytes.size(), SQLITE_STATIC);
    }
  }

  void keep(sqlite3_stmt* statement) {
    if (sqlite3_column_count(statement) == 0) return;
    const int type = sqlite3_column_type(statement, 0);
    answer_.type = type == SQLITE_BLOB   ? Value::Type::kBlob
                   : type == SQLITE_NULL ? Value::Type::kNull
                                         : Value::Type::kText;
    const auto* bytes = static_cast<const char*>(type == SQLITE_BLOB ? sqlite3_column_blob(statement, 0)
                                                                     : sqlite3_column_text(statement, 0));
    answer_.bytes.assign(bytes == nullptr ? "" : bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement, 0)));
  }

  void find_functions() {
    sqlite3_stmt* statement = nullptr;
    const char* sql =
        "SELECT DISTINCT name, narg, type FROM pragma_function_list WHERE name LIKE 'bloom\\_%' ESCAPE '\\' "
        "UNION SELECT name, 1, 't' FROM pragma_module_list WHERE name LIKE 'bloom\\_%' ESCAPE '\\' ORDER BY 1, 2";
    require(sqlite3_prepare_v2(db_, sql, -1, &statement, nullptr) == SQLITE_OK, "the functions can be listed");
    while (sqlite3_step(statement) == SQLITE_ROW) {
      std::string call = reinterpret_cast<const char*>(sqlite3_column_text(statement, 0));
      const int given = sqlite3_column_int(statement, 1);
      const char* separator = "(";
      for (int i = 1; i <= (given < 0 ? 3 : given); ++i, separator = ", ") {
        call.append(separator).append("?").append(std::to_string(i));
      }
      call.append(*separator == '(' ? "()" : ")");
      const bool is_table = *sqlite3_column_text(statement, 2) == 't';
      calls_.push_back((is_table ? "SELECT * FROM " : "SELECT ") + call);
    }
    sqlite3_finalize(statement);
    require(calls_.size() > 20, "the extension has functions");
  }

  sqlite3* db_ = nullptr;
  sqlite3* start_ = nullptr;
  std::vector<std::string> calls_;
  int rows_ = 0;
  Value answer_;
};

std::string take_bytes(Input& input, unsigned most) {
  std::string bytes(input.take_below(most + 1), '\0');
  for (char& byte : bytes) byte = static_cast<char>(input.take<std::uint8_t>());
  return bytes;
}

/// Draws numbers near the limits of sizes, counts and page numbers.
std::int64_t take_number(Input& input) {
  const unsigned choice = input.take_below(70);
  if (choice < 64) return static_cast<std::int64_t>((std::uint64_t{1} << choice) - input.take_below(3));
  if (choice < 67) return input.take<std::uint8_t>();
  return static_cast<std::int64_t>(input.take<std::uint64_t>());
}

std::string take_table(Input& input) { return kTables[input.take_below(kTables.size())].name; }

/// Runs one input.
class Program {
 public:
  Program(Connection& db, Input& input) : db_(db), input_(input), table_(take_table(input)) {}

  void step() {
    using Step = void (Program::*)();
    static constexpr std::array<Step, 20> kSteps = {
        &Program::forge_state, &Program::forge_state, &Program::splice_state, &Program::retype,   &Program::forge_page,
        &Program::forge_page,  &Program::move_page,   &Program::add_page,     &Program::insert,   &Program::insert,
        &Program::probe,       &Program::remove,      &Program::operate,      &Program::snapshot, &Program::transact,
        &Program::schema,      &Program::call,        &Program::call,         &Program::call,     &Program::forge_blob};
    (this->*kSteps[input_.take_below(kSteps.size())])();
  }

 private:
  Value take_value() {
    switch (input_.take_below(10)) {
      case 0:
        return {};
      case 1:
        return integer(take_number(input_));
      case 2:
        return {Value::Type::kReal, 0, static_cast<double>(take_number(input_)) / 1024, {}};
      case 3:
        return text(take_bytes(input_, 12));
      case 4:
        return blob(take_bytes(input_, 40));
      case 5:
        return text(table_);
      case 6:
        return text("[1, \"three\", 2.5, null, " + std::to_string(input_.take<std::uint8_t>()) + "]");
      default:
        return filter_;
    }
  }

  void forge_state() {
    static constexpr std::array kFields = {"kind",   "capacity",   "fpr",        "seed",        "page_bytes",
                                           "layers", "units",      "k",          "pane_length", "panes",
                                           "manual", "first_pane", "generation", "source_half"};
    static constexpr std::array kTexts = {"blocked",    "counting", "scalable", "spectral:32",
                                          "scalable:4", "nan",      "-1",       "1e-300"};
    const std::string field = kFields[input_.take_below(kFields.size())];
    const unsigned choice = input_.take_below(16);
    const std::string value = choice < kTexts.size() ? kTexts[choice] : std::to_string(take_number(input_));
    write_state(with_field(read_state(), field, value));
  }
  void splice_state() {
    std::string state = read_state();
    const std::size_t at = std::min<std::size_t>(input_.take<std::uint8_t>(), state.size());
    state.replace(at, input_.take_below(20), take_bytes(input_, 20));
    write_state(with_checksum(state));
  }
  std::string read_state() {
    db_.run("SELECT value FROM " + table_ + "_meta WHERE name = 'state'");
    return db_.answer().bytes;
  }
  void write_state(const std::string& state) {
    db_.run("UPDATE " + table_ + "_meta SET value = ? WHERE name = 'state'", {text(state)});
  }
  void retype() {
    const bool meta = input_.take_below(2) == 0;
    db_.run("UPDATE " + table_ + (meta ? "_meta SET value = ?" : "_pages SET bits = ?"), {take_value()});
  }

  void forge_page() {
    const std::int64_t page = input_.take_below(12);
    db_.run("SELECT bits FROM " + table_ + "_pages WHERE page_no = ?", {integer(page)});
    std::string row = db_.answer().bytes;
    const std::size_t at = std::min<std::size_t>(input_.take<std::uint16_t>(), row.size());
    const std::string bytes = take_bytes(input_, 16);
    if (input_.take_below(8) == 0) row.resize(at);
    row.replace(at, std::min(bytes.size(), row.size() - at), bytes);
    write_page(page, page, std::move(row));
  }
  void move_page() {
    const std::int64_t page = input_.take_below(12);
    db_.run("SELECT bits FROM " + table_ + "_pages WHERE page_no = ?", {integer(page)});
    write_page(page, take_number(input_), db_.answer().bytes);
  }
  void add_page() {
    const std::int64_t page = take_number(input_);
    std::string row(input_.take<std::uint16_t>() % 600, static_cast<char>(input_.take<std::uint8_t>()));
    db_.run("INSERT INTO " + table_ + "_pages VALUES (?1, ?2)", {integer(page), blob(with_row_checksum(page, row))});
  }
  void write_page(std::int64_t from, std::int64_t to, std::string row) {
    if (input_.take_below(16) != 0) row = with_row_checksum(to, std::move(row));
    db_.run("UPDATE " + table_ + "_pages SET page_no = ?2, bits = ?3 WHERE page_no = ?1",
            {integer(from), integer(to), blob(std::move(row))});
  }

  void insert() {
    const Value key = take_value();
    const bool or_ignore = input_.take_below(2) == 0;
    const int status =
        db_.run((or_ignore ? "INSERT OR IGNORE INTO " : "INSERT INTO ") + table_ + "(key) VALUES (?)", {key});
    if (status != SQLITE_DONE || key.type == Value::Type::kNull || table_ == "windowed") return;  // window keys expire
    require(db_.run("SELECT 1 FROM " + table_ + " WHERE key = ?", {key}) == SQLITE_DONE,
            "an added key can be asked for");
    require(db_.rows() == 1, "an added key is found");
  }
  void probe() {
    const Value key = take_value();
    db_.run("SELECT key, count FROM " + table_ + " WHERE key IN (?1, 1, 'three')", {key});
    db_.run("SELECT count(*) FROM keys JOIN " + table_ + " AS t ON t.key = column1");
    db_.run("SELECT key FROM " + table_ + " AS t WHERE key = ?1 AND EXISTS (SELECT 1 FROM " + take_table(input_) +
                " AS u WHERE u.key = t.key)",
            {key});
  }
  void remove() {
    db_.run("DELETE FROM " + table_ + " WHERE key = ?", {take_value()});
    db_.run("UPDATE sources SET value = ?1 WHERE rowid = ?2", {take_value(), integer(input_.take_below(8))});
  }
  void operate() {
    static constexpr std::array kOps = {"check", "clear", "union", "rebuild", "advance", "count", "info"};
    db_.run("INSERT INTO " + table_ + "(op, arg) VALUES (?1, ?2)",
            {text(kOps[input_.take_below(kOps.size())]), input_.take_below(2) == 0 ? Value{} : take_value()});
  }
  void snapshot() {
    const int status = db_.run("SELECT bloom_snapshot(?)", {text(table_)});
    if (status != SQLITE_DONE) return;
    filter_ = db_.answer();
    require(db_.run("SELECT bloom_valid(?)", {filter_}) == SQLITE_DONE, "a filter can be checked");
    require(db_.answer().bytes == "1", "a snapshot is a filter");
  }
  void transact() {
    static constexpr std::array kStatements = {"BEGIN",
                                               "COMMIT",
                                               "ROLLBACK",
                                               "SAVEPOINT s",
                                               "ROLLBACK TO s",
                                               "RELEASE s",
                                               "VACUUM",
                                               "INSERT INTO sources VALUES (7)",
                                               "DELETE FROM sources WHERE value = 2"};
    db_.run(kStatements[input_.take_below(kStatements.size())]);
  }
  void schema() {
    switch (input_.take_below(5)) {
      case 0:
        db_.run("ALTER TABLE " + table_ + " RENAME TO other");
        break;
      case 1:
        db_.run("ALTER TABLE other RENAME TO " + table_);
        break;
      case 2:
        db_.run("DROP TABLE " + table_);
        break;
      case 3:
        db_.run("CREATE VIRTUAL TABLE " + table_ + " USING bloom(" + take_arguments() + ")");
        break;
      default:
        table_ = take_table(input_);
    }
  }
  std::string take_arguments() {
    static constexpr std::array kNames = {"capacity", "fpr", "kind", "seed", "window", "panes", "source"};
    std::string arguments = "capacity=" + std::to_string(take_number(input_));
    const unsigned others = input_.take_below(3);
    for (unsigned i = 0; i < others; ++i) {
      const std::string name = kNames[input_.take_below(kNames.size())];
      const std::string value = name == "kind"     ? take_table(input_)
                                : name == "source" ? "sources.value"
                                                   : take_bytes(input_, 8);
      arguments.append(", ").append(name).append("='").append(value).append("'");
    }
    return arguments.substr(0, arguments.find('\0'));
  }

  void call() {
    const std::vector<std::string>& calls = db_.calls();
    const std::string& sql = calls[input_.take<std::uint8_t>() % calls.size()];
    std::vector<Value> values;
    const auto wanted = static_cast<std::size_t>(std::ranges::count(sql, '?'));
    for (std::size_t i = 0; i < wanted; ++i)
      values.push_back(i == 0 && input_.take_below(4) != 0 ? filter_ : take_value());
    const int status = db_.run(sql, values);
    const bool grew = status == SQLITE_DONE && db_.answer().type == Value::Type::kBlob;
    if (grew && db_.answer().bytes.size() < 20000) filter_ = db_.answer();
  }
  void forge_blob() {
    std::string& bytes = filter_.bytes;
    if (filter_.type != Value::Type::kBlob || bytes.empty()) return;
    const std::size_t at = input_.take<std::uint16_t>() % bytes.size();
    const std::string forged = take_bytes(input_, 8);
    bytes.replace(at, std::min(forged.size(), bytes.size() - at), forged);
    if (input_.take_below(4) != 0) repair_blob(std::as_writable_bytes(std::span(bytes)));
  }

  Connection& db_;
  Input& input_;
  std::string table_;
  Value filter_;
};

}  // namespace

void fuzz_sqlite(std::span<const std::uint8_t> bytes) {
  static Connection db;
  db.restore();
  Input input(bytes);
  Program program(db, input);
  for (unsigned i = 0; i < kMaxSteps && !input.left().empty(); ++i) program.step();
}

}  // namespace crivo::testing
