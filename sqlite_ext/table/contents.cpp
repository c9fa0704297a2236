#include "table/contents.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "crivo/host/bytes.h"
#include "crivo/host/growing_snapshot.h"
#include "crivo/host/scalable_layers.h"
#include "crivo/host/sizing.h"
#include "crivo/host/window.h"

namespace crivo::sqlite {
namespace {

/// How full a filter is whose pages come one by one.
class Fill {
 public:
  explicit Fill(const PagedFilter& filter) : filter_(&filter), has_blocks_(filter.shape().kind != Kind::kSpectral) {}

  void add(std::uint64_t number, std::span<const std::byte> page) {
    if (filter_->grows()) {
      const Stats stats = filter_->page_stats(number, page.data());
      bits_set_ += stats.bits_set;
      rates_ += (1 - rates_) * stats.current_fp_rate;
      return;
    }
    const Stats stats = page_filter(*filter_, page).stats();
    bits_set_ += stats.bits_set;
    rates_ += stats.current_fp_rate * static_cast<double>(page.size());
  }

  [[nodiscard]] std::uint64_t bits_set() const noexcept { return bits_set_; }
  /// The mean of the pages' rates where a key lies in one of them; a counter of `spectral` may be anywhere.
  [[nodiscard]] double fp_rate() const noexcept {
    if (filter_->grows()) return rates_;
    if (has_blocks_) return rates_ / static_cast<double>(filter_->payload_bytes());
    const double fill = static_cast<double>(bits_set_) / static_cast<double>(filter_->shape().units);
    double rate = 1;
    for (unsigned i = 0; i < filter_->shape().k; ++i) rate *= fill;
    return rate;
  }

 private:
  const PagedFilter* filter_;
  bool has_blocks_;
  std::uint64_t bits_set_ = 0;
  double rates_ = 0;
};

/// The different keys in a pane of which so many bits are set, estimated.
std::uint64_t keys_of_bits(const PagedFilter& pane, std::uint64_t set) {
  const auto blocks = static_cast<double>(pane.shape().units);
  const double most = blocks * kBlockBits - 1;  // with all bits set, there could be any number of keys
  const double keys = blocked_cardinality(blocks, std::min(static_cast<double>(set), most), pane.shape().k);
  return static_cast<std::uint64_t>(std::llround(keys));
}

AnyFilter growing_snapshot(Operation& table, std::uint64_t max_bytes) {
  const TableState& state = table.state();
  GrowingSnapshot snapshot(table.filter(0));
  Facts facts{.keys = 0, .capacity = state.spec.capacity, .fp_rate = state.spec.fp_rate};
  table.visit_layer(0, [&](std::uint64_t page, std::span<const std::byte> row) {
    snapshot.count(page, whole_page(table.filter(0), page, row).data());
    facts.keys += keys_of(row);
  });
  require_payload_fits(snapshot.payload_bytes(), max_bytes);
  table.visit_layer(0, [&](std::uint64_t page, std::span<const std::byte> row) {
    snapshot.take(page, whole_page(table.filter(0), page, row).data());
  });
  return unwrap(snapshot.finish(facts, max_bytes));
}

AnyFilter whole_snapshot(Operation& table, std::uint64_t max_bytes) {
  const TableState& state = table.state();
  if (table.filter(0).grows()) return growing_snapshot(table, max_bytes);
  std::vector<ScalableLayer> layers;
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < state.layers.size(); ++i) {
    std::uint64_t keys = 0;
    table.visit_layer(i, [&](std::uint64_t, std::span<const std::byte> row) { keys += keys_of(row); });
    layers.push_back({state.layers[i].units, state.layers[i].probes, keys});
    bytes += table.filter(i).payload_bytes();
  }
  const bool scalable = state.spec.kind == Kind::kScalable;
  const Shape shape = scalable ? scalable_shape(state.spec, layers) : table.filter(0).shape();
  if (scalable) bytes = shape.units * (kBlockBits / 8);
  require_payload_fits(bytes, max_bytes);
  AlignedBytes payload =
      scalable ? scalable_payload(state.spec, layers) : AlignedBytes(static_cast<std::size_t>(bytes));
  std::uint64_t end = payload.size();
  Facts facts{.keys = 0, .capacity = state.spec.capacity, .fp_rate = state.spec.fp_rate};
  for (std::size_t i = layers.size(); i-- > 0;) {
    end -= table.filter(i).payload_bytes();
    facts.keys += layers[i].keys;
    table.visit_layer(i, [&](std::uint64_t page, std::span<const std::byte> row) {
      std::ranges::copy(payload_of(row), payload.begin() + static_cast<std::ptrdiff_t>(end + page * state.page_bytes));
    });
  }
  return unwrap(AnyFilter::adopt(shape, facts, std::move(payload), max_bytes));
}

/// Calls visit(first block, bits, generation) for each pane of each stored page that is not too old.
template <class Visit>
void visit_panes(Operation& table, const Visit& visit) {
  const Panes kept = table.panes();
  const PagedFilter& filter = table.filter(0);
  const std::uint64_t blocks_in_page = table.state().page_bytes / (kBlockBits / 8);
  table.visit_layer(0, [&](std::uint64_t page, std::span<const std::byte> row) {
    const std::size_t bytes = filter.bytes_of(page);
    for (std::uint64_t pane = kept.oldest(); pane <= generation_of(row); ++pane) {
      visit(page * blocks_in_page, payload_of(row).subspan(kept.place(pane) * bytes, bytes), pane);
    }
  });
}

/// All panes, as a filter of the kind window.
AnyFilter window_snapshot(Operation& table, std::uint64_t max_bytes) {
  constexpr std::size_t kBlock = kBlockBits / 8;
  const TableState& state = table.state();
  Shape shape = table.filter(0).shape();
  shape.kind = Kind::kWindow;
  shape.param = static_cast<std::uint16_t>(state.window->panes);
  require_payload_fits(window_payload_bytes(shape), max_bytes);
  AlignedBytes payload(static_cast<std::size_t>(window_payload_bytes(shape)));
  Window window = static_cast<const Window&>(*state.window);
  window.generation = table.panes().newest;
  write_window(payload.data(), window);
  std::vector<std::uint64_t> pane_bits(window.kept_panes());
  visit_panes(table, [&](std::uint64_t first, std::span<const std::byte> bits, std::uint64_t pane) {
    for (std::size_t at = 0; at < bits.size(); at += kBlock) {
      std::byte* block = block_of_pane(shape, payload.data(), first + at / kBlock, window.place(pane));
      std::ranges::copy(bits.subspan(at, kBlock), block);
    }
    pane_bits[window.place(pane)] += count_bits(bits);
  });
  Facts facts{.keys = 0, .capacity = state.spec.capacity, .fp_rate = state.spec.fp_rate};
  for (const std::uint64_t bits : pane_bits) facts.keys += keys_of_bits(table.filter(0), bits);
  return unwrap(AnyFilter::adopt(shape, facts, std::move(payload), max_bytes));
}

AnyFilter pane_snapshot(Operation& table, std::uint64_t age, std::uint64_t max_bytes) {
  const TableState& state = table.state();
  const Panes kept = table.panes();
  if (age >= kept.count) {
    throw SqlError{"pane must be an integer from 0 (the newest) to " + std::to_string(kept.count - 1) + ", got " +
                   std::to_string(age)};
  }
  const PagedFilter& filter = table.filter(0);
  require_payload_fits(filter.payload_bytes(), max_bytes);
  AlignedBytes payload(static_cast<std::size_t>(filter.payload_bytes()));
  visit_panes(table, [&](std::uint64_t first, std::span<const std::byte> bits, std::uint64_t pane) {
    if (pane + age != kept.newest) return;
    std::ranges::copy(bits, payload.begin() + static_cast<std::ptrdiff_t>(first * (kBlockBits / 8)));
  });
  const FilterSpec spec = state.pane_spec();
  const Facts facts{
      .keys = keys_of_bits(filter, count_bits(payload)), .capacity = spec.capacity, .fp_rate = spec.fp_rate};
  return unwrap(AnyFilter::adopt(filter.shape(), facts, std::move(payload), max_bytes));
}

}  // namespace

