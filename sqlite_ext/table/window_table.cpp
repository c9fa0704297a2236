#include "table/window_table.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "crivo/host/bytes.h"
#include "crivo/host/sizing.h"
#include "values/boundary.h"

namespace crivo::sqlite {
namespace {

/// The different keys in a pane of which so many bits are set, estimated.
std::uint64_t keys_of_bits(const PagedFilter& pane, std::uint64_t set) {
  const auto blocks = static_cast<double>(pane.shape().units);
  const double most = blocks * kBlockBits - 1;  // with all bits set, there could be any number of keys
  const double keys = blocked_cardinality(blocks, std::min(static_cast<double>(set), most), pane.shape().probes);
  return static_cast<std::uint64_t>(std::llround(keys));
}

}  // namespace

Panes WindowTable::panes() {
  const Window& window = *state_.window;
  // A probe sees that a pane has passed, whether or not anybody has written so.
  const std::uint64_t newest = window.manual ? window.generation : window.generation_at(time_now(shadow_.db()));
  return {window.kept_panes(), newest};
}

// A key that an older pane has goes into the newest pane, too, or it would be lost with the older one.
bool WindowTable::add_hash(std::uint64_t hash, bool) {
  const Panes now = panes();
  raise_generation(now.newest);  // before anything refers to the filters: they are made anew with the state
  PageRows rows(shadow_, filters_.front(), first_page(0), now);
  const bool is_new = !rows.contain(hash);
  if (rows.add(hash, false)) rows.store();
  return is_new;
}

// Before a row is of this generation (W2).
void WindowTable::raise_generation(std::uint64_t generation) {
  if (state_.window->generation >= generation) return;
  TableState later = state_;
  later.window->generation = generation;
  save(later);
}

void WindowTable::advance(sqlite3_value* time) {
  TableState later = state();
  // A time ahead of SQLite's would keep every key until SQLite's has caught up.
  if (!later.window->manual) throw SqlError{"op advance must go to a window with clock=manual, got one with clock=now"};
  later.window->advance(read_time(shadow_.db(), time));
  if (later != state_) save(later);
}

AnyFilter WindowTable::snapshot(std::optional<std::uint64_t> pane, std::uint64_t max_bytes) {
  const std::string panes_from_0 = "an integer from 0 (the newest) to " + std::to_string(state().window->panes);
  if (!pane) {
    throw SqlError{"pane must be given for a table with a window, whose snapshot as a whole would never forget: " +
                   panes_from_0 + ", got none"};
  }
  const Panes kept = panes();
  if (*pane >= kept.count) throw SqlError{"pane must be " + panes_from_0 + ", got " + std::to_string(*pane)};
  const std::uint64_t age = *pane;
  const PagedFilter& filter = filters_.front();
  require_payload_fits(filter.payload_bytes(), max_bytes);
  AlignedBytes payload(static_cast<std::size_t>(filter.payload_bytes()));
  visit_layer(0, [&](std::uint64_t page, std::span<const std::byte> row) {
    if (kept.newest < age || generation_of(row) < kept.newest - age) return;
    const std::size_t bytes = filter.bytes_of(page);
    const auto bits = payload_of(row).subspan(kept.place(kept.newest - age) * bytes, bytes);
    std::ranges::copy(bits, payload.begin() + static_cast<std::ptrdiff_t>(page * state_.page_bytes));
  });
  const FilterSpec spec = state_.pane_spec();
  const Facts facts{
      .keys = keys_of_bits(filter, count_bits(payload)), .capacity = spec.capacity, .fp_rate = spec.fp_rate};
  return unwrap(AnyFilter::adopt(filter.shape(), facts, std::move(payload), max_bytes));
}

// A row's count cannot be divided among its panes.
Inventory WindowTable::inventory() {
  Inventory found = FilterTable::inventory();
  for (const std::uint64_t bits : found.pane_bits) found.pane_keys.push_back(keys_of_bits(filters_.front(), bits));
  found.keys = std::accumulate(found.pane_keys.begin(), found.pane_keys.end(), std::uint64_t{0});
  return found;
}

// Such pages are ignored anyway.
bool WindowTable::is_idle(std::span<const std::byte> row) { return generation_of(row) < panes().oldest(); }

}  // namespace crivo::sqlite
