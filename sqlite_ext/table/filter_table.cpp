#include "table/filter_table.h"

#include <algorithm>
#include <utility>

#include "crivo/hash.h"
#include "crivo/scalable_layers.h"
#include "values/boundary.h"

namespace crivo::sqlite {
namespace {

constexpr std::string_view kState = "state";
/// What SQLite can use of a page of this database.
std::size_t usable_page_bytes(sqlite3* db, const std::string& schema) {
  Statement statement(db, "PRAGMA " + quoted_name(schema) + ".page_size");
  Use use(statement);
  const std::int64_t bytes = use.step() ? use.integer(0) : 4096;
  int reserved = -1;  // asks, and changes nothing
  sqlite3_file_control(db, schema.c_str(), SQLITE_FCNTL_RESERVE_BYTES, &reserved);
  return static_cast<std::size_t>(bytes - std::max(reserved, 0));
}

}  // namespace

void FilterTable::create(const FilterSpec& spec) {
  const TableState state = plan_table(spec, usable_page_bytes(shadow_.db(), shadow_.schema()));
  shadow_.create();
  save(state);
}

const TableState& FilterTable::state() {
  std::optional<std::string> text = shadow_.read_meta(kState);
  if (!text) throw HostError{SQLITE_CORRUPT_VTAB, "table _meta must have a text as its row 'state', got none"};
  if (*text != text_) {
    TableState parsed = parse_state(*text);
    std::vector<PagedFilter> filters;
    for (std::size_t i = 0; i < parsed.layers.size(); ++i) filters.push_back(parsed.filter(i));
    // Nothing throws from here on, so that text and state never part.
    state_ = std::move(parsed);
    filters_ = std::move(filters);
    text_ = std::move(*text);
  }
  return state_;
}

void FilterTable::save(const TableState& state) {
  shadow_.write_meta(kState, to_text(state));
  (void)this->state();
}

std::uint64_t FilterTable::hash(std::string_view key) { return hash_key(key, state().spec.seed); }

/// Asks the newest of the first `layers` layers first: it is the largest.
bool FilterTable::layers_contain(std::uint64_t hash, std::size_t layers) {
  for (std::size_t i = layers; i-- > 0;) {
    PageRows rows(shadow_, filters_[i], first_page(i));
    if (filters_[i].may_contain_hash(hash, rows)) return true;
  }
  return false;
}

bool FilterTable::may_contain(std::uint64_t hash) { return layers_contain(hash, state().layers.size()); }

std::optional<std::uint64_t> FilterTable::count(std::uint64_t hash) {
  (void)state();
  PageRows rows(shadow_, filters_.front(), first_page(0));
  const Result<std::uint64_t> count = filters_.front().count_hash(hash, rows);
  return count ? std::optional(*count) : std::nullopt;
}

bool FilterTable::add(std::uint64_t hash, bool only_if_absent) {
  const bool counts = state().spec.kind == Kind::kCounting || state().spec.kind == Kind::kSpectral;
  const bool is_new = !layers_contain(hash, filters_.size());
  if (is_new || (counts && !only_if_absent)) add_to_newest(hash, is_new);
  return is_new;
}

// A layer of a scalable table is full when a page has its share of the keys. Nobody counts the keys of all pages, which
// would make every addition change a second page. But if the layer had more keys than it was sized for, some page would
// have more than its share; so a layer never gets more. As keys do not spread evenly, it gets up to 8% fewer.
bool FilterTable::is_full(PageRows& rows, std::uint64_t page, std::size_t layer) {
  const PagedFilter& filter = filters_[layer];
  const std::uint64_t capacity = scalable_layer_capacity(state_.spec, static_cast<unsigned>(layer));
  const std::uint64_t share = (capacity + filter.pages() - 1) / filter.pages();  // all pages have the same size
  return rows.keys(page) >= share;
}

void FilterTable::add_to_newest(std::uint64_t hash, bool is_new) {
  const std::size_t newest = filters_.size() - 1;
  const PagedFilter& filter = filters_[newest];
  const std::uint64_t page = filter.page_of(hash);
  {
    PageRows rows(shadow_, filter, first_page(newest));
    if (state_.spec.kind != Kind::kScalable || !is_full(rows, page, newest)) {
      filter.add_hash(hash, rows);
      rows.count_keys(page, 1);
      return rows.store();
    }
  }
  TableState grown = state_;
  add_layer(grown);
  save(grown);
  add_to_newest(hash, is_new);
}

void FilterTable::remove(std::uint64_t hash) {
  (void)state();
  const PagedFilter& filter = filters_.front();
  PageRows rows(shadow_, filter, first_page(0));
  unwrap(filter.remove_hash(hash, rows));
  rows.count_keys(filter.page_of(hash), -1);
  rows.store();
}

void FilterTable::clear() {
  TableState cleared = state();
  shadow_.erase_pages(0, INT64_MAX);
  cleared.layers.resize(1);
  if (cleared != state_) save(cleared);
}

}  // namespace crivo::sqlite
