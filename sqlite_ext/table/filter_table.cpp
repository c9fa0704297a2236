#include "table/filter_table.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "crivo/hash.h"
#include "crivo/host/bytes.h"
#include "crivo/host/scalable_layers.h"
#include "crivo/kinds.h"
#include "values/boundary.h"
#include "values/time.h"

namespace crivo::sqlite {
namespace {

[[noreturn]] void misplaced(std::int64_t number) {
  throw HostError{SQLITE_CORRUPT_VTAB,
                  "page " + std::to_string(number) + " in table _pages must lie in a layer, got one outside"};
}

/// The text of a state; which row of _meta has it is given.
std::string stored_state(ShadowTables& shadow, std::string_view row) {
  if (std::optional<std::string> text = shadow.read_meta(row)) return *std::move(text);
  throw HostError{SQLITE_CORRUPT_VTAB, "table _meta must have a text as its row '" + std::string(row) + "', got none"};
}

/// So many bytes of pages are changed in memory before they are stored.
constexpr std::size_t kMostChangedBytes = std::size_t{16} << 20;

/// Checks the row of a page whose size depends on what is in it.
void check_level(const PagedFilter& filter, std::uint64_t page, std::int64_t number, std::span<const std::byte> row) {
  if (filter.grows() && !filter.is_sound(page, whole_page(filter, page, row).data())) refuse_level(number);
}

template <class A, class B>
void require_equal(std::string_view field, const A& ours, const B& theirs) {
  if (ours == theirs) return;
  throw SqlError{std::string(field) + " must equal the table's " + std::to_string(ours) + ", got " +
                 std::to_string(theirs) + "; create both with the same capacity, fp_rate, kind and seed"};
}

void require_same_shape(const Shape& ours, const Shape& theirs) {
  if (ours.kind != theirs.kind) {
    throw SqlError{"kind must equal the table's " + std::string(kind_name(ours.kind)) + ", got " +
                   std::string(kind_name(theirs.kind))};
  }
  require_equal("seed", static_cast<std::int64_t>(ours.seed), static_cast<std::int64_t>(theirs.seed));
  require_equal("k", unsigned{ours.k}, unsigned{theirs.k});
  require_equal("number of blocks", ours.units, theirs.units);
}

}  // namespace

void create_table(ShadowTables& shadow, const TableSpec& spec, std::string_view source) {
  TableState state = plan_table(spec, shadow.row_room());
  if (state.window) state.window->restart(shadow.db());
  shadow.create();
  if (state.has_source) shadow.write_meta(kSourceRow, source);
  shadow.write_meta(kStateRow, to_text(state));
}

Operation::Operation(FilterTable& table) : table_(table) { read_state(); }

void Operation::read_state() {
  if (table_.text && shadow().meta_is(table_.state_row, *table_.text)) return;
  std::string text = stored_state(shadow(), table_.state_row);
  TableState parsed = parse_state(text);
  if (parsed.has_source != shadow().read_meta(kSourceRow).has_value()) {
    throw HostError{SQLITE_CORRUPT_VTAB,
                    "state in table _meta must be that of a table with a source if there is a row 'source', and only "
                    "then; it may be the state of another table"};
  }
  std::vector<PagedFilter> filters;
  for (std::size_t i = 0; i < parsed.layers.size(); ++i) filters.push_back(parsed.filter(i));
  // Nothing throws from here on, so that text and state never part.
  table_.state = std::move(parsed);
  table_.filters = std::move(filters);
  table_.text = std::move(text);
}

void Operation::save(const TableState& state) {
  const std::string text = to_text(state);
  shadow().write_meta(table_.state_row, text);
  read_state();
  // Otherwise a table that must grow would try again without end.
  if (table_.text != text) throw HostError{SQLITE_CORRUPT_VTAB, "table _meta must keep what is written to it"};
}

// The newest layer is asked first: it is the largest.
bool Operation::layers_contain(std::uint64_t hash, std::size_t layers) {
  for (std::size_t i = layers; i-- > 0;) {
    if (rows_of(i).contain(hash)) return true;
  }
  return false;
}

std::optional<std::uint64_t> Operation::find(std::string_view key) {
  const std::uint64_t hash = hash_key(key, state().spec.seed);
  return layers_contain(hash, table_.filters.size()) ? std::optional(hash) : std::nullopt;
}

std::optional<std::uint64_t> Operation::count(std::uint64_t hash) {
  FilterRows rows = rows_of(0);
  const Result<std::uint64_t> count = table_.filters.front().count_hash(hash, rows);
  return count.has_value() ? std::optional(*count) : std::nullopt;
}

bool Operation::add(std::string_view key, bool only_if_absent) {
  const std::uint64_t seed = state().spec.seed;
  require_no_source("key");
  // Where keys can be removed, one that may be there is counted: a false positive would go with the others.
  return add_hash(hash_key(key, seed), only_if_absent && !can_remove(state().spec.kind));
}

void Operation::remove_row(std::uint64_t rowid) {
  const FilterSpec& spec = state().spec;
  require_no_source("DELETE");
  if (!can_remove(spec.kind)) {
    throw SqlError{"kind must be counting or growing where keys are deleted, got " + kind_text(spec) +
                   " (to remove all keys, insert 'clear' as op)"};
  }
  (void)unwrap(remove_hash(rowid));
}

Result<std::uint64_t> Operation::remove_hash(std::uint64_t hash) {
  FilterRows rows = rows_of(0);
  Result<std::uint64_t> before = rows.remove(hash);
  if (before.has_value()) rows.store();
  return before;
}

bool Operation::add_hash(std::uint64_t hash, bool only_if_absent) {
  if (state().window) return add_to_window(hash);
  if (layers_contain(hash, table_.filters.size() - 1)) return false;  // an older layer has it
  {
    FilterRows rows = rows_of(table_.filters.size() - 1);
    if (const std::optional<bool> is_new = add_to_newest(rows, hash, only_if_absent)) {
      const bool is_added = *is_new || !only_if_absent;
      const bool is_crowded = is_added && table_.filters.back().grows() && table_.filters.back().is_crowded(hash, rows);
      rows.store();
      if (is_crowded) split_page();
      return *is_new;
    }
  }
  open_layer();
  return add_hash(hash, only_if_absent);
}

// In this order T1 holds at each moment: until the state says that there is a page more, nobody looks for it, and until
// the other page is shortened, it is read as if it were.
void Operation::split_page() {
  const PagedFilter more = table_.filters.front().with_a_page_more();
  const auto write_half = [&](std::uint64_t page) {
    FilterRows rows(shadow(), table_.spare, more, first_page(0), {});
    rows.write_half(page, more.split_page());
    rows.store();
  };
  write_half(more.new_page());
  TableState grown = state();
  grown.layers.front().units = more.pages();
  save(grown);
  write_half(more.split_page());
}

/// Adds a key to the newest layer, of which these are the rows, and tells whether it was new there; no value if the
/// layer is full.
std::optional<bool> Operation::add_to_newest(FilterRows& rows, std::uint64_t hash, bool only_if_absent) {
  const std::uint64_t page = table_.filters.back().page_of(hash);
  if (state().spec.kind != Kind::kScalable || !is_full(rows, page)) {
    const bool is_new = rows.add(hash, only_if_absent);
    if (is_new) watch_capacity(rows, page);
    return is_new;
  }
  return rows.contain(hash) ? std::optional(false) : std::nullopt;
}

// Nobody counts the keys of all pages (see is_full), so each page is compared with its share.
void Operation::watch_capacity(FilterRows& rows, std::uint64_t page) {
  const PagedFilter& filter = table_.filters.front();
  if (state().spec.kind == Kind::kScalable || filter.grows() || (table_.has_warned && !state().full_is_error)) return;
  const std::uint64_t capacity = state().pane_spec().capacity;
  if (!is_over_full(filter, capacity, rows.keys(page), {rows.read(page), filter.bytes_of(page)})) return;
  const std::string most = std::to_string(state().spec.capacity);
  if (state().full_is_error) {
    throw SqlError{"keys must be at most the capacity, " + most +
                   ", where on_full is error, got more; insert them into a larger table"};
  }
  table_.has_warned = true;
  sqlite3_log(SQLITE_WARNING, "crivo: %s.%s has more keys than its capacity, %s: too many absent keys are found",
              shadow().schema().c_str(), shadow().table().c_str(), most.c_str());
}

// A layer of a scalable table is full when a page has its share of the keys. Nobody counts the keys of all pages, which
// would make every addition change a second page. But if the layer had more keys than it was sized for, some page would
// have more than its share; so a layer never gets more. As keys do not spread evenly, it gets up to 8% fewer.
bool Operation::is_full(FilterRows& rows, std::uint64_t page) const {
  const auto newest = static_cast<unsigned>(table_.filters.size() - 1);
  const std::uint64_t pages = table_.filters.back().pages();  // all of them have the same size
  return rows.keys(page) >= (scalable_layer_capacity(state().spec, newest) + pages - 1) / pages;
}

void Operation::open_layer() {
  TableState grown = state();
  add_layer(grown);
  save(grown);
}

void Operation::add_hashes(std::span<std::uint64_t> hashes) {
  std::ranges::sort(hashes, {}, [this](std::uint64_t hash) { return table_.filters.back().page_of(hash); });
  for (auto next = hashes.begin(); next != hashes.end();) {
    bool full = false;
    bool crowded = false;
    {
      FilterRows rows = rows_of(table_.filters.size() - 1);
      while (next != hashes.end() && !full && !crowded && rows.kept_bytes() < kMostChangedBytes) {
        if (table_.filters.size() > 1) rows.release();  // the other layers' rows come from the same statement
        full = !layers_contain(*next, table_.filters.size() - 1) && !add_to_newest(rows, *next, false);
        crowded = table_.filters.back().grows() && table_.filters.back().is_crowded(*next, rows);
        if (!full) ++next;
      }
      rows.store();
    }
    if (full) open_layer();
    if (crowded) split_page();
  }
}

// A key that an older pane has goes into the newest pane, too, or it would be lost with the older one.
bool Operation::add_to_window(std::uint64_t hash) {
  const Panes now = panes();
  if (state().window->generation < now.newest) {  // before a row is of this generation (W2)
    TableState later = state();
    later.window->generation = now.newest;
    save(later);
  }
  FilterRows rows(shadow(), table_.spare, table_.filters.front(), first_page(0), now);
  const bool is_new = !rows.contain(hash);
  if (rows.add(hash, false)) {
    watch_capacity(rows, table_.filters.front().page_of(hash));
    rows.store();
  }
  return is_new;
}

Panes Operation::panes() {
  if (!state().window) return {};
  const TableWindow& window = *state().window;
  // A probe sees that a pane has passed, whether or not anybody has written so.
  const std::uint64_t newest = window.manual ? window.generation : window.generation_at(time_now(shadow().db()));
  return {window.kept_panes(), newest};
}

void Operation::advance(sqlite3_value* time) {
  TableState later = state();
  if (!later.window) throw SqlError{"op advance must go to a table with a window, got one without"};
  // A time ahead of SQLite's would keep every key until SQLite's has caught up.
  if (!later.window->manual) throw SqlError{"op advance must go to a window with clock=manual, got one with clock=now"};
  later.window->advance(read_time(shadow().db(), time, "arg"));
  if (later != state()) save(later);
}

void Operation::merge(const FilterRef& other) {
  const Kind kind = state().spec.kind;
  if (state().window) throw SqlError{"op union must go to a table without a window, got one with a window"};
  require_no_source("op union");
  if (kind != Kind::kBlocked && kind != Kind::kCounting) {
    throw SqlError{"kind of a table that merges must be one of blocked, counting, got " + kind_text(state().spec)};
  }
  const PagedFilter& filter = table_.filters.front();
  require_same_shape(filter.shape(), other.shape());
  const auto keys = static_cast<double>(std::min(other.facts().keys, kMaxCapacity));
  const auto all_bits = static_cast<double>(count_bits(other.payload()));
  double bits_before = 0;
  for (std::uint64_t page = 0; page < filter.pages(); ++page) {
    const auto bytes =
        other.payload().subspan(static_cast<std::size_t>(page * state().page_bytes), filter.bytes_of(page));
    const auto bits = static_cast<double>(count_bits(bytes));
    if (bits == 0) continue;
    FilterRows rows = rows_of(0);
    filter.unite_page(page, rows.write(page), bytes.data());
    // The page's share of the keys goes by its bits. The shares are rounded so that their sum is the number of keys.
    const std::int64_t until = std::llround(keys * ((bits_before + bits) / all_bits));
    rows.count_keys(page, until - std::llround(keys * (bits_before / all_bits)));
    watch_capacity(rows, page);
    bits_before += bits;
    rows.store();
  }
}

void Operation::clear() {
  TableState cleared = state();
  require_no_source("op clear");
  cleared.layers.resize(1);
  if (table_.filters.front().grows()) cleared.layers.front().units = 1;
  if (cleared.window) cleared.window->restart(shadow().db());  // before anything is gone, as the clock can fail
  shadow().erase_pages(0, INT64_MAX);
  if (cleared != state()) save(cleared);
}

void Operation::require_no_source(std::string_view what) const {
  if (!state().has_source) return;
  throw SqlError{std::string(what) +
                 " must go to a table without a source, got one that takes its keys from a column; "
                 "change the column, and the filter follows"};
}

void Operation::visit_layer(std::size_t layer, const PageVisitor& visit) {
  const PagedFilter& filter = table_.filters[layer];
  const std::int64_t first = first_page(layer);
  const Panes kept = panes();
  shadow().visit_pages(first, [&](std::int64_t number, std::span<const std::byte> row) {
    if (number > last_page(layer)) return false;
    const auto page = static_cast<std::uint64_t>(number - first);
    if (filter.grows() && page == filter.pages()) return true;  // of a split that failed before the state was saved
    if (page >= filter.pages()) misplaced(number);
    check_row(number, row, filter.bytes_of(page), kept, filter.grows());
    check_level(filter, page, number, row);
    visit(page, row);
    return true;
  });
}

void Operation::check() {
  const std::size_t layers = state().layers.size();
  for (std::size_t i = 0; i < layers; ++i) visit_layer(i, [](std::uint64_t, std::span<const std::byte>) {});
  // A rebuild that failed may have left pages in the other half of a table with a source.
  const std::int64_t last = last_page(kLayersPerHalf - 1, state().has_source ? 1 : 0);
  const std::int64_t last_of_half = last_page(kLayersPerHalf - 1, state().half);
  const auto refuse_from = [this](std::int64_t from, std::int64_t to) {
    shadow().visit_pages(from, [to](std::int64_t number, auto) -> bool {
      if (number <= to) misplaced(number);
      return false;
    });
  };
  refuse_from(INT64_MIN, -1);
  refuse_from(last_page(layers - 1) + 1, last_of_half);
  refuse_from(last + 1, INT64_MAX);
}

// Rows whose panes are all too old are ignored anyway, and removed keys can leave rows of zeros behind.
void Operation::drop_idle_pages() {
  for (std::size_t i = 0; i < state().layers.size(); ++i) {
    std::vector<std::int64_t> idle;
    visit_layer(i, [&](std::uint64_t page, std::span<const std::byte> row) {
      const bool is_idle = state().window              ? generation_of(row) < panes().oldest()
                           : table_.filters[i].grows() ? keys_of(row) == 0
                                                       : count_bits(payload_of(row)) == 0;
      if (is_idle) idle.push_back(first_page(i) + static_cast<std::int64_t>(page));
    });
    for (const std::int64_t number : idle) shadow().erase_pages(number, number);
  }
}

void Operation::replace(std::uint64_t capacity, const std::function<void(Operation& fresh)>& fill) {
  const unsigned old_half = state().half;
  TableSpec spec{state().spec, std::nullopt, true};
  spec.filter.capacity = capacity;
  TableState planned = plan_table(spec, shadow().row_room());
  planned.half = 1 - old_half;
  erase_half(planned.half);  // what a rebuild left there that failed
  shadow().write_meta(kNextStateRow, to_text(planned));
  FilterTable next(shadow(), kNextStateRow);
  Operation fresh(next);
  fill(fresh);
  save(fresh.state());  // from here on, the new keys count
  shadow().erase_meta(kNextStateRow);
  erase_half(old_half);
}

}  // namespace crivo::sqlite
