#include "values/sql_text.h"

#include <algorithm>

#include "values/statement.h"

namespace crivo::sqlite {
namespace {

constexpr std::string_view kBlanks = " \t\r\n\f\v";
constexpr std::string_view kQuotes = "\"'`[";
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";  // SQLite reads it as a blank, except within a name
constexpr std::string_view kCreateTrigger = "CREATE TRIGGER ";

/// Consumes the next token: a name, a number, or one character of an operator. Skips blanks, comments, dots and
/// strings. A string after a dot is a name, as in SQLite. At the end, returns an empty unquoted token.
Token next_token(std::string_view& text) {
  const auto skip_to = [&text](std::string_view end, std::size_t from) {
    const std::size_t at = text.find(end, from);
    text.remove_prefix(at == std::string_view::npos ? text.size() : at + end.size());
  };
  bool is_behind_dot = false;
  for (;;) {
    text.remove_prefix(std::min(text.size(), text.find_first_not_of(kBlanks)));
    if (text.starts_with(kByteOrderMark)) {
      text.remove_prefix(kByteOrderMark.size());
    } else if (text.starts_with("--")) {
      skip_to("\n", 2);
    } else if (text.starts_with("/*")) {
      skip_to("*/", 2);
    } else if (text.starts_with('.')) {
      text.remove_prefix(1);
      is_behind_dot = true;
    } else if (text.starts_with('\'') && !is_behind_dot) {
      skip_to("'", 1);
    } else {
      break;
    }
  }
  if (text.empty()) return {};
  if (kQuotes.find(text.front()) != kQuotes.npos) return consume_name(text, "");
  const auto is_in_name = [](char c) { return is_plain({&c, 1}) || c == '$' || (c & 0x80) != 0; };
  const auto end = std::ranges::find_if_not(text, is_in_name);
  const std::string_view token = text.substr(0, std::max<std::size_t>(static_cast<std::size_t>(end - text.begin()), 1));
  text.remove_prefix(token.size());
  return {lower(token), false};
}

bool is_word(const Token& token, std::string_view word) { return !token.quoted && token.text == word; }

bool is_end(const Token& token) { return !token.quoted && token.text.empty(); }

using Tokens = std::vector<Token>;

/// The tokens of each pair of parentheses that directly follows this word, including the parentheses.
std::vector<Tokens> parenthesized_after(std::string_view word, std::string_view text) {
  std::vector<Tokens> found;
  int depth = 0;
  bool is_behind = false;
  for (Token token = next_token(text); !is_end(token); token = next_token(text)) {
    const int change = is_word(token, "(") ? 1 : is_word(token, ")") ? -1 : 0;
    if (depth == 0 && is_behind && change == 1) found.emplace_back();
    const bool is_inside = depth > 0 || (is_behind && change == 1);
    is_behind = is_word(token, word);
    if (!is_inside) continue;
    depth += change;
    found.back().push_back(std::move(token));
  }
  return found;
}

/// Whether an expression in parentheses uses the column, and only as the argument of bloom_valid, length or typeof.
bool is_harmless_check(const Tokens& expression, std::string_view table, std::string_view column) {
  const auto is_named = [&](std::size_t at, std::string_view name) {
    return at < expression.size() && lower(expression[at].text) == lower(name);
  };
  bool is_used = false;
  for (std::size_t at = 0; at < expression.size(); ++at) {
    if (!is_named(at, column)) continue;
    is_used = true;
    const std::size_t open = at - (is_named(at - 1, table) ? 2 : 1);
    const bool is_harmless =
        is_named(open - 1, "bloom_valid") || is_named(open - 1, "length") || is_named(open - 1, "typeof");
    if (!is_harmless || !is_named(open, "(") || !is_named(at + 1, ")")) return false;
  }
  return is_used;
}

}  // namespace

Token consume_name(std::string_view& text, std::string_view ends) {
  const char open = text.empty() ? '\0' : text.front();
  if (kQuotes.find(open) == kQuotes.npos) {
    const std::string_view name = text.substr(0, text.find_first_of(ends));
    text.remove_prefix(name.size());
    return {std::string(name), false};
  }
  const char close = open == '[' ? ']' : open;
  Token name{{}, true};
  for (text.remove_prefix(1); !text.empty(); text.remove_prefix(1)) {
    if (text.front() == close) {
      text.remove_prefix(1);
      if (open == '[' || !text.starts_with(close)) return name;
    }
    name.text += text.front();
  }
  return {};  // the closing quote is missing
}

bool is_plain(std::string_view name) noexcept {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

std::string table_definition(sqlite3* db, std::string_view schema, std::string_view table) {
  Statement statement(db, "SELECT substr(sql, length('CREATE TABLE ') + 1) FROM " + quoted_name(schema) +
                              ".sqlite_schema WHERE type = 'table' AND name = ?1 COLLATE NOCASE");
  Use use(statement);
  if (!use.bind(1, table).step()) return {};
  std::string_view text = use.text(0);
  (void)consume_name(text, " \t\r\n\f(-/");
  return std::string(text);
}

// In a table's definition, a parenthesis follows AS only in a generated column.
std::vector<std::string> names_in_expressions(std::string_view definition) {
  std::vector<std::string> names;
  for (const Tokens& expression : parenthesized_after("as", definition)) {
    for (const Token& token : expression) names.push_back(lower(token.text));
  }
  return names;
}

std::size_t count_harmless_checks(std::string_view definition, std::string_view table, std::string_view column) {
  return static_cast<std::size_t>(
      std::ranges::count_if(parenthesized_after("check", definition),
                            [&](const Tokens& check) { return is_harmless_check(check, table, column); }));
}

// Searches for CONFLICT REPLACE, because replace alone is also a function.
bool replaces_on_conflict(std::string_view definition) {
  bool is_behind_conflict = false;
  for (Token token = next_token(definition); !is_end(token); token = next_token(definition)) {
    if (is_behind_conflict && is_word(token, "replace")) return true;
    is_behind_conflict = is_word(token, "conflict");
  }
  return false;
}

bool may_end_between_triggers(std::string_view trigger) {
  bool is_behind_raise = false;
  std::string last;  // the previous word, because FAIL can also be a name
  for (Token token = next_token(trigger); !is_end(token); token = next_token(trigger)) {
    if (is_word(token, "fail") && (is_behind_raise || last == "or")) return true;
    if (is_word(token, "ignore") && is_behind_raise) return true;
    is_behind_raise = is_word(token, "raise") || (is_behind_raise && is_word(token, "("));
    last = token.quoted ? "" : token.text;
  }
  return false;
}

std::optional<std::string> followed_column(std::string_view trigger) {
  const auto skip_past = [&trigger](std::string_view text) {
    const std::size_t at = trigger.find(text);
    if (at != std::string_view::npos) trigger.remove_prefix(at + text.size());
    return at;
  };
  trigger.remove_prefix(std::min(trigger.size(), kCreateTrigger.size()));
  (void)consume_name(trigger, " ");
  if (skip_past(" ON ") == std::string_view::npos) return std::nullopt;
  (void)consume_name(trigger, " ");
  if (skip_past(" BEGIN INSERT INTO ") != 0) return std::nullopt;
  (void)consume_name(trigger, "(");
  const bool is_report =
      skip_past("(op, ") == 0 && skip_past(") VALUES ('follow") <= std::string_view("key, arg").size();
  if (!is_report || skip_past(".") == std::string_view::npos) return std::nullopt;  // the dot of new. or old.
  return consume_name(trigger, "), ").text;
}

std::string reported_table(std::string_view trigger) {
  constexpr std::string_view kBegin = " BEGIN INSERT INTO ";
  const std::size_t at = trigger.find(kBegin);
  if (at == std::string_view::npos) return {};
  trigger.remove_prefix(at + kBegin.size());
  return consume_name(trigger, "(").text;
}

// Every write contains INTO (INSERT, REPLACE), UPDATE or DELETE. Without quotes, these words are never names.
TriggerEffect effect_of(std::string_view trigger) {
  trigger.remove_prefix(std::min(trigger.size(), kCreateTrigger.size()));
  (void)consume_name(trigger, " \t\r\n\f/-");
  Token word = next_token(trigger);
  const bool is_after = is_word(word, "after");
  if (is_after || is_word(word, "before")) word = next_token(trigger);
  const bool on_insert = is_word(word, "insert");
  if (!on_insert && !is_word(word, "update") && !is_word(word, "delete")) return {};
  TriggerEffect effect{.on_insert = on_insert, .changes_rows = false, .writes_before = false};
  bool inserts = false;
  for (word = next_token(trigger); !is_end(word); word = next_token(trigger)) {
    inserts |= is_word(word, "into");
    effect.changes_rows |= is_word(word, "update") || is_word(word, "delete");
  }
  effect.writes_before = !is_after && (inserts || effect.changes_rows);
  return effect;
}

}  // namespace crivo::sqlite
