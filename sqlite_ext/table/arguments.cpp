#include "table/arguments.h"

#include <algorithm>
#include <array>

#include "table/statement.h"
#include "values/options.h"
#include "values/owned_value.h"

namespace crivo::sqlite {
namespace {

constexpr std::array<std::string_view, kOptions> kNames = {"capacity", "fpr", "kind", "seed"};
constexpr std::string_view kSpace = " \t\r\n";

std::string_view trimmed(std::string_view text) noexcept {
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) + 1 - first);
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

/// The text between quotes, in which a doubled quote stands for one.
std::string unquoted(std::string_view text) {
  const char quote = text.empty() ? '\0' : text.front();
  if (quote != '\'' && quote != '"') return std::string(text);
  std::string result;
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == quote) {
      if (i + 1 == text.size()) return result;
      if (text[++i] != quote) break;
    }
    result += text[i];
  }
  throw SqlError{"argument must end with the quote that it begins with, got " + std::string(text)};
}

/// The value as a SQL value: a number if SQLite reads the text as one, NULL for an argument that was not given. The
/// comparison tells, as it takes the text for a number if it is one. (sqlite3_value_numeric_type would, too, but
/// SQLite 3.53 crashes where it is given a copy of a value.)
OwnedValue value_of(sqlite3* db, const TableArgument* argument) {
  Statement statement(db, "SELECT iif(CAST(?1 AS NUMERIC) = ?1, CAST(?1 AS NUMERIC), ?1)");
  Use use(statement);
  if (argument != nullptr) use.bind(1, std::string_view(argument->value));
  if (!use.step()) throw std::bad_alloc();
  return copy_of(use.value(0));
}

}  // namespace

TableArgument parse_argument(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) {
    throw SqlError{"argument must be name=value, got " + std::string(trimmed(text))};
  }
  return {lower(trimmed(text.substr(0, equals))), unquoted(trimmed(text.substr(equals + 1)))};
}

FilterSpec parse_filter_arguments(sqlite3* db, std::span<const TableArgument> arguments) {
  std::array<const TableArgument*, kOptions> given{};
  for (const TableArgument& argument : arguments) {
    const auto known = std::ranges::find(kNames, argument.name);
    if (known == kNames.end()) {
      throw SqlError{"argument must be one of capacity, fpr, kind, seed, got " + argument.name};
    }
    const TableArgument*& slot = given[static_cast<std::size_t>(known - kNames.begin())];
    if (slot != nullptr) throw SqlError{"argument " + argument.name + " must be given once, got it twice"};
    slot = &argument;
  }
  std::array<OwnedValue, kOptions> values;
  std::array<sqlite3_value*, kOptions> pointers{};
  for (std::size_t i = 0; i < given.size(); ++i) {
    values[i] = value_of(db, given[i]);
    pointers[i] = values[i].get();
  }
  FilterSpec spec = parse_options(pointers);
  if (spec.capacity == 0) throw SqlError{"capacity must be given, got no such argument"};
  return spec;
}

}  // namespace crivo::sqlite
