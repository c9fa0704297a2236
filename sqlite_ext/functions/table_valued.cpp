// The virtual table behind each table-valued function; see table_valued.h.
#include "functions/table_valued.h"

#include <array>
#include <string>

#include "values/virtual_table.h"

namespace crivo::sqlite {
namespace {

constexpr std::size_t kMaxArguments = 8;

struct Table : sqlite3_vtab {
  sqlite3* db;
  const TableFunction* function;

  [[nodiscard]] const char* name() const noexcept { return function->name; }
  int best_index(sqlite3_index_info& info) const;
};

class Cursor : public sqlite3_vtab_cursor {
 public:
  void filter(int given, std::span<sqlite3_value* const> values);
  void next();
  [[nodiscard]] bool at_end() const noexcept { return at_end_; }
  void set_column(sqlite3_context* context, int column) const;
  [[nodiscard]] std::int64_t row_id() const noexcept { return row_id_; }

 private:
  [[nodiscard]] const Table& table() const noexcept { return *static_cast<const Table*>(pVtab); }

  // Copies of the arguments: the rows may borrow from the copies, and a query may read the hidden columns.
  std::array<OwnedValue, kMaxArguments> args_;
  std::unique_ptr<Rows> rows_;
  bool at_end_ = true;
  std::int64_t row_id_ = 0;
};

std::string declaration(const TableFunction& function) {
  std::string sql = "CREATE TABLE x(";
  for (const char* column : function.columns) sql.append(column).append(", ");
  for (const char* argument : function.arguments) sql.append(argument).append(" HIDDEN, ");
  sql.replace(sql.size() - 2, 2, ")");
  return sql;
}

int connect(sqlite3* db, void* pointer, int, const char* const*, sqlite3_vtab** table, char** message) {
  const auto* function = static_cast<const TableFunction*>(pointer);
  return connect_table(function->name, table, message, [&](const std::string&) {
    require_ok(db, sqlite3_declare_vtab(db, declaration(*function).c_str()));
    require_ok(db, sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS));
    return std::make_unique<Table>(Table{{}, db, function});
  });
}

/// Plans a query. There is one plan, which needs the required arguments. SQLite calls this function several times, with
/// different subsets of usable constraints. An unusable constraint may depend on a table that is read later.
int Table::best_index(sqlite3_index_info& info) const {
  std::array<int, kMaxArguments> chosen;
  chosen.fill(-1);
  unsigned waiting = 0;
  for (int i = 0; i < info.nConstraint; ++i) {
    const auto& constraint = info.aConstraint[i];
    const int argument = constraint.iColumn - static_cast<int>(function->columns.size());
    if (argument < 0 || constraint.op != SQLITE_INDEX_CONSTRAINT_EQ) continue;
    if (constraint.usable == 0) {
      waiting |= 1U << argument;
    } else if (int& place = chosen[static_cast<std::size_t>(argument)]; place < 0) {
      place = i;
    }
  }
  unsigned given = 0;
  bool lacks_one = false;
  int args = 0;
  for (std::size_t argument = 0; argument < function->arguments.size(); ++argument) {
    if (chosen[argument] < 0) {
      if ((waiting >> argument & 1) != 0) return SQLITE_CONSTRAINT;
      lacks_one = lacks_one || argument < function->required;
      continue;
    }
    info.aConstraintUsage[chosen[argument]] = {++args, 1};
    given |= 1U << argument;
  }
  info.idxNum = static_cast<int>(given);
  // SQLite also plans each term of an OR alone, without the arguments. That plan must neither fail nor be chosen.
  constexpr double kNever = 1e99;
  info.estimatedCost = lacks_one ? kNever : function->call_cost + function->usual_rows;
  info.estimatedRows = static_cast<sqlite3_int64>(function->usual_rows);
  return SQLITE_OK;
}

/// Starts a call. Bit i of `given` is set if the query has argument i.
void Cursor::filter(int given, std::span<sqlite3_value* const> values) {
  rows_.reset();
  at_end_ = true;
  row_id_ = 0;
  std::array<sqlite3_value*, kMaxArguments> originals{};
  std::array<sqlite3_value*, kMaxArguments> copies{};
  for (std::size_t i = 0; i < kMaxArguments; ++i) {
    args_[i].reset();
    if ((static_cast<unsigned>(given) >> i & 1) == 0) continue;
    originals[i] = values.front();
    values = values.subspan(1);
    args_[i] = copy_of(originals[i]);
    copies[i] = args_[i].get();
  }
  const TableFunction& function = *table().function;
  for (std::size_t i = 0; i < function.required; ++i) {
    if (originals[i] == nullptr) throw SqlError{std::string(function.arguments[i]) + " must be set, got nothing"};
  }
  const std::size_t count = function.arguments.size();
  rows_ = function.rows({table().db, std::span(originals).first(count), std::span(copies).first(count)});
  next();
}

void Cursor::next() {
  at_end_ = true;  // the state if rows_->next() throws
  ++row_id_;
  at_end_ = rows_ == nullptr || !rows_->next();
}

void Cursor::set_column(sqlite3_context* context, int column) const {
  const int columns = static_cast<int>(table().function->columns.size());
  if (column < columns) return rows_->set_column(context, column);
  const OwnedValue& arg = args_[static_cast<std::size_t>(column - columns)];
  if (arg != nullptr) sqlite3_result_value(context, arg.get());
}

const sqlite3_module kModule = [] {
  sqlite3_module module = module_of<Table, Cursor>();
  module.xConnect = connect;  // without xCreate, a module has only its eponymous table
  return module;
}();

}  // namespace

int register_table_function(sqlite3* db, const TableFunction& function) {
  return sqlite3_create_module_v2(db, function.name, &kModule, const_cast<TableFunction*>(&function), nullptr);
}

}  // namespace crivo::sqlite
