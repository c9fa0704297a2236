// A connection with the extension loaded, and functions for queries in one line.
#pragma once

#include <sqlite3.h>

#include <array>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "matchers.h"

namespace crivo::testing {

/// The kinds of filter tables without a window.
inline constexpr std::array kTableKinds = {"blocked", "counting", "growing", "scalable", "spectral"};

struct Blob {
  std::string bytes;
};
using Arg = std::variant<std::nullptr_t, std::int64_t, double, std::string, Blob>;

class Statement {
 public:
  Statement(sqlite3* db, const std::string& sql) {
    status_ = sqlite3_prepare_v2(db, sql.c_str(), -1, &statement_, nullptr);
  }
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  [[nodiscard]] int status() const { return status_; }
  [[nodiscard]] sqlite3_stmt* get() const { return statement_; }

  void bind(const std::vector<Arg>& args) {
    for (std::size_t i = 0; i < args.size(); ++i) {
      const int at = static_cast<int>(i) + 1;
      if (const auto* integer = std::get_if<std::int64_t>(&args[i])) {
        sqlite3_bind_int64(statement_, at, *integer);
      } else if (const auto* real = std::get_if<double>(&args[i])) {
        sqlite3_bind_double(statement_, at, *real);
      } else if (const auto* text = std::get_if<std::string>(&args[i])) {
        sqlite3_bind_text64(statement_, at, text->data(), text->size(), SQLITE_TRANSIENT, SQLITE_UTF8);
      } else if (const auto* blob = std::get_if<Blob>(&args[i])) {
        sqlite3_bind_blob64(statement_, at, blob->bytes.data(), blob->bytes.size(), SQLITE_TRANSIENT);
      } else {
        sqlite3_bind_null(statement_, at);
      }
    }
  }

  /// A blob unchanged, anything else as UTF-8 text.
  [[nodiscard]] std::string column_bytes() const {
    const bool blob = sqlite3_column_type(statement_, 0) == SQLITE_BLOB;
    const auto* bytes = blob ? static_cast<const char*>(sqlite3_column_blob(statement_, 0))
                             : reinterpret_cast<const char*>(sqlite3_column_text(statement_, 0));
    return {bytes == nullptr ? "" : bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_, 0))};
  }

 private:
  sqlite3_stmt* statement_ = nullptr;
  int status_;
};

class Database {
 public:
  explicit Database(const char* path = ":memory:", const char* vfs = nullptr, bool with_extension = true) {
    EXPECT_EQ(sqlite3_open_v2(path, &db_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, vfs), SQLITE_OK);
    if (!with_extension) return;
    sqlite3_enable_load_extension(db_, 1);
    char* error = nullptr;
    EXPECT_EQ(sqlite3_load_extension(db_, CRIVO_SO, nullptr, &error), SQLITE_OK) << error;
    sqlite3_free(error);
  }
  ~Database() { EXPECT_EQ(sqlite3_close(db_), SQLITE_OK); }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  [[nodiscard]] sqlite3* get() const { return db_; }

  /// The first column of the first row as text: "NULL" for NULL, "error: ..." for an error, "" for no row.
  std::string ask(const std::string& sql, const std::vector<Arg>& args = {}) { return answer(sql, args).second; }

  /// The result code of a statement run to its end.
  int run(const std::string& sql, const std::vector<Arg>& args = {}) { return answer(sql, args).first; }

  /// The result, which must be a blob.
  Blob blob(const std::string& sql, const std::vector<Arg>& args = {}) {
    Statement statement(db_, sql);
    statement.bind(args);
    EXPECT_EQ(sqlite3_step(statement.get()), SQLITE_ROW) << sql << ": " << sqlite3_errmsg(db_);
    EXPECT_EQ(sqlite3_column_type(statement.get(), 0), SQLITE_BLOB) << sql;
    return {statement.column_bytes()};
  }

 private:
  std::pair<int, std::string> answer(const std::string& sql, const std::vector<Arg>& args) {
    Statement statement(db_, sql);
    if (statement.status() != SQLITE_OK) return {statement.status(), std::string("error: ") + sqlite3_errmsg(db_)};
    statement.bind(args);
    int status = sqlite3_step(statement.get());
    std::string text;
    if (status == SQLITE_ROW) {
      const bool null = sqlite3_column_type(statement.get(), 0) == SQLITE_NULL;
      text = null ? "NULL" : statement.column_bytes();
    }
    while (status == SQLITE_ROW) status = sqlite3_step(statement.get());
    if (status != SQLITE_DONE) return {status, std::string("error: ") + sqlite3_errmsg(db_)};
    return {SQLITE_OK, text};
  }

  sqlite3* db_ = nullptr;
};

