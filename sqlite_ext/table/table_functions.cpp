// The functions about filter tables. They read tables, so they are neither deterministic nor innocuous.
#include <array>

#include "functions.h"
#include "table/filter_table.h"

namespace crivo::sqlite {
namespace {

std::string text_arg(const Call& call, std::size_t arg, std::string_view what) {
  if (sqlite3_value_type(call.args[arg]) != SQLITE_TEXT) {
    throw SqlError{std::string(what) + " must be a text, got " + shown(call.args[arg])};
  }
  return std::string(KeyBytes(call.args[arg]).view());
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

/// Calls `use(table)` with the filter table that the arguments (table [, schema]) name.
template <class Body>
void use_table(const Call& call, const Body& use) {
  const std::string name = text_arg(call, 0, "table");
  const OneAtATime one(call.connection());
  const bool has_schema = call.args.size() > 1 && !call.is_null(1);
  FilterTable table(sqlite3_context_db_handle(call.context), has_schema ? text_arg(call, 1, "schema") : "", name);
  try {
    use(table);
  } catch (const HostError& error) {
    // Only a query on a shadow table can fail this way.
    if (error.code != SQLITE_ERROR) throw SqlError{error.message};
    throw SqlError{"table must be a filter table (CREATE VIRTUAL TABLE ... USING bloom), got " + shown(call.args[0])};
  }
}

void bloom_snapshot(const Call& call) {
  use_table(call, [&](FilterTable& table) { set_result(call, table.snapshot(max_payload_bytes(call.context)).ref()); });
}

constexpr std::array kTableFunctions = {
    FunctionRow{"bloom_snapshot", 1, 2, SQLITE_UTF8, guarded<bloom_snapshot>},
};

}  // namespace

std::span<const FunctionRow> table_functions() noexcept { return kTableFunctions; }

}  // namespace crivo::sqlite
