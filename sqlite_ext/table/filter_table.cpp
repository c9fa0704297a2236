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
  if (text != text_) {
    TableState parsed = parse_state(*text);
    std::vector<PagedFilter> filters;
    for (std::size_t i = 0; i < parsed.layers.size(); ++i) filters.push_back(parsed.filter(i));
    // Nothing throws from here on, so that text and state never part.
    state_ = std::move(parsed);
    filters_ = std::move(filters);
    text_ = std::move(text);
  }
  return state_;
}

void FilterTable::save(const TableState& state) {
  shadow_.write_meta(kState, to_text(state));
  (void)this->state();
}

// The newest layer is asked first: it is the largest.
bool FilterTable::layers_contain(std::uint64_t hash, std::size_t layers) {
  for (std::size_t i = layers; i-- > 0;) {
    PageRows rows = rows_of(i);
    if (filters_[i].may_contain_hash(hash, rows)) return true;
  }
  return false;
}

std::optional<std::uint64_t> FilterTable::find(std::string_view key) {
  const std::uint64_t hash = hash_key(key, state().spec.seed);
  return layers_contain(hash, filters_.size()) ? std::optional(hash) : std::nullopt;
}

std::optional<std::uint64_t> FilterTable::count(std::uint64_t hash) {
  (void)state();
  PageRows rows = rows_of(0);
  const Result<std::uint64_t> count = filters_.front().count_hash(hash, rows);
  return count ? std::optional(*count) : std::nullopt;
}

bool FilterTable::add(std::string_view key, bool only_if_absent) {
  const FilterSpec& spec = state().spec;
  const std::uint64_t hash = hash_key(key, spec.seed);
  const bool counts = spec.kind == Kind::kCounting || spec.kind == Kind::kSpectral;
  const std::size_t newest = filters_.size() - 1;
  if (layers_contain(hash, newest)) return false;  // an older layer has it
  {
    const PagedFilter& filter = filters_[newest];
    const std::uint64_t page = filter.page_of(hash);
    PageRows rows = rows_of(newest);
    const bool is_new = !filter.may_contain_hash(hash, rows);
    // Where keys can be removed, one that may be there is counted: a false positive would go with the others.
    const bool leaves_alone = only_if_absent && spec.kind != Kind::kCounting;
    if (!is_new && (leaves_alone || !counts)) return false;
    if (spec.kind != Kind::kScalable || !is_full(rows, page)) {
      filter.add_hash(hash, rows);
      rows.count_keys(page, 1);
      rows.store();
      return is_new;
    }
  }
  grow();
  return add(key, only_if_absent);
}

// A layer of a scalable table is full when a page has its share of the keys. Nobody counts the keys of all pages, which
// would make every addition change a second page. But if the layer had more keys than it was sized for, some page would
// have more than its share; so a layer never gets more. As keys do not spread evenly, it gets up to 8% fewer.
bool FilterTable::is_full(PageRows& rows, std::uint64_t page) const {
  const auto newest = static_cast<unsigned>(filters_.size() - 1);
  const std::uint64_t pages = filters_.back().pages();  // all of them have the same size
  return rows.keys(page) >= (scalable_layer_capacity(state_.spec, newest) + pages - 1) / pages;
}

void FilterTable::grow() {
  TableState grown = state_;
  add_layer(grown);
  save(grown);
}

void FilterTable::remove(std::uint64_t hash) {
  (void)state();
  const PagedFilter& filter = filters_.front();
  PageRows rows = rows_of(0);
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
