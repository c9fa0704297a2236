#include "table/filter_table.h"

#include <algorithm>
#include <utility>

#include "crivo/hash.h"
#include "crivo/kinds.h"
#include "values/boundary.h"

namespace crivo::sqlite {
namespace {

[[noreturn]] void misplaced(std::int64_t number) {
  throw HostError{SQLITE_CORRUPT_VTAB,
                  "page " + std::to_string(number) + " in table _pages must lie in a layer, got one outside"};
}

/// How full a filter is whose pages come one by one.
class Fill {
 public:
  explicit Fill(const PagedFilter& filter) : filter_(&filter), has_blocks_(filter.shape().kind != Kind::kSpectral) {}

  void add(std::span<const std::byte> page) {
    Shape shape = filter_->shape();
    shape.units = has_blocks_ ? page.size() / PagedFilter::granularity(shape.kind) : page.size() * 8 / shape.param;
    const Stats stats = unwrap(FilterRef::open(shape, {.keys = 0, .capacity = 1, .fp_rate = 1}, page)).stats();
    bits_set_ += stats.bits_set;
    rates_ += stats.current_fp_rate * static_cast<double>(page.size());
  }

  [[nodiscard]] std::uint64_t bits_set() const noexcept { return bits_set_; }
  /// The mean of the pages' rates where a key lies in one of them; a counter of `spectral` may be anywhere.
  [[nodiscard]] double fp_rate() const noexcept {
    if (has_blocks_) return rates_ / static_cast<double>(filter_->payload_bytes());
    const double fill = static_cast<double>(bits_set_) / static_cast<double>(filter_->shape().units);
    double rate = 1;
    for (unsigned i = 0; i < filter_->shape().probes; ++i) rate *= fill;
    return rate;
  }

