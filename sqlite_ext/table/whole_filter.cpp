// The operations of a filter table that pass over all of its pages.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "crivo/host/scalable_layers.h"
#include "table/filter_table.h"
#include "values/boundary.h"

namespace crivo::sqlite {
namespace {

template <class A, class B>
void require_equal(std::string_view field, const A& ours, const B& theirs) {
  if (ours == theirs) return;
  throw SqlError{std::string(field) + " must equal the table's " + std::to_string(ours) + ", got " +
                 std::to_string(theirs) + "; create both with the same capacity, fpr, kind and seed"};
}

void require_same_shape(const Shape& ours, const Shape& theirs) {
  if (ours.kind != theirs.kind) {
    throw SqlError{"kind must equal the table's " + std::string(kind_name(ours.kind)) + ", got " +
                   std::string(kind_name(theirs.kind))};
  }
  require_equal("seed", static_cast<std::int64_t>(ours.seed), static_cast<std::int64_t>(theirs.seed));
  require_equal("k", unsigned{ours.probes}, unsigned{theirs.probes});
  require_equal("number of blocks", ours.units, theirs.units);
}

bool is_zero(std::span<const std::byte> bytes) noexcept {
  return std::ranges::all_of(bytes, [](std::byte byte) { return byte == std::byte{0}; });
}

[[noreturn]] void misplaced(std::int64_t number) {
  throw HostError{SQLITE_CORRUPT_VTAB,
                  "page " + std::to_string(number) + " in table _pages must lie in a layer, got one outside"};
}

}  // namespace

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

std::uint64_t FilterTable::keys_in(std::size_t layer) {
  std::uint64_t keys = 0;
  visit_layer(layer, [&](std::uint64_t, std::span<const std::byte> row) { keys += keys_of(row); });
  return keys;
}

std::uint64_t FilterTable::pages() {
  (void)state();
  std::uint64_t pages = 0;
  for (const PagedFilter& filter : filters_) pages += filter.pages();
  return pages;
}

Inventory FilterTable::inventory() {
  Inventory found;
  for (std::size_t i = 0; i < state().layers.size(); ++i) {
    visit_layer(i, [&](std::uint64_t, std::span<const std::byte> row) {
      found.keys += keys_of(row);
      ++found.pages;
      found.row_bytes += row.size();
    });
  }
  if (!state_.window) return found;
  found.pane_keys = pane_keys();
  found.keys = std::accumulate(found.pane_keys.begin(), found.pane_keys.end(), std::uint64_t{0});
  return found;
}

void FilterTable::merge(const FilterRef& other) {
  if (state().window) throw SqlError{"op merge must go to a table without a window, got one with a window"};
  require_no_source("op merge");
  if (state().spec.kind != Kind::kBlocked && state_.spec.kind != Kind::kCounting) {
    throw SqlError{"kind of a table that merges must be one of blocked, counting, got " + kind_text(state_.spec)};
  }
  const PagedFilter& filter = filters_.front();
  require_same_shape(filter.shape(), other.shape());
  const auto keys = static_cast<double>(std::min(other.facts().keys, kMaxCapacity));
  const auto all_bits = static_cast<double>(count_bits(other.payload()));
  double bits_before = 0;
  for (std::uint64_t page = 0; page < filter.pages(); ++page) {
    const auto bytes =
        other.payload().subspan(static_cast<std::size_t>(page * state_.page_bytes), filter.bytes_of(page));
    const auto bits = static_cast<double>(count_bits(bytes));
    if (bits == 0) continue;
    PageRows rows = rows_of(0);
    filter.unite_page(page, rows.write(page), bytes.data());
    // The page's share of the keys goes by its bits. The shares are rounded so that their sum is the number of keys.
    const std::int64_t until = std::llround(keys * ((bits_before + bits) / all_bits));
    rows.count_keys(page, until - std::llround(keys * (bits_before / all_bits)));
    bits_before += bits;
    rows.store();
  }
}

AnyFilter FilterTable::snapshot(std::uint64_t max_bytes) {
  if (state().window) {
    throw SqlError{
        "pane must be given for a table with a window, whose snapshot as a whole would never forget: an "
        "integer from 0 (the newest) to " +
        std::to_string(state_.window->panes) + ", got none"};
  }
  std::vector<ScalableLayer> layers;
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < state().layers.size(); ++i) {
    layers.push_back({state_.layers[i].units, state_.layers[i].probes, keys_in(i)});
    bytes += filters_[i].payload_bytes();
  }
  const bool scalable = state_.spec.kind == Kind::kScalable;
  const Shape shape = scalable ? scalable_shape(state_.spec, layers) : filters_.front().shape();
  if (scalable) bytes = shape.units * (kBlockBits / 8);
  require_payload_fits(bytes, max_bytes);
  AlignedBytes payload =
      scalable ? scalable_payload(state_.spec, layers) : AlignedBytes(static_cast<std::size_t>(bytes));
  std::uint64_t end = payload.size();
  Facts facts{.keys = 0, .capacity = state_.spec.capacity, .fp_rate = state_.spec.fp_rate};
  for (std::size_t i = layers.size(); i-- > 0;) {
    end -= filters_[i].payload_bytes();
    facts.keys += layers[i].keys;
    visit_layer(i, [&](std::uint64_t page, std::span<const std::byte> row) {
      std::ranges::copy(payload_of(row), payload.begin() + static_cast<std::ptrdiff_t>(end + page * state_.page_bytes));
    });
  }
  return unwrap(AnyFilter::adopt(shape, facts, std::move(payload), max_bytes));
}

void FilterTable::erase_pages_if(std::size_t layer,
                                 const std::function<bool(std::span<const std::byte> row)>& is_idle) {
  std::vector<std::int64_t> idle;
  visit_layer(layer, [&](std::uint64_t page, std::span<const std::byte> row) {
    if (is_idle(row)) idle.push_back(first_page(layer) + static_cast<std::int64_t>(page));
  });
  for (const std::int64_t number : idle) shadow_.erase_pages(number, number);
}

// Removed keys can leave pages of zeros behind. Pages of which all panes have passed are ignored anyway. In both cases
// only their space is won.
void FilterTable::rebuild() {
  const std::size_t layers = state().layers.size();
  const std::uint64_t oldest = panes().oldest();
  for (std::size_t i = 0; i < layers; ++i) {
    erase_pages_if(i, [&](std::span<const std::byte> row) {
      return state_.window ? generation_of(row) < oldest : is_zero(payload_of(row));
    });
  }
}

}  // namespace crivo::sqlite
