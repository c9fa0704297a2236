// The keys of a JSON array, hashed as they are read; see json_keys.h.
#include "values/json_keys.h"

#include <charconv>

#include "values/json_array.h"

namespace crivo::sqlite {
namespace {

/// Asks SQLite which value its JSON functions give for a number. The last digit of that value depends on SQLite's
/// version and on how it was compiled, and neither strtod nor CAST always gives the same one. SQLite offers it through
/// SQL only. The statement is prepared when the first real number comes, for most arrays have none, and ends with the
/// array: a statement that is kept would not let the connection close.
class DecimalReader {
 public:
  explicit DecimalReader(sqlite3* db) noexcept : db_(db) {}
  ~DecimalReader() { sqlite3_finalize(statement_); }
  DecimalReader(const DecimalReader&) = delete;
  DecimalReader& operator=(const DecimalReader&) = delete;

  double read(std::string_view decimal) {
    if (statement_ == nullptr) {
      require(sqlite3_prepare_v2(db_, "SELECT json_extract(?1, '$')", -1, &statement_, nullptr), SQLITE_OK);
    }
    require(sqlite3_bind_text64(statement_, 1, decimal.data(), decimal.size(), SQLITE_STATIC, SQLITE_UTF8), SQLITE_OK);
    require(sqlite3_step(statement_), SQLITE_ROW);
    const double value = sqlite3_column_double(statement_, 0);
    require(sqlite3_reset(statement_), SQLITE_OK);
    return value;
  }

 private:
  void require(int status, int wanted) {
    if (status == wanted) return;
    if (status == SQLITE_NOMEM) throw std::bad_alloc();
    throw SqlError{std::string("a number in a JSON array must be readable, got ") + sqlite3_errmsg(db_)};
  }

  sqlite3* db_;
  sqlite3_stmt* statement_ = nullptr;
};

/// A number without fraction and exponent is an integer if 64 bits hold it, and else a real number, as in json_each.
NumberKey number_key(std::string_view literal, DecimalReader& decimals) {
  std::int64_t integer = 0;
  const char* const end = literal.data() + literal.size();
  const auto [stop, status] = std::from_chars(literal.data(), end, integer);
  if (status == std::errc() && stop == end) return NumberKey(integer);
  return NumberKey(decimals.read(literal));
}

}  // namespace

std::vector<std::uint64_t> hash_json_keys(const Call& call, std::size_t arg, std::uint64_t seed) {
  sqlite3_value* const value = call.args[arg];
  const auto wrong = [value] {
    return SqlError{"keys must be a JSON array of texts and numbers, got " + shown(value)};
  };
  if (sqlite3_value_type(value) != SQLITE_TEXT) throw wrong();
  std::vector<std::uint64_t> hashes;
  const auto take = [&](std::string_view key) { hashes.push_back(hash_key(key, seed)); };
  DecimalReader decimals(sqlite3_context_db_handle(call.context));
  JsonArray array(KeyBytes(value).view());
  try {
    while (const auto element = array.next()) {
      switch (element->type) {
        case JsonArray::Type::kNull:
          break;
        case JsonArray::Type::kFalse:
          take("0");
          break;
        case JsonArray::Type::kTrue:
          take("1");
          break;
        case JsonArray::Type::kNumber:
          take(number_key(element->text, decimals).view());
          break;
        case JsonArray::Type::kString:
          take(element->text);
          break;
      }
    }
  } catch (const NotAnArray&) {
    throw wrong();
  }
  return hashes;
}

}  // namespace crivo::sqlite
