#include "table/arguments.h"

#include <algorithm>
#include <array>

#include "crivo/host/text.h"
#include "crivo/kinds.h"
#include "table/state.h"
#include "values/options.h"
#include "values/statement.h"

namespace crivo::sqlite {
namespace {

/// The options of bloom_create come first, in the same order.
constexpr std::array<std::string_view, 9> kNames = {"capacity", "fp_rate", "kind",   "seed",   "window",
                                                    "panes",    "clock",   "source", "on_full"};
enum Name { kKind = 2, kWindow = kOptions, kPanes, kClock, kSource, kOnFull };

constexpr std::string_view kSpace = " \t\r\n";

std::string_view trimmed(std::string_view text) noexcept {
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) + 1 - first);
}

/// Removes the quotes around a text, and undoubles quotes inside.
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

/// The values of the arguments, unquoted, in the order of kNames; no value for a missing argument.
using Given = std::array<std::optional<std::string>, kNames.size()>;

Given by_name(std::span<const char* const> texts) {
  Given given;
  for (const std::string_view text : texts) {
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) {
      throw SqlError{"argument must be name=value, got " + std::string(trimmed(text))};
    }
    const std::string name = lower(trimmed(text.substr(0, equals)));
    const auto known = std::ranges::find(kNames, name == "fpr" ? "fp_rate" : name);
    if (known == kNames.end()) {
      throw SqlError{std::string("argument must be one of ").append(joined(kNames)).append(", got ").append(name)};
    }
    std::optional<std::string>& slot = given[static_cast<std::size_t>(known - kNames.begin())];
    if (slot) throw SqlError{"argument " + std::string(*known) + " must be set once, got two values"};
    slot = unquoted(trimmed(text.substr(equals + 1)));
  }
  return given;
}

std::uint32_t parse_panes(const std::string& text) {
  const auto panes = read_number<std::uint32_t>(text);
  if (panes && *panes >= 1 && *panes <= kMaxPanes) return *panes;
  throw SqlError{"panes must be an integer from 1 to " + std::to_string(kMaxPanes) + ", got " + in_quotes(text)};
}

void parse_window(const Given& given, TableSpec& table) {
  if (!given[kWindow]) {
    for (const std::size_t name : {kPanes, kClock}) {
      if (given[name]) throw SqlError{std::string(kNames[name]) + " must be set together with window, got no window"};
    }
    return;
  }
  const std::string& length = *given[kWindow];
  const std::uint32_t panes = given[kPanes] ? parse_panes(*given[kPanes]) : FilterSpec().panes;
  const std::optional<std::int64_t> pane = length_of_pane(read_window_length(length).value_or(0), panes);
  if (!pane) throw SqlError{std::string("window must be ").append(kWindowLengths).append(", got ") + in_quotes(length)};
  table.clock = PaneClock{.pane_length = *pane, .panes = panes};
  const std::string clock = given[kClock] ? lower(*given[kClock]) : "now";
  if (clock != "now" && clock != "manual") {
    throw SqlError{"clock must be now or manual, got " + in_quotes(*given[kClock])};
  }
  table.is_manual = clock == "manual";
}

/// Converts to a SQL value: a number if SQLite parses the text as one, NULL if the argument is missing. The comparison
/// in SQL detects numbers. (sqlite3_value_numeric_type also detects them, but crashes on a copied value in SQLite
/// 3.53.)
OwnedValue value_of(sqlite3* db, const std::optional<std::string>& argument) {
  Statement statement(db, "SELECT iif(CAST(?1 AS NUMERIC) = ?1, CAST(?1 AS NUMERIC), ?1)");
  Use use(statement);
  if (argument) use.bind(1, std::string_view(*argument));
  if (!use.step()) throw std::bad_alloc();
  return copy_of(use.value(0));
}

/// Rejects an unsupported kind before the other values are checked. For an unknown name, the error lists only the kinds
/// that tables support; the error of bloom_create would list all kinds.
void require_known_kind(const std::optional<std::string>& kind) {
  FilterSpec any;
  if (!kind) return;
  if (choose_kind(any, *kind)) return require_table_kind(any);
  throw wrong_table_kind(in_quotes(*kind));
}

/// Parses on_full. Returns whether a new key in an over-full table is an error.
bool parse_on_full(const std::optional<std::string>& on_full, const TableSpec& table) {
  const std::string value = on_full ? lower(*on_full) : "warn";
  if (value == "warn") return false;
  if (value != "error") throw SqlError{"on_full must be warn or error, got " + in_quotes(*on_full)};
  if (table.has_source) {
    throw SqlError{"on_full must be warn if source is set, got 'error'; op 'rebuild' enlarges the table"};
  }
  if (table.spec.kind == Kind::kScalable || table.spec.kind == Kind::kGrowing) {
    throw SqlError{"on_full must be warn for a kind that grows, got 'error' with " + kind_text(table.spec)};
  }
  return true;
}

}  // namespace

TableArguments parse_table_arguments(sqlite3* db, std::span<const char* const> texts) {
  const Given given = by_name(texts);
  require_known_kind(given[kKind]);
  std::array<OwnedValue, kOptions> values;
  std::array<sqlite3_value*, kOptions> pointers{};
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = value_of(db, given[i]);
    pointers[i] = values[i].get();
  }
  TableArguments parsed;
  parsed.table.spec = parse_options(pointers);
  parse_window(given, parsed.table);
  parsed.table.has_source = given[kSource].has_value();
  parsed.table.full_is_error = parse_on_full(given[kOnFull], parsed.table);
  if (parsed.table.spec.capacity == 0) parsed.table.spec.capacity = default_capacity(parsed.table.spec.kind);
  if (!parsed.table.has_source) {
    if (parsed.table.spec.capacity == 0) throw SqlError{"capacity must be set, got nothing"};
    return parsed;
  }
  if (parsed.table.clock) throw SqlError{"source must not be set together with window, got both"};
  parsed.source = parse_source(*given[kSource]);
  return parsed;
}

}  // namespace crivo::sqlite
