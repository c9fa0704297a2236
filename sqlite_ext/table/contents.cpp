#include "table/contents.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "crivo/host/bytes.h"
#include "crivo/host/paged_snapshot.h"
#include "crivo/host/scalable_layers.h"
#include "crivo/host/sizing.h"
#include "crivo/host/window.h"
#include "values/filter_argument.h"

namespace crivo::sqlite {
namespace {

/// The number of stored panes; 1 without a window.
std::uint32_t panes_of(const TableState& state) noexcept { return state.clock ? state.clock->stored_panes() : 1; }

/// The shape of one pane of a window; without a window, the filter's shape.
Shape pane_shape(const PagedFilter& filter) noexcept {
  Shape shape = filter.shape();
  if (shape.kind != Kind::kWindow) return shape;
  shape.kind = Kind::kBlocked;
  shape.param = 0;
  return shape;
}

/// Computes the fill and the rate of a filter, or of a pane of a window, page by page.
class Fill {
 public:
  explicit Fill(const PagedFilter& filter) : filter_(&filter), has_blocks_(filter.shape().kind != Kind::kSpectral) {}

  /// Adds a page, or a pane of a page.
  void add(std::uint64_t number, std::span<const std::byte> page) {
    if (filter_->grows()) {
      const Stats stats = filter_->page_stats(number, page.data());
      bits_set_ += stats.bits_set;
      cardinality_ += *stats.cardinality;
      rates_ += (1 - rates_) * stats.current_fp_rate;
      return;
    }
    const Stats stats = sub_filter(pane_shape(*filter_), page).stats();
    bits_set_ += stats.bits_set;
    cardinality_ += stats.cardinality.value_or(HUGE_VAL);
    rates_ += stats.current_fp_rate * static_cast<double>(page.size());
  }

  [[nodiscard]] std::uint64_t bits_set() const noexcept { return bits_set_; }
  [[nodiscard]] double cardinality() const noexcept { return cardinality_; }
  /// The mean of the pages' rates, weighted by size. For `growing`, the probability that any page matches. For
  /// `spectral`, the rate is computed from the fill of the whole filter, because the counters of a key can be in
  /// different pages.
  [[nodiscard]] double fp_rate(std::uint32_t panes) const noexcept {
    if (filter_->grows()) return rates_;
    if (has_blocks_) {
      const std::uint64_t bytes_of_pane = filter_->payload_bytes() / panes;
      return rates_ / static_cast<double>(bytes_of_pane);
    }
    const double fill = static_cast<double>(bits_set_) / static_cast<double>(filter_->shape().units);
    double rate = 1;
    for (unsigned i = 0; i < filter_->shape().k; ++i) rate *= fill;
    return rate;
  }