 private:
  const PagedFilter* filter_;
  bool has_blocks_;
  std::uint64_t bits_set_ = 0;
  double rates_ = 0;
};

}  // namespace

std::string read_state(ShadowTables& shadow, const std::string& row) {
  if (std::optional<std::string> text = shadow.read_meta(row)) return *std::move(text);
  throw HostError{SQLITE_CORRUPT_VTAB, "table _meta must have a text as its row '" + row + "', got none"};
}

std::size_t usable_page_bytes(const ShadowTables& shadow) {
  Statement statement(shadow.db(), "PRAGMA " + quoted_name(shadow.schema()) + ".page_size");
  Use use(statement);
  const std::int64_t bytes = use.step() ? use.integer(0) : 4096;
  int reserved = -1;  // asks, and changes nothing
  sqlite3_file_control(shadow.db(), shadow.schema().c_str(), SQLITE_FCNTL_RESERVE_BYTES, &reserved);
  return static_cast<std::size_t>(bytes - std::max(reserved, 0));
}

void FilterTable::create(const TableSpec& spec, std::string_view source) {
  TableState state = plan_table(spec, usable_page_bytes(shadow_));
  if (state.window) state.window->restart(shadow_.db());
  shadow_.create();
  if (state.has_source) shadow_.write_meta(kSourceRow, source);
  save(state);
}

const TableState& FilterTable::state() {
  if (text_ && shadow_.meta_is(state_row_, *text_)) return state_;
  std::string text = read_state(shadow_, state_row_);
  TableState parsed = parse_state(text);
  if (parsed.window.has_value() != has_window()) {
    throw HostError{SQLITE_CORRUPT_VTAB, "state in table _meta must keep or lack its window while it is in use"};
  }
  if (parsed.has_source != shadow_.read_meta(kSourceRow).has_value()) {
    throw HostError{SQLITE_CORRUPT_VTAB,
                    "state in table _meta must be that of a table with a source if there is a row 'source', and only "
                    "then; it may be the state of another table"};
  }
  std::vector<PagedFilter> filters;
  for (std::size_t i = 0; i < parsed.layers.size(); ++i) filters.push_back(parsed.filter(i));
  // Nothing throws from here on, so that text and state never part.
  state_ = std::move(parsed);
  filters_ = std::move(filters);
  text_ = std::move(text);
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
  // Where keys can be removed, one that may be there is counted: a false positive would go with the others.
  return add_hash(hash_key(key, seed), only_if_absent && state_.spec.kind != Kind::kCounting);
}

void FilterTable::remove(std::uint64_t hash) {
  const FilterSpec& spec = state().spec;
  require_no_source("DELETE");
  if (spec.kind != Kind::kCounting) {
    throw SqlError{"kind must be counting where keys are deleted, got " + kind_text(spec) +
                   " (to remove all keys, insert 'clear' as op)"};
  }
  (void)unwrap(remove_hash(hash));
}

Result<std::uint64_t> FilterTable::remove_hash(std::uint64_t hash) {
  PageRows rows = rows_of(0);
  Result<std::uint64_t> before = rows.remove(hash);
  if (before) rows.store();
  return before;
}

void FilterTable::clear() {
  TableState cleared = state();
  require_no_source("op clear");
  cleared.layers.resize(1);
  if (cleared.window) cleared.window->restart(shadow_.db());  // before anything is gone, as the clock can fail
  shadow_.erase_pages(0, INT64_MAX);
  if (cleared != state_) save(cleared);
}

void FilterTable::advance(sqlite3_value*) {
  throw SqlError{"op advance must go to a table with a window, got one without"};
}

void FilterTable::merge(const FilterRef&) {
  throw SqlError{"op union must go to a table without a window, got one with a window"};
}

void FilterTable::require_no_source(std::string_view what) const {
  if (!state_.has_source) return;
  throw SqlError{std::string(what) +
                 " must go to a table without a source, got one that takes its keys from a column; "
                 "change the column, and the filter follows"};
}

void FilterTable::visit_layer(std::size_t layer, const PageVisitor& visit) {
  const PagedFilter& filter = filters_[layer];
  const std::int64_t first = first_page(layer);
  const Panes kept = panes();
  shadow_.visit_pages(first, [&](std::int64_t number, std::span<const std::byte> row) {
    if (number > last_page(layer)) return false;
    const auto page = static_cast<std::uint64_t>(number - first);
    if (page >= filter.pages()) misplaced(number);
    check_row(number, row, filter.bytes_of(page), kept);
    visit(page, row);
    return true;
  });
}

void FilterTable::check() {
  const std::size_t layers = state().layers.size();
  for (std::size_t i = 0; i < layers; ++i) visit_layer(i, [](std::uint64_t, std::span<const std::byte>) {});
  // A rebuild that failed may have left pages in the other half of a table with a source.
  const std::int64_t last = last_page(kLayersPerHalf - 1, state_.has_source ? 1 : 0);
  const std::int64_t last_of_half = last_page(kLayersPerHalf - 1, state_.half);
  const auto refuse_from = [this](std::int64_t from, std::int64_t to) {
    shadow_.visit_pages(from, [to](std::int64_t number, auto) -> bool {
      if (number <= to) misplaced(number);
      return false;
    });
  };
  refuse_from(INT64_MIN, -1);
  refuse_from(last_page(layers - 1) + 1, last_of_half);
  refuse_from(last + 1, INT64_MAX);
}

Inventory FilterTable::inventory() {
  Inventory found;
  for (std::size_t i = 0; i < state().layers.size(); ++i) {
    const PagedFilter& filter = filters_[i];
    const Panes kept = panes();
    std::vector<Fill> fills(kept.count, Fill(filter));
    found.pages += filter.pages();
    visit_layer(i, [&](std::uint64_t page, std::span<const std::byte> row) {
      found.keys += keys_of(row);
      ++found.stored_pages;
      found.row_bytes += row.size();
      const std::size_t bytes = filter.bytes_of(page);
      for (std::uint64_t age = 0; age < kept.count && age <= kept.newest; ++age) {
        if (generation_of(row) < kept.newest - age) continue;
        fills[age].add(payload_of(row).subspan(kept.place(kept.newest - age) * bytes, bytes));
      }
    });
    for (const Fill& fill : fills) {
      found.pane_bits.push_back(fill.bits_set());
      found.current_fp_rate += (1 - found.current_fp_rate) * fill.fp_rate();
    }
  }
  return found;
}

void FilterTable::rebuild() {
  for (std::size_t i = 0; i < state().layers.size(); ++i) {
    std::vector<std::int64_t> idle;
    visit_layer(i, [&](std::uint64_t page, std::span<const std::byte> row) {
      if (is_idle(row)) idle.push_back(first_page(i) + static_cast<std::int64_t>(page));
    });
    for (const std::int64_t number : idle) shadow_.erase_pages(number, number);
  }
}

}  // namespace crivo::sqlite
