// The functions about filter tables. They read tables, so they are neither deterministic nor innocuous.
#include <array>

#include "functions.h"
#include "table/follow.h"
#include "table/table_info.h"

namespace crivo::sqlite {
namespace {

std::string text_arg(const Call& call, std::size_t arg, std::string_view what) {
  if (sqlite3_value_type(call.args[arg]) != SQLITE_TEXT) {
    throw SqlError{std::string(what) + " must be a text, got " + shown(call.args[arg])};
  }
  return std::string(KeyBytes(call.args[arg]).view());
}

bool has_table(sqlite3* db, std::string_view schema, std::string_view table) {
  Statement find(db, "SELECT 1 FROM " + quoted_name(schema) + ".sqlite_schema WHERE name = ?1 COLLATE NOCASE");
  return Use(find).bind(1, table).step();
}

/// The schema in which SQLite finds a table that is named without one: temp comes first, then main, then the others as
/// they were attached. Empty if it finds none.
std::string schema_of(sqlite3* db, std::string_view table) {
  if (has_table(db, "temp", table)) return "temp";
  Statement list(db, "PRAGMA database_list");
  Use schemas(list);
  while (schemas.step()) {
    std::string schema(schemas.text(1));
    if (has_table(db, schema, table)) return schema;
  }
  return {};
}

/// A hostile schema can replace a shadow table by a view that calls the function again, without end.
class OneAtATime {
 public:
  explicit OneAtATime(Connection& connection) : connection_(connection) {
    if (connection.reads_table) throw SqlError{"table must have plain shadow tables, got one that calls the function"};
    connection.reads_table = true;
  }
  ~OneAtATime() { connection_.reads_table = false; }
  OneAtATime(const OneAtATime&) = delete;
  OneAtATime& operator=(const OneAtATime&) = delete;

 private:
  Connection& connection_;
};

/// Keeps a schema as it is now for all statements that follow. A SELECT without a FROM has no transaction, so that each
/// statement of the table's own would see another moment: its state before a rebuild, say, and its pages after it.
class OneMoment {
 public:
  OneMoment(sqlite3* db, const std::string& schema)
      : statement_(db, "SELECT 1 FROM " + (schema.empty() ? "" : quoted_name(schema) + ".") + "sqlite_schema"),
        use_(statement_) {
    (void)use_.step();
  }

 private:
  Statement statement_;
  Use use_;
};

/// Calls `use(table)` with the filter table that the arguments (table [, schema]) name.
template <class Body>
void use_table(const Call& call, const Body& use) {
  sqlite3* db = sqlite3_context_db_handle(call.context);
  const std::string name = text_arg(call, 0, "table");
  const OneAtATime one(call.connection());
  const bool has_schema = call.args.size() > 1 && !call.is_null(1);
  try {
    const std::string schema = has_schema ? text_arg(call, 1, "schema") : schema_of(db, name);
    const OneMoment moment(db, schema);
    FilterTable table(db, schema, name);
    use(table);
  } catch (const HostError& error) {
    // Only a query on a shadow table can fail this way.
    if (error.code != SQLITE_ERROR) throw SqlError{error.message, error.code};
    throw SqlError{"table must be a filter table (CREATE VIRTUAL TABLE ... USING bloom), got " + shown(call.args[0]) +
                   schema_hint(name)};
  }
}

void bloom_snapshot(const Call& call) {
  use_table(call, [&](FilterTable& table) {
    if (table.state().has_source) require_following(table);
    const std::uint64_t most = max_payload_bytes(call.context);
    if (call.args.size() < 3 || call.is_null(2)) return set_result(call, table.snapshot(most).ref());
    const std::int64_t pane = sqlite3_value_int64(call.args[2]);
    if (sqlite3_value_type(call.args[2]) != SQLITE_INTEGER || pane < 0) {
      throw SqlError{"pane must be an integer from 0 (the newest) on, got " + shown(call.args[2])};
    }
    set_result(call, table.pane_snapshot(static_cast<std::uint64_t>(pane), most).ref());
  });
}

void bloom_table_info(const Call& call) {
  use_table(call, [&](FilterTable& table) { set_result(call, table_info(table)); });
}

constexpr std::array kTableFunctions = {
    FunctionRow{"bloom_snapshot", 1, 3, SQLITE_UTF8, guarded<bloom_snapshot>},
    FunctionRow{"bloom_table_info", 1, 2, SQLITE_UTF8, guarded<bloom_table_info>},
};

}  // namespace

std::span<const FunctionRow> table_functions() noexcept { return kTableFunctions; }

}  // namespace crivo::sqlite
