#include "table/filter_table.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "crivo/hash.h"
#include "crivo/host/scalable_layers.h"
#include "crivo/kinds.h"
#include "values/boundary.h"

namespace crivo::sqlite {
namespace {

constexpr std::string_view kStaleRow = "stale";
/// So many bytes of pages are changed in memory before they are stored.
constexpr std::size_t kMostChangedBytes = std::size_t{16} << 20;

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

void FilterTable::create(const TableSpec& spec) {
  TableState state = plan_table(spec, usable_page_bytes(shadow_.db(), shadow_.schema()));
  if (state.window) state.window->restart(shadow_.db());
  shadow_.create();
  save(state);
}

const TableState& FilterTable::state() {
  std::optional<std::string> text = shadow_.read_meta(state_row_);
  if (!text) {
    throw HostError{SQLITE_CORRUPT_VTAB, "table _meta must have a text as its row '" + state_row_ + "', got none"};
  }
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
  const std::string text = to_text(state);
  shadow_.write_meta(state_row_, text);
  (void)this->state();
  // Otherwise a table that must grow would try again without end.
  if (text_ != text) throw HostError{SQLITE_CORRUPT_VTAB, "table _meta must keep what is written to it"};
}

// The newest layer is asked first: it is the largest.
bool FilterTable::layers_contain(std::uint64_t hash, std::size_t layers) {
  for (std::size_t i = layers; i-- > 0;) {
    if (rows_of(i).contain(hash)) return true;
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
  const std::uint64_t seed = state().spec.seed;
  require_no_source("key");
  return add_hash(hash_key(key, seed), only_if_absent);
}

bool FilterTable::add_hash(std::uint64_t hash, bool only_if_absent) {
  if (state_.window) return add_to_newest_pane(hash);
  if (layers_contain(hash, filters_.size() - 1)) return false;  // an older layer has it
  {
    PageRows rows = rows_of(filters_.size() - 1);
    if (const std::optional<bool> is_new = add_to_newest(rows, hash, only_if_absent)) {
      rows.store();
      return *is_new;
    }
  }
  grow();
  return add_hash(hash, only_if_absent);
}

/// Adds a key to the newest layer, of which these are the rows, and tells whether it was new there; no value if the
/// layer is full.
std::optional<bool> FilterTable::add_to_newest(PageRows& rows, std::uint64_t hash, bool only_if_absent) const {
  const Kind kind = state_.spec.kind;
  const PagedFilter& filter = filters_.back();
  const std::uint64_t page = filter.page_of(hash);
  const bool is_new = !filter.may_contain_hash(hash, rows);
  // Where keys can be removed, one that may be there is counted: a false positive would go with the others.
  const bool leaves_alone = only_if_absent && kind != Kind::kCounting;
  if (!is_new && (leaves_alone || !filter.counts())) return false;
  if (kind == Kind::kScalable && is_full(rows, page)) return std::nullopt;
  filter.add_hash(hash, rows);
  rows.count_keys(page, 1);
  return is_new;
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

void FilterTable::add_hashes(std::span<std::uint64_t> hashes) {
  (void)state();
  std::ranges::sort(hashes, {}, [this](std::uint64_t hash) { return filters_.back().page_of(hash); });
  for (auto next = hashes.begin(); next != hashes.end();) {
    bool full = false;
    {
      PageRows rows = rows_of(filters_.size() - 1);
      while (next != hashes.end() && !full && rows.changed_bytes() < kMostChangedBytes) {
        rows.release();
        full = !layers_contain(*next, filters_.size() - 1) && !add_to_newest(rows, *next, false);
        if (!full) ++next;
      }
      rows.store();
    }
    if (full) grow();
  }
}

void FilterTable::remove(std::uint64_t hash) {
  const FilterSpec& spec = state().spec;
  require_no_source("DELETE");
  if (spec.kind != Kind::kCounting) {
    throw SqlError{"kind must be counting where keys are deleted, got " + kind_text(spec) +
                   " (to remove all keys, insert 'clear' as op)"};
  }
  remove_hash(hash);
}

void FilterTable::remove_hash(std::uint64_t hash) {
  const PagedFilter& filter = filters_.front();
  PageRows rows = rows_of(0);
  unwrap(filter.remove_hash(hash, rows));
  rows.count_keys(filter.page_of(hash), -1);
  rows.store();
}

void FilterTable::clear() {
  TableState cleared = state();
  require_no_source("op clear");
  cleared.layers.resize(1);
  if (cleared.window) cleared.window->restart(shadow_.db());  // before anything is gone, as the clock can fail
  shadow_.erase_pages(0, INT64_MAX);
  if (cleared != state_) save(cleared);
}

void FilterTable::require_no_source(std::string_view what) const {
  if (!state_.has_source) return;
  throw SqlError{std::string(what) +
                 " must go to a table without a source, got one that takes its keys from a column; "
                 "change the column, and the filter follows"};
}

std::uint64_t FilterTable::stale() {
  const std::optional<std::string> text = shadow_.read_meta(kStaleRow);
  std::uint64_t stale = 0;
  if (text) std::from_chars(text->data(), text->data() + text->size(), stale);
  return stale;
}

void FilterTable::add_stale() { shadow_.write_meta(kStaleRow, std::to_string(stale() + 1)); }

void FilterTable::replace(std::uint64_t capacity, const std::function<void(FilterTable& fresh)>& fill) {
  const unsigned old_half = state().half;
  TableSpec spec{state_.spec, std::nullopt, true};
  spec.filter.capacity = capacity;
  TableState planned = plan_table(spec, usable_page_bytes(shadow_.db(), shadow_.schema()));
  planned.half = 1 - old_half;
  erase_half(planned.half);  // what a rebuild left there that failed
  FilterTable fresh(shadow_.db(), shadow_.schema(), shadow_.table());
  fresh.state_row_ = "next_state";
  fresh.save(planned);
  fill(fresh);
  save(fresh.state());  // from here on, the new keys count
  shadow_.erase_meta(fresh.state_row_);
  shadow_.erase_meta(kStaleRow);
  erase_half(old_half);
}

}  // namespace crivo::sqlite
