#include "values/sql_text.h"

#include <algorithm>

#include "values/statement.h"

namespace crivo::sqlite {
namespace {

constexpr std::string_view kBlanks = " \t\r\n\f\v";
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";  // a blank to SQLite, where no name has begun
constexpr std::string_view kCreateTrigger = "CREATE TRIGGER ";

/// Takes the next token from the front of a text: a name, a number, or an operator's character. Blanks, comments and
/// strings are passed over. Empty, and not quoted, at the end.
Token next_token(std::string_view& text) {
  const auto skip_to = [&text](std::string_view end, std::size_t from) {
    const std::size_t at = text.find(end, from);
    text.remove_prefix(at == std::string_view::npos ? text.size() : at + end.size());
  };
  for (;;) {
    text.remove_prefix(std::min(text.size(), text.find_first_not_of(kBlanks)));
    if (text.starts_with(kByteOrderMark)) {
      text.remove_prefix(kByteOrderMark.size());
    } else if (text.starts_with("--")) {
      skip_to("\n", 2);
    } else if (text.starts_with("/*")) {
      skip_to("*/", 2);
    } else if (text.starts_with('\'')) {
      skip_to("'", 1);
    } else {
      break;
    }
  }
  if (text.empty()) return {};
  if (text.front() == '"' || text.front() == '`' || text.front() == '[') return take_name(text, "");
  const auto is_in_name = [](char c) { return is_plain({&c, 1}) || c == '$' || (c & 0x80) != 0; };
  const auto end = std::ranges::find_if_not(text, is_in_name);
  const std::string_view token = text.substr(0, std::max<std::size_t>(static_cast<std::size_t>(end - text.begin()), 1));
  text.remove_prefix(token.size());
  return {lower(token), false};
}

bool is_word(const Token& token, std::string_view word) { return !token.quoted && token.text == word; }

bool is_end(const Token& token) { return !token.quoted && token.text.empty(); }

}  // namespace

Token take_name(std::string_view& text, std::string_view ends) {
  const char open = text.empty() ? '\0' : text.front();
  if (open != '"' && open != '\'' && open != '`' && open != '[') {
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
  return {};  // the quote has no end
}

bool is_plain(std::string_view name) noexcept {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

// Nowhere else in a definition a bracket follows AS.
std::vector<std::string> names_in_expressions(std::string_view definition) {
  std::vector<std::string> names;
  int depth = 0;
  bool is_behind_as = false;
  for (Token token = next_token(definition); !is_end(token); token = next_token(definition)) {
    const bool opens = is_word(token, "(");
    if (depth > 0 || (is_behind_as && opens)) depth += opens ? 1 : is_word(token, ")") ? -1 : 0;
    if (depth > 0) names.push_back(lower(token.text));
    is_behind_as = is_word(token, "as");
  }
  return names;
}

bool asks_form_only(std::string_view expression, std::string_view column) {
  bool is_used = false;
  std::string function;  // the name before the last token
  Token last;
  for (Token token = next_token(expression); !is_end(token); token = next_token(expression)) {
    if (lower(token.text) == lower(column)) {
      if (!is_word(last, "(") || (function != "bloom_valid" && function != "length" && function != "typeof"))
        return false;
      if (!is_word(next_token(expression), ")")) return false;
      is_used = true;
    }
    function = last.text;
    last = std::move(token);
  }
  return is_used;
}

// ON CONFLICT REPLACE; there is also a function of this name.
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
  std::string last;  // FAIL is also a name
  for (Token token = next_token(trigger); !is_end(token); token = next_token(trigger)) {
    if (is_word(token, "fail") && (is_behind_raise || last == "or")) return true;
    if (is_word(token, "ignore") && is_behind_raise) return true;
    is_behind_raise = is_word(token, "raise") || (is_behind_raise && is_word(token, "("));
    last = token.quoted ? "" : token.text;
  }
  return false;
}

std::optional<std::string> followed_column(std::string_view trigger) {
  const auto take_up_to = [&trigger](std::string_view text) {
    const std::size_t at = trigger.find(text);
    if (at != std::string_view::npos) trigger.remove_prefix(at + text.size());
    return at;
  };
  trigger.remove_prefix(std::min(trigger.size(), kCreateTrigger.size()));
  (void)take_name(trigger, " ");
  if (take_up_to(" ON ") == std::string_view::npos) return std::nullopt;
  (void)take_name(trigger, " ");
  if (take_up_to(" BEGIN INSERT INTO ") != 0) return std::nullopt;
  (void)take_name(trigger, "(");
  const bool tells = take_up_to("(op, ") == 0 && take_up_to(") VALUES ('follow") <= std::string_view("key, arg").size();
  if (!tells || take_up_to(".") == std::string_view::npos) return std::nullopt;  // that of new. or old.
  return take_name(trigger, "), ").text;
}

std::string told_table(std::string_view trigger) {
  constexpr std::string_view kBegin = " BEGIN INSERT INTO ";
  const std::size_t at = trigger.find(kBegin);
  if (at == std::string_view::npos) return {};
  trigger.remove_prefix(at + kBegin.size());
  return take_name(trigger, "(").text;
}

// All that writes has one of three words, which no name is without quotes: INTO is that of INSERT and of REPLACE.
TriggerEffect effect_of(std::string_view trigger) {
  trigger.remove_prefix(std::min(trigger.size(), kCreateTrigger.size()));
  (void)take_name(trigger, " \t\r\n\f/-");
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