 private:
  const PagedFilter* filter_;
  bool has_blocks_;
  std::uint64_t bits_set_ = 0;
  double cardinality_ = 0;
  double rates_ = 0;
};

/// Estimates the number of different keys in a pane with this number of bits set.
std::uint64_t keys_of_bits(const PagedFilter& filter, std::uint64_t set) {
  const auto blocks = static_cast<double>(filter.shape().units);
  const double most = blocks * kBlockBits - 1;  // with all bits set, the estimate would be infinite
  const double keys = blocked_cardinality(blocks, std::min(static_cast<double>(set), most), filter.shape().k);
  return static_cast<std::uint64_t>(std::llround(keys));
}

/// Calls visit(age, pane) for each unexpired pane of a stored page; age 0 is the newest. Without a window: one pane.
template <class Visit>
void visit_panes(const PagedFilter& filter, std::uint32_t panes, std::uint64_t page, const Page& stored,
                 const Visit& visit) {
  const std::uint64_t newest = filter.layout().generation;
  const std::size_t bytes = filter.bytes_of(page) / panes;
  for (std::uint64_t age = newest - stored.generation; age < panes && age <= newest; ++age) {
    visit(age, std::span<const std::byte>(stored.bytes + (newest - age) % panes * bytes, bytes));
  }
}

AnyFilter scalable_snapshot(Operation& table, std::uint64_t max_bytes) {
  const TableState& state = table.state();
  std::vector<ScalableLayer> layers;
  Facts facts{.keys = 0, .capacity = state.spec.capacity, .fp_rate = state.spec.fp_rate};
  for (std::size_t i = 0; i < state.layers.size(); ++i) {
    std::uint64_t keys = 0;
    table.visit_layer(i, [&](std::uint64_t, const Page& stored, std::size_t) { keys += stored.keys; });
    layers.push_back({state.layers[i].units, state.layers[i].probes, keys});
    facts.keys += keys;
  }
  const Shape shape = scalable_shape(state.spec, layers);
  require_payload_fits(shape.units * (kBlockBits / 8), max_bytes);
  AlignedBytes payload = scalable_payload(state.spec, layers);
  std::byte* end = payload.data() + payload.size();
  for (std::size_t i = layers.size(); i-- > 0;) {
    const PagedFilter& filter = table.filter(i);
    end -= filter.payload_bytes();
    table.visit_layer(i, [&](std::uint64_t page, const Page& stored, std::size_t) {
      std::copy_n(stored.bytes, filter.bytes_of(page), end + page * state.page_bytes);
    });
  }
  return unwrap(AnyFilter::adopt(shape, facts, std::move(payload), max_bytes));
}

AnyFilter whole_snapshot(Operation& table, std::uint64_t max_bytes) {
  const TableState& state = table.state();
  if (state.spec.kind == Kind::kScalable) return scalable_snapshot(table, max_bytes);
  const PagedFilter& filter = table.filter(0);
  PagedSnapshot snapshot(filter);
  Facts facts{.keys = 0, .capacity = state.spec.capacity, .fp_rate = state.spec.fp_rate};
  std::vector<std::uint64_t> pane_bits(panes_of(state));
  table.visit_layer(0, [&](std::uint64_t page, const Page& stored, std::size_t) {
    snapshot.count(page, stored);
    facts.keys += stored.keys;
    if (!state.clock) return;
    visit_panes(filter, panes_of(state), page, stored,
                [&](std::uint64_t age, auto pane) { pane_bits[age] += count_bits(pane); });
  });
  require_payload_fits(snapshot.payload_bytes(), max_bytes);
  AlignedBytes& payload = snapshot.start();
  if (state.clock) {
    PaneClock clock = *state.clock;
    clock.generation = filter.layout().generation;
    write_clock(payload.data(), clock);
    facts.keys = 0;  // a page counts only the keys of its newest pane
    for (const std::uint64_t bits : pane_bits) facts.keys += keys_of_bits(filter, bits);
  }
  table.visit_layer(0, [&](std::uint64_t page, const Page& stored, std::size_t) { snapshot.put(page, stored); });
  return unwrap(snapshot.finish(facts, max_bytes));
}

AnyFilter pane_snapshot(Operation& table, std::uint64_t wanted, std::uint64_t max_bytes) {
  const TableState& state = table.state();
  const std::uint32_t panes = panes_of(state);
  if (wanted >= panes) {
    throw SqlError{"pane must be an integer from 0 (the newest) to " + std::to_string(panes - 1) + ", got " +
                   std::to_string(wanted)};
  }
  const PagedFilter& filter = table.filter(0);
  const Shape shape = pane_shape(filter);
  require_payload_fits(filter.payload_bytes() / panes, max_bytes);
  AlignedBytes payload(static_cast<std::size_t>(filter.payload_bytes() / panes));
  table.visit_layer(0, [&](std::uint64_t page, const Page& stored, std::size_t) {
    visit_panes(filter, panes, page, stored, [&](std::uint64_t age, auto pane) {
      if (age == wanted) std::ranges::copy(pane, payload.data() + page * state.page_bytes);
    });
  });
  const FilterSpec spec = state.pane_spec();
  const Facts facts{
      .keys = keys_of_bits(filter, count_bits(payload)), .capacity = spec.capacity, .fp_rate = spec.fp_rate};
  return unwrap(AnyFilter::adopt(shape, facts, std::move(payload), max_bytes));
}

}  // namespace

TableStatistics read_statistics(Operation& table) {
  TableStatistics found;
  const std::uint32_t panes = panes_of(table.state());
  for (std::size_t i = 0; i < table.state().layers.size(); ++i) {
    const PagedFilter& filter = table.filter(i);
    std::vector<Fill> fills(panes, Fill(filter));
    found.pages += filter.pages();
    table.visit_layer(i, [&](std::uint64_t page, const Page& stored, std::size_t row_bytes) {
      found.keys += stored.keys;
      ++found.stored_pages;
      found.row_bytes += row_bytes;
      visit_panes(filter, panes, page, stored, [&](std::uint64_t age, auto pane) { fills[age].add(page, pane); });
    });
    for (const Fill& fill : fills) {
      if (table.state().clock) found.pane_keys.push_back(keys_of_bits(filter, fill.bits_set()));
      found.current_fp_rate += (1 - found.current_fp_rate) * fill.fp_rate(panes);
      found.cardinality += fill.cardinality();
    }
  }
  if (table.state().clock) {  // a page counts only the keys of its newest pane
    found.keys = std::accumulate(found.pane_keys.begin(), found.pane_keys.end(), std::uint64_t{0});
  }
  return found;
}

AnyFilter snapshot(Operation& table, std::optional<std::uint64_t> pane, std::uint64_t max_bytes) {
  if (!pane) return whole_snapshot(table, max_bytes);
  if (table.state().clock) return pane_snapshot(table, *pane, max_bytes);
  throw SqlError{"pane must be omitted for a table without a window, got " + std::to_string(*pane)};
}

}  // namespace crivo::sqlite
