#include "values/statement.h"

#include <new>

namespace crivo::sqlite {

sqlite3_stmt* Statement::ready() {
  if (statement_ == nullptr) {
    const auto bytes = static_cast<int>(sql_.size() + 1);
    require_ok(db_, sqlite3_prepare_v3(db_, sql_.c_str(), bytes, flags_, &statement_, nullptr));
  }
  return statement_;
}

Use::~Use() {
  sqlite3_reset(statement_);
  sqlite3_clear_bindings(statement_);
}

Use& Use::bind(int parameter, std::int64_t value) {
  require_ok(db_, sqlite3_bind_int64(statement_, parameter, value));
  return *this;
}

Use& Use::bind(int parameter, std::span<const std::byte> blob) {
  require_ok(db_, sqlite3_bind_blob64(statement_, parameter, blob.data(), blob.size(), SQLITE_STATIC));
  return *this;
}

Use& Use::bind(int parameter, std::string_view text) {
  require_ok(db_, sqlite3_bind_text64(statement_, parameter, text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8));
  return *this;
}

Use& Use::bind(int parameter, sqlite3_value* value) {
  require_ok(db_, sqlite3_bind_value(statement_, parameter, value));
  return *this;
}

bool Use::step() {
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) throw_host_error(db_, code);
  return false;
}

void Use::run() {
  while (step()) continue;
}

std::int64_t Use::integer(int column) const { return sqlite3_column_int64(statement_, column); }
double Use::real(int column) const { return sqlite3_column_double(statement_, column); }
sqlite3_value* Use::value(int column) const { return sqlite3_column_value(statement_, column); }
int Use::type(int column) const { return sqlite3_column_type(statement_, column); }

std::span<const std::byte> Use::blob(int column) const {
  const void* bytes = sqlite3_column_blob(statement_, column);
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_, column));
  if (bytes == nullptr && (size != 0 || sqlite3_errcode(db_) == SQLITE_NOMEM)) throw std::bad_alloc();
  return {static_cast<const std::byte*>(bytes), size};
}

std::string_view Use::text(int column) const {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));  // UTF-8 in any database
  if (text == nullptr) throw std::bad_alloc();
  return {text, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

void run_sql(sqlite3* db, const std::string& sql) {
  char* message = nullptr;
  const int code = sqlite3_exec(db, sql.c_str(), nullptr, nullptr, &message);
  if (code == SQLITE_OK) return;
  HostError error{code, message != nullptr ? message : sqlite3_errstr(code)};
  sqlite3_free(message);
  if ((code & 0xff) == SQLITE_NOMEM) throw std::bad_alloc();
  throw error;
}

std::string table_type(sqlite3* db, std::string_view schema, std::string_view table) {
  constexpr int kType = 2;
  Statement statement(db, "PRAGMA " + quoted_name(schema) + ".table_list(" + quoted_name(table) + ")");
  Use list(statement);
  return list.step() ? std::string(list.text(kType)) : std::string();
}

bool is_protected(sqlite3* db, std::string_view schema, std::string_view table) {
  int defensive = 0;
  require_ok(db, sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, -1, &defensive));
  return defensive != 0 && table_type(db, schema, table) == "shadow";
}

std::string schema_hint(std::string_view table) {
  return table.find('.') == table.npos ? "" : " (a schema is a separate argument, not a part of the table's name)";
}

std::string quoted_name(std::string_view name) {
  std::string result = "\"";
  for (const char c : name) {
    if (c == '"') result += '"';
    result += c;
  }
  return result + '"';
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

}  // namespace crivo::sqlite
