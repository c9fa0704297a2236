#include "table/table_info.h"

#include <array>
#include <charconv>

#include "crivo/kinds.h"
#include "table/follow.h"

namespace crivo::sqlite {
namespace {

std::string json_text(std::string_view text) {
  std::string json = "\"";
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20) {
      constexpr std::string_view kHex = "0123456789abcdef";
      json.append("\\u00").append({kHex[static_cast<unsigned>(c) >> 4], kHex[static_cast<unsigned>(c) & 15]});
      continue;
    }
    if (c == '"' || c == '\\') json += '\\';
    json += c;
  }
  return json + "\"";
}

std::string json_number(double value) { return std::string(NumberKey(value).view()); }
std::string json_number(std::uint64_t value) { return std::to_string(value); }
std::string seconds(Time milliseconds) { return json_number(static_cast<double>(milliseconds) / 1000); }

/// A JSON object that is written field by field.
class Object {
 public:
  void add(std::string_view name, const std::string& json) {
    json_.append(json_.empty() ? "{" : ",").append("\"").append(name).append("\":").append(json);
  }
  [[nodiscard]] std::string str() const { return json_ + "}"; }

 private:
  std::string json_;
};

void add_window(Object& info, const Window& window, const std::vector<std::uint64_t>& pane_keys, sqlite3* db) {
  Window now = window;
  if (!now.manual) now.advance(time_now(db));
  std::string keys;
  for (const std::uint64_t value : pane_keys) keys.append(keys.empty() ? "" : ",").append(json_number(value));
  info.add("window", seconds(now.pane_length * now.panes));
  info.add("panes", json_number(std::uint64_t{now.panes}));
  info.add("clock", json_text(now.manual ? "manual" : "now"));
  info.add("generation", json_number(now.generation));
  info.add("next_pane", now.first_pane < 0 ? "null" : seconds(now.end_of_newest()));
  info.add("pane_keys", "[" + keys + "]");
}

void add_source(Object& info, FilterTable& table) {
  const std::optional<Source> source = source_of(table);
  info.add("source", source ? json_text(to_text(*source)) : "null");
  info.add("follows", is_following(table) ? "1" : "0");
  info.add("stale", json_number(table.stale()));
}

}  // namespace

std::string table_info(FilterTable& table) {
  const TableState& state = table.state();
  const Inventory found = table.inventory();
  Object info;
  info.add("kind", json_text(kind_text(state.spec)));
  info.add("capacity", json_number(state.spec.capacity));
  info.add("fp_rate", json_number(state.spec.fp_rate));
  info.add("keys", json_number(found.keys));
  info.add("seed", std::to_string(static_cast<std::int64_t>(state.spec.seed)));
  info.add("layers", json_number(state.layers.size()));
  info.add("pages", json_number(table.pages()));
  info.add("stored_pages", json_number(found.pages));
  info.add("row_bytes", json_number(state.row_bytes()));
  info.add("bytes", json_number(found.row_bytes));
  if (state.window) add_window(info, *state.window, found.pane_keys, table.db());
  if (state.has_source) add_source(info, table);
  return info.str();
}

}  // namespace crivo::sqlite