Inventory take_inventory(Operation& table) {
  Inventory found;
  for (std::size_t i = 0; i < table.state().layers.size(); ++i) {
    const PagedFilter& filter = table.filter(i);
    const Panes kept = table.panes();
    std::vector<Fill> fills(kept.count, Fill(filter));
    found.pages += filter.pages();
    table.visit_layer(i, [&](std::uint64_t page, std::span<const std::byte> row) {
      found.keys += keys_of(row);
      ++found.stored_pages;
      found.row_bytes += row.size();
      if (filter.grows()) return fills.front().add(page, whole_page(filter, page, row));
      const std::size_t bytes = filter.bytes_of(page);
      for (std::uint64_t age = 0; age < kept.count && age <= kept.newest; ++age) {
        if (generation_of(row) < kept.newest - age) continue;
        fills[age].add(page, payload_of(row).subspan(kept.place(kept.newest - age) * bytes, bytes));
      }
    });
    for (const Fill& fill : fills) {
      found.pane_bits.push_back(fill.bits_set());
      found.current_fp_rate += (1 - found.current_fp_rate) * fill.fp_rate();
    }
  }
  if (table.state().window) {  // a row's count cannot be divided among its panes
    for (const std::uint64_t bits : found.pane_bits) found.pane_keys.push_back(keys_of_bits(table.filter(0), bits));
    found.keys = std::accumulate(found.pane_keys.begin(), found.pane_keys.end(), std::uint64_t{0});
  }
  return found;
}

AnyFilter snapshot(Operation& table, std::optional<std::uint64_t> pane, std::uint64_t max_bytes) {
  if (table.state().window) return pane ? pane_snapshot(table, *pane, max_bytes) : window_snapshot(table, max_bytes);
  if (pane) throw SqlError{"pane must be left out for a table without a window, got " + std::to_string(*pane)};
  return whole_snapshot(table, max_bytes);
}

}  // namespace crivo::sqlite