/// Registers run(sql), a function of the application. It runs statements, and returns their last value or error.
inline void add_run(Database& db) {
  const auto run = [](sqlite3_context* context, int, sqlite3_value** args) {
    const auto* sql = reinterpret_cast<const char*>(sqlite3_value_text(args[0]));
    const auto keep = [](void* result, int, char** values, char**) {
      sqlite3_result_text(static_cast<sqlite3_context*>(result), values[0], -1, SQLITE_TRANSIENT);
      return SQLITE_OK;
    };
    sqlite3* const connection = sqlite3_context_db_handle(context);
    if (sqlite3_exec(connection, sql, keep, context, nullptr) == SQLITE_OK) return;
    sqlite3_result_error(context, sqlite3_errmsg(connection), -1);
  };
  sqlite3_create_function(db.get(), "run", 1, SQLITE_UTF8 | SQLITE_INNOCUOUS, nullptr, run, nullptr, nullptr);
}

/// Registers eval(sql), a function of the application. It runs statements, and returns their error or "done".
inline void add_eval(Database& db) {
  const auto eval = [](sqlite3_context* context, int, sqlite3_value** args) {
    const auto* sql = reinterpret_cast<const char*>(sqlite3_value_text(args[0]));
    char* error = nullptr;
    sqlite3_exec(sqlite3_context_db_handle(context), sql, nullptr, nullptr, &error);
    sqlite3_result_text(context, error != nullptr ? error : "done", -1, SQLITE_TRANSIENT);
    sqlite3_free(error);
  };
  sqlite3_create_function(db.get(), "eval", 1, SQLITE_UTF8, nullptr, eval, nullptr, nullptr);
}

/// Registers an automatic extension and another one. SQLite calls the other one only if the first returns SQLITE_OK.
inline void expect_next_extension(void (*entry_point)()) {
  int (*const next)(sqlite3*, char**, const sqlite3_api_routines*) = [](auto* db, auto...) {
    const auto one = [](sqlite3_context* context, int, sqlite3_value**) { sqlite3_result_int(context, 1); };
    return sqlite3_create_function(db, "another", 0, SQLITE_UTF8, nullptr, one, nullptr, nullptr);
  };
  sqlite3_auto_extension(entry_point);
  sqlite3_auto_extension(reinterpret_cast<void (*)()>(next));
  Database db(":memory:", nullptr, false);
  sqlite3_reset_auto_extension();
  EXPECT_EQ(db.ask("SELECT bloom_valid(bloom_create(1)) + another()"), "2");
}

/// A table expression `n` with the integers first .. last in column i.
inline std::string integers(std::int64_t first, std::int64_t last) {
  return "(WITH RECURSIVE s(i) AS (VALUES(" + std::to_string(first) + ") UNION ALL SELECT i+1 FROM s WHERE i < " +
         std::to_string(last) + ") SELECT i FROM s) AS n";
}

/// After each commit, stores the number of frames in the write-ahead log in *frames.
inline void count_frames(Database& db, int* frames) {
  const auto count = [](void* into, sqlite3*, const char*, int in_log) {
    *static_cast<int*>(into) = in_log;
    return SQLITE_OK;
  };
  sqlite3_wal_hook(db.get(), count, frames);
}

class SqliteTest : public ::testing::Test {
 protected:
  explicit SqliteTest(const std::string& path = ":memory:") : db_(path.c_str()) {}
  std::string ask(const std::string& sql, const std::vector<Arg>& args = {}) { return db_.ask(sql, args); }
  Blob blob(const std::string& sql, const std::vector<Arg>& args = {}) { return db_.blob(sql, args); }
  /// Runs a statement that must succeed.
  void run(const std::string& sql, const std::vector<Arg>& args = {}) {
    ASSERT_EQ(db_.run(sql, args), SQLITE_OK) << sql << ": " << sqlite3_errmsg(db_.get());
  }
  /// A field of bloom_info.
  std::string info(const Blob& filter, const std::string& field) {
    return ask("SELECT json_extract(bloom_info(?), '$." + field + "')", {filter});
  }
  /// A field of bloom_table_info.
  std::string table_info(const std::string& table, const std::string& field) {
    return ask("SELECT json_extract(bloom_table_info('" + table + "'), '$." + field + "')");
  }

  Database db_;
};

/// A filter table t of integers.
class FilterTableTest : public SqliteTest {
 protected:
  using SqliteTest::SqliteTest;
  void make(const std::string& arguments) { run("CREATE VIRTUAL TABLE t USING bloom(" + arguments + ")"); }
  void insert(std::int64_t first, std::int64_t last) {
    run("INSERT INTO t(key) SELECT i FROM " + integers(first, last));
  }
  /// The number of these integers that the table contains.
  std::int64_t found(std::int64_t first, std::int64_t last) {
    return std::stoll(ask("SELECT count(*) FROM " + integers(first, last) + " JOIN t ON t.key = n.i"));
  }
};

}  // namespace crivo::testing
