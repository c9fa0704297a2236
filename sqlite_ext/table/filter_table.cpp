#include "table/filter_table.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "crivo/hash.h"
#include "crivo/host/bytes.h"
#include "crivo/host/scalable_layers.h"
#include "crivo/kinds.h"
#include "values/time.h"

namespace crivo::sqlite {
namespace {

[[noreturn]] void refuse_page(std::int64_t number) {
  throw HostError{SQLITE_CORRUPT_VTAB,
                  "page " + std::to_string(number) + " in table _pages must belong to a layer, got none"};
}

/// The text of the state in this row of _meta.
std::string stored_state(ShadowTables& shadow, std::string_view row) {
  if (std::optional<std::string> text = shadow.read_meta(row)) return *std::move(text);
  throw HostError{SQLITE_CORRUPT_VTAB, "table _meta must have a text as its row '" + std::string(row) + "', got none"};
}

/// When the pages in memory reach this size, the changed pages are stored.
constexpr std::size_t kMaxChangedBytes = std::size_t{16} << 20;

/// Resets the clock of a table that has no keys.
void reset_clock(TableState& state, sqlite3* db) {
  if (!state.clock) return;
  state.clock->generation = 0;
  state.clock->first_pane = state.is_manual ? -1 : time_now(db) / state.clock->pane_length;
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
  TableState state = plan_table(spec, shadow.max_row_bytes());
  reset_clock(state, shadow.db());
  shadow.create();
  if (state.has_source) shadow.write_meta(kSourceRow, source);
  shadow.write_meta(kStateRow, to_text(state));
}

Operation::Operation(FilterTable& table) : table_(table) {
  read_state();
  if (state().clock && !state().is_manual) now_ = time_now(shadow().db());
  set_generation();
}

void Operation::set_generation() {
  const std::optional<PaneClock>& clock = state().clock;
  if (clock) table_.filters.front().set_generation(state().is_manual ? clock->generation : clock->generation_at(now_));
}

void Operation::read_state() {
  if (table_.text && shadow().meta_equals(table_.state_row, *table_.text)) return;
  std::string text = stored_state(shadow(), table_.state_row);
  TableState parsed = parse_state(text);
  if (parsed.has_source != shadow().read_meta(kSourceRow).has_value()) {
    throw HostError{
        SQLITE_CORRUPT_VTAB,
        "row 'source' in table _meta must exist if, and only if, the state has a source; it may be the state "
        "of another table"};
  }
  std::vector<PagedFilter> filters;
  for (std::size_t i = 0; i < parsed.layers.size(); ++i) filters.push_back(parsed.filter(i));
  // Nothing below throws, so text and state stay consistent.
  table_.state = std::move(parsed);
  table_.filters = std::move(filters);
  table_.text = std::move(text);
}

void Operation::save(const TableState& state) {
  const std::string text = to_text(state);
  shadow().write_meta(table_.state_row, text);
  read_state();
  // If a foreign trigger suppressed the write, a table that must grow would retry forever.
  if (table_.text != text)
    throw HostError{SQLITE_CORRUPT_VTAB, "table _meta must store every written row, got a write without effect"};
  set_generation();
}

// Queries the newest of these layers first, because it is the largest.
bool Operation::layers_contain(std::uint64_t hash, std::size_t layers) {
  for (std::size_t i = layers; i-- > 0;) {
    PageRows rows = rows_of(i);
    if (filter(i).may_contain_hash(hash, rows)) return true;
  }
  return false;
}

std::optional<std::uint64_t> Operation::find(std::string_view key) {
  const std::uint64_t hash = hash_key(key, state().spec.seed);
  return layers_contain(hash, table_.filters.size()) ? std::optional(hash) : std::nullopt;
}

std::optional<std::uint64_t> Operation::count(std::uint64_t hash) {
  PageRows rows = rows_of(0);
  const Result<std::uint64_t> count = filter(0).count_hash(hash, rows);
  return count.has_value() ? std::optional(*count) : std::nullopt;
}

bool Operation::add(std::string_view key, bool only_if_absent) {
  const std::uint64_t seed = state().spec.seed;
  require_no_source("key");
  // If keys can be removed, a key that may be present is added again, so that it is counted: the key may be a false
  // positive, and removing the keys that cause it would lose this key.
  return add_hash(hash_key(key, seed), only_if_absent && !can_remove(state().spec.kind));
}

void Operation::remove_row(std::uint64_t rowid) {
  const FilterSpec& spec = state().spec;
  require_no_source("DELETE");
  if (!can_remove(spec.kind)) {
    throw SqlError{"kind must be counting or growing to delete keys, got " + kind_text(spec) +
                   " (to remove all keys, insert 'clear' as op)"};
  }
  (void)unwrap(remove_hash(rowid));
}

Result<std::uint64_t> Operation::remove_hash(std::uint64_t hash) {
  PageRows rows = rows_of(0);
  Result<std::uint64_t> before = filter(0).remove_hash(hash, rows);
  if (before.has_value()) rows.store();
  return before;
}

bool Operation::add_hash(std::uint64_t hash, bool only_if_absent) {
  // W2: the state is saved before the first row of the new generation.
  if (state().clock && state().clock->generation < filter(0).layout().generation) {
    TableState later = state();
    later.clock->generation = filter(0).layout().generation;
    save(later);
  }
  if (layers_contain(hash, newest_layer())) return false;  // an older layer may have the key
  {
    PageRows rows = rows_of(newest_layer());
    if (const std::optional<Added> added = add_to_newest(rows, hash, only_if_absent)) {
      rows.store();
      if (added->is_crowded) split_page();
      return added->is_new;
    }
  }
  open_layer();
  return add_hash(hash, only_if_absent);
}

// This order maintains T1: no lookup reads the new page until the state has it, and the old page, which is rewritten
// last, has all its keys until then.
void Operation::split_page() {
  const PagedFilter larger = filter(0).with_a_page_more();
  PageRows rows(shadow(), table_.spare, larger, first_page(0));
  larger.split(rows);
  rows.store(larger.pages() - 1);
  TableState grown = state();
  grown.layers.front().units = larger.pages();
  save(grown);
  rows.store();
}

std::optional<Added> Operation::add_to_newest(PageRows& rows, std::uint64_t hash, bool only_if_absent) {
  const PagedFilter& newest = table_.filters.back();
  const std::uint64_t page = newest.page_of(hash);
  if (state().spec.kind != Kind::kScalable || !is_full(rows, page)) {
    const Added added = unwrap(newest.add_hash(hash, rows, only_if_absent));
    if (added.fills) check_capacity(rows, page);
    return added;
  }
  return newest.may_contain_hash(hash, rows) ? std::optional(Added{}) : std::nullopt;
}

// No total of keys is stored (see is_full), so the page of a new key is compared with its share.
void Operation::check_capacity(PageRows& rows, std::uint64_t page) {
  const PagedFilter& filter = this->filter(0);
  if (state().spec.kind == Kind::kScalable || filter.grows() || (table_.has_warned && !state().full_is_error)) return;
  const std::uint64_t capacity = state().pane_spec().capacity;
  if (!is_over_full(filter, capacity, page, *rows.read(page))) return;
  const std::string most = std::to_string(capacity) + (state().clock ? " in a pane" : "");
  if (state().full_is_error) {
    throw SqlError{"keys must be at most " + most + " (on_full=error), got more; create a larger table"};
  }
  table_.has_warned = true;
  sqlite3_log(SQLITE_WARNING,
              "crivo: %s.%s has more keys than its capacity of %s; its false-positive rate exceeds fp_rate",
              shadow().schema().c_str(), shadow().table().c_str(), most.c_str());
}

// A layer of a scalable table is full when a page has its share of the keys. No total is stored, because updating a
// total would make every addition change a second page. The shares are sufficient: if a layer had more keys than it was
// sized for, some page would have more than its share. So no layer gets too many keys. Because keys spread unevenly, a
// layer gets up to 8% fewer keys than it was sized for.
bool Operation::is_full(PageRows& rows, std::uint64_t page) const {
  const Page* stored = rows.read(page);
  const auto newest = static_cast<unsigned>(newest_layer());
  const std::uint64_t pages = filter(newest).pages();  // all pages have the same size
  return stored != nullptr && stored->keys >= (scalable_layer_capacity(state().spec, newest) + pages - 1) / pages;
}

void Operation::open_layer() {
  TableState grown = state();
  add_layer(grown);
  save(grown);
}

void Operation::add_hashes(std::span<std::uint64_t> hashes) {
  std::ranges::sort(hashes, {}, [this](std::uint64_t hash) { return table_.filters.back().page_of(hash); });
  for (auto next = hashes.begin(); next != hashes.end();) {
    std::optional<Added> added = Added{};
    {
      PageRows rows = rows_of(newest_layer());
      while (next != hashes.end() && added && !added->is_crowded && rows.bytes() < kMaxChangedBytes) {
        added = layers_contain(*next, newest_layer()) ? Added{} : add_to_newest(rows, *next, false);
        if (added) ++next;
      }
      rows.store();
    }
    if (!added) open_layer();
    if (added && added->is_crowded) split_page();
  }
}

void Operation::advance(sqlite3_value* time) {
  TableState later = state();
  if (!later.clock) throw SqlError{"table must have a window for op advance, got no window"};
  // A manual time ahead of SQLite's clock would retain every key until that clock catches up.
  if (!later.is_manual) throw SqlError{"clock must be manual for op advance, got now"};
  later.clock->advance(read_time(shadow().db(), time, "arg"));
  if (later != state()) save(later);
}

void Operation::merge(const FilterRef& other) {
  const Kind kind = state().spec.kind;
  if (state().clock) throw SqlError{"table must have no window for op union, got a window"};
  require_no_source("op union");
  if (kind != Kind::kBlocked && kind != Kind::kCounting) {
    throw SqlError{"kind must be blocked or counting for op union, got " + kind_text(state().spec)};
  }
  const PagedFilter& filter = this->filter(0);
  require_same_shape(filter.shape(), other.shape());
  const auto keys = static_cast<double>(std::min(other.facts().keys, kMaxCapacity));
  const auto all_bits = static_cast<double>(count_bits(other.payload()));
  double bits_before = 0;
  for (std::uint64_t page = 0; page < filter.pages(); ++page) {
    const auto bytes =
        other.payload().subspan(static_cast<std::size_t>(page * state().page_bytes), filter.bytes_of(page));
    const auto bits = static_cast<double>(count_bits(bytes));
    if (bits == 0) continue;
    PageRows rows = rows_of(0);
    Page& united = rows.write(page);
    filter.unite_page(page, united.bytes, bytes.data());
    // The page's share of the keys is proportional to its bits. Rounding preserves the total number of keys.
    const std::int64_t until = std::llround(keys * ((bits_before + bits) / all_bits));
    united.keys += static_cast<std::uint64_t>(until - std::llround(keys * (bits_before / all_bits)));
    check_capacity(rows, page);
    bits_before += bits;
    rows.store();
  }
}

void Operation::clear() {
  TableState cleared = state();
  require_no_source("op clear");
  cleared.layers.resize(1);
  if (filter(0).grows()) cleared.layers.front().units = 1;
  reset_clock(cleared, shadow().db());  // before any change, because reading the clock can fail
  shadow().erase_pages(0, INT64_MAX);
  if (cleared != state()) save(cleared);
}

void Operation::require_no_source(std::string_view what) const {
  if (!state().has_source) return;
  throw SqlError{std::string(what) +
                 " must not be used on a table with a source; change the source's column, and the filter "
                 "follows"};
}

void Operation::visit_layer(std::size_t layer, const PageVisitor& visit) {
  const PagedFilter& filter = this->filter(layer);
  const std::int64_t first = first_page(layer);
  PageRow row;
  shadow().visit_pages(first, [&](std::int64_t number, std::span<const std::byte> stored) {
    if (number > last_page(layer)) return false;
    const auto page = static_cast<std::uint64_t>(number - first);
    if (filter.grows() && page == filter.pages()) return true;  // left by a split that failed before it saved the state
    if (page >= filter.pages()) refuse_page(number);
    row.load(stored, number, filter, page);
    visit(page, row.page, stored.size());
    return true;
  });
}

void Operation::check() {
  const std::size_t layers = state().layers.size();
  for (std::size_t i = 0; i < layers; ++i) visit_layer(i, [](std::uint64_t, const Page&, std::size_t) {});
  // In a table with a source, a failed rebuild may have left pages in the other half.
  const std::int64_t last = last_page(kLayersPerHalf - 1, state().has_source ? 1 : 0);
  const std::int64_t last_of_half = last_page(kLayersPerHalf - 1, state().half);
  const auto refuse_from = [this](std::int64_t from, std::int64_t to) {
    shadow().visit_pages(from, [to](std::int64_t number, auto) -> bool {
      if (number <= to) refuse_page(number);
      return false;
    });
  };
  refuse_from(INT64_MIN, -1);
  refuse_from(last_page(layers - 1) + 1, last_of_half);
  refuse_from(last + 1, INT64_MAX);
}

// Queries ignore rows whose panes have all expired. Removed keys can leave rows without keys.
void Operation::drop_idle_pages() {
  for (std::size_t i = 0; i < state().layers.size(); ++i) {
    std::vector<std::int64_t> idle;
    const PagedFilter& filter = this->filter(i);
    visit_layer(i, [&](std::uint64_t page, const Page& stored, std::size_t) {
      if (filter.is_idle(page, stored)) idle.push_back(first_page(i) + static_cast<std::int64_t>(page));
    });
    for (const std::int64_t number : idle) shadow().erase_pages(number, number);
  }
}

void Operation::replace(std::uint64_t capacity, const std::function<void(Operation& fresh)>& fill) {
  const unsigned old_half = state().half;
  TableSpec wanted;
  wanted.spec = state().spec;
  wanted.spec.capacity = capacity;
  wanted.has_source = true;
  TableState planned = plan_table(wanted, shadow().max_row_bytes());
  planned.half = 1 - old_half;
  erase_half(planned.half);  // may contain pages of a failed rebuild
  shadow().write_meta(kNextStateRow, to_text(planned));
  FilterTable next(shadow(), kNextStateRow);
  Operation fresh(next);
  fill(fresh);
  save(fresh.state());  // from here on, queries read the new keys
  shadow().erase_meta(kNextStateRow);
  erase_half(old_half);
}

}  // namespace crivo::sqlite
