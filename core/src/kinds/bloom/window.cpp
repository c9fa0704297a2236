// The window: one blocked filter per pane of time. When time advances, the oldest pane is cleared, so that keys expire.
// A query tests the panes until one has the key. The blocks of a key in all panes are within 4 KiB (16 KiB with 256
// panes), and their reads overlap. Only advance() and clear() change the clock, so equal bytes always give equal
// answers. Papers: Chang, Li & Feng 2004, "Approximate caches for packet classification"; Yoon 2010, "Aging Bloom
// filter with two active buffers for dynamic sets". With two filters, keys expire after one to two windows; with n + 1
// filters, after at most 1 + 1/n windows.
#include "crivo/host/window.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>

#include "base/bit_array.h"
#include "base/error_text.h"
#include "base/portable.h"
#include "crivo/host/bytes.h"
#include "crivo/host/sizing.h"
#include "crivo/host/text.h"
#include "kinds/bloom/block.h"
#include "kinds/bloom/block_stats.h"
#include "kinds/bloom/kernels.h"
#include "kinds/bloom/shape.h"
#include "kinds/bloom/window_layout.h"
#include "kinds/isa.h"
#include "kinds/kind.h"
#include "kinds/prepared.h"
#include "kinds/probe_key.h"

namespace crivo {
namespace {

/// The blocks of one key, one per pane.
class KeyPlaces {
 public:
  KeyPlaces(const View& view, const PaneLayout& layout, std::uint64_t hash) noexcept
      : payload_(view.payload),
        place_(layout.place_of(mulhi(hash, view.shape.units))),
        stored_panes_(layout.stored_panes()) {}

  [[nodiscard]] std::uint64_t offset(std::uint32_t pane) const noexcept { return place_.in(pane); }
  void prefetch() const noexcept {
    for (std::uint32_t pane = 0; pane < stored_panes_; ++pane) __builtin_prefetch(payload_ + offset(pane));
  }
  /// Whether any pane has the key.
  [[nodiscard]] bool contain(const View& view, std::uint64_t hash) const noexcept {
    const auto in_block = kernels_in_use<BlockedKernels>().blocked.contains;
    View block{.shape = view.shape, .payload = nullptr, .payload_bytes = kBlockBytes};
    block.shape.units = 1;  // the kernel then selects this block
    for (std::uint32_t pane = 0; pane < stored_panes_; ++pane) {
      block.payload = payload_ + offset(pane);
      if (in_block(block, hash)) return true;
    }
    return false;
  }

 private:
  const std::byte* payload_;
  PaneLayout::Place place_;
  std::uint32_t stored_panes_;
};

bool contains(const View& view, std::uint64_t hash) noexcept {
  return KeyPlaces(view, prepared_of<PaneLayout>(view), hash).contain(view, hash);
}

void contains_batch(const View& view, const std::uint64_t* hashes, std::size_t count, bool* hits) noexcept {
  constexpr std::size_t kAhead = 4;  // keys, with one cache line per pane each
  const auto& layout = prepared_of<PaneLayout>(view);
  for (std::size_t i = 0; i < std::min(kAhead, count); ++i) KeyPlaces(view, layout, hashes[i]).prefetch();
  for (std::size_t i = 0; i < count; ++i) {
    if (i + kAhead < count) KeyPlaces(view, layout, hashes[i + kAhead]).prefetch();
    hits[i] = contains(view, hashes[i]);
  }
}

/// The fill of the panes: the number of bits set in each pane, and in their union.
struct PaneFill {
  std::array<std::uint64_t, kMaxPanes + 1> set{};
  std::uint64_t set_in_any = 0;
};

/// Adds a block's set bits to `fill`. Returns the rate for absent keys in this block, over all panes.
double add_fill(const View& view, const PaneLayout& layout, std::uint64_t block, const RateOfBlocks& rate_at,
                PaneFill& fill) {
  const PaneLayout::Place place = layout.place_of(block);
  std::array<std::byte, kBlockBytes> all{};
  double rate = 0;
  for (std::uint32_t pane = 0; pane < layout.stored_panes(); ++pane) {
    const std::byte* bits = view.payload + place.in(pane);
    const std::uint64_t set = count_bits({bits, kBlockBytes});
    fill.set[pane] += set;
    rate += (1 - rate) * rate_at[set];
    or_into(all, bits);
  }
  fill.set_in_any += count_bits(all);
  return rate;
}

/// The estimated number of keys in the union of all panes, which counts repeated keys once. A nearly full union gives
/// no precise estimate. The result is then the sum over the panes, or no value if a pane is full.
std::optional<double> cardinality_of(const Shape& shape, const PaneFill& fill) noexcept {
  // With 400 clear bits, the standard deviation of their number is 5%, and that of the estimate 1 to 2%.
  constexpr double kMinClear = 400;
  const auto blocks = static_cast<double>(shape.units);
  const double bits = blocks * kBlockBits;
  const auto keys_of = [&](std::uint64_t set) {
    return blocked_cardinality(blocks, static_cast<double>(set), shape.k);
  };
  if (bits - static_cast<double>(fill.set_in_any) >= kMinClear) return keys_of(fill.set_in_any);
  double keys = 0;
  for (const std::uint64_t set : std::span(fill.set).first(shape.param + 1U)) {
    if (static_cast<double>(set) >= bits) return std::nullopt;
    keys += keys_of(set);
  }
  return keys;
}

struct Window {
  static constexpr Kind kKind = Kind::kWindow;
  static constexpr std::string_view kName = "window";
  static constexpr const char* kUnitName = "number of blocks";
  static constexpr std::string_view kOption = "length up to 100 years, like '7 days' or seconds[/panes: 1 to 256]";

  static bool set_option(FilterSpec& spec, std::string_view text) {
    const std::size_t slash = text.find('/');
    const auto panes = slash == std::string_view::npos ? std::optional(FilterSpec().panes)
                                                       : read_number<unsigned>(text.substr(slash + 1));
    const auto length = text.empty() ? std::optional<double>(static_cast<double>(FilterSpec().window))
                                     : read_window_length(text.substr(0, slash));
    if (!length || !panes) return false;
    spec.window = static_cast<std::int64_t>(std::ceil(*length));
    spec.panes = *panes;
    return true;
  }
  static std::string option_text(const FilterSpec& spec) {
    return number_text(static_cast<double>(spec.window) / 1000) + '/' + std::to_string(spec.panes);
  }

  static Result<Shape> plan(const FilterSpec& spec) {
    if (spec.panes < 1 || spec.panes > kMaxPanes) {
      return bad_argument("panes must be in [1, ", kMaxPanes, "], got ", spec.panes);
    }
    if (!length_of_pane(static_cast<double>(spec.window), spec.panes)) {
      return bad_argument("window must be ", kWindowLengths, ", got ", spec.window, " milliseconds");
    }
    // Planned as a single filter first, so that errors name the caller's capacity and rate.
    Result<Shape> shape = plan_by_size(spec, kKind, kBlockBits, &size_blocked, &best_blocked_probes);
    if (!shape) return shape;
    shape = plan_by_size(spec_of_pane(spec, spec.panes), kKind, kBlockBits, &size_blocked, &best_blocked_probes);
    if (!shape) return bad_argument("fp_rate of each pane: ", shape.error().message);
    shape->param = static_cast<std::uint16_t>(spec.panes);
    return shape;
  }

  static Result<std::uint64_t> payload_bytes(const Shape& shape) {
    if (shape.param < 1 || shape.param > kMaxPanes) {
      return corrupt("kind parameter (panes) must be in [1, ", kMaxPanes, "], got ", shape.param);
    }
    Shape pane = shape;
    pane.param = 0;
    if (auto valid = check_shape(pane, kMaxBlockedProbes, kMaxBlocks / (shape.param + 1U), kUnitName); !valid) {
      return valid.error();
    }
    return PaneLayout(shape).payload_bytes();
  }

  static Result<void> validate(const View& view) {
    const PaneClock window = *clock_of(view.shape, view.payload);
    if (!window.is_sound()) {
      return corrupt("window must have panes of 1 ms to ", kLastTime, " ms that end before the year 10000, got others");
    }
    if (window.first_pane < 0 && window.generation != 0) {
      return corrupt("generation must be 0 before the clock is set, got ", window.generation);
    }
    if (is_zero({view.payload + kWindowFieldBytes, kWindowHeaderBytes - kWindowFieldBytes})) return {};
    return corrupt("padding of the window's header must be 0");
  }
  static bool admit_open(const View&, ByteGate& gate) { return gate.admit(0, kWindowHeaderBytes); }
  static bool admit_query(const View& view, std::uint64_t hash, ByteGate& gate) {
    const auto& layout = prepared_of<PaneLayout>(view);
    const KeyPlaces places(view, layout, hash);
    for (std::uint32_t pane = 0; pane < layout.stored_panes(); ++pane) {
      if (!gate.admit(places.offset(pane), kBlockBytes)) return false;
    }
    return true;
  }
  static void prepare(View& view) noexcept { set_prepared(view, PaneLayout(view.shape)); }
  static Probe probe(const Shape&) noexcept { return kProbeOf<&contains, &contains_batch>; }

  static Stats stats(const View& view) noexcept {
    const PaneLayout layout(view.shape);
    const RateOfBlocks rate_at = rate_of_blocks(view.shape.k);
    PaneFill fill;
    double rates = 0;
    for (std::uint64_t block = 0; block < view.shape.units; ++block) {
      rates += add_fill(view, layout, block, rate_at, fill);
    }
    return {.bits = view.shape.units * layout.stored_panes() * kBlockBits,
            .bits_set = std::accumulate(fill.set.begin(), fill.set.end(), std::uint64_t{0}),
            .current_fp_rate = std::min(1.0, rates / static_cast<double>(view.shape.units)),
            .cardinality = cardinality_of(view.shape, fill)};
  }

  /// The rate for keys that arrive evenly, after all stored panes were filled.
  static double predicted_fp_rate(const Shape& shape, double keys) noexcept {
    const double pane = blocked_fp_rate(static_cast<double>(shape.units), std::ceil(keys / shape.param), shape.k);
    return -portable::expm1((shape.param + 1) * portable::log1p(-pane));
  }

  static void start(Store store, const FilterSpec& spec) {
    write_clock(store.payload.data(),
                {.pane_length = *length_of_pane(static_cast<double>(spec.window), spec.panes), .panes = spec.panes});
  }

  static void clear(Store store) {
    PaneClock window = *clock_of(store.shape, store.payload.data());
    window.first_pane = -1;
    window.generation = 0;
    std::ranges::fill(store.payload, std::byte{0});
    write_clock(store.payload.data(), window);
  }

  static Result<void> add(Store store, std::span<const std::uint64_t> hashes, std::uint64_t& added) {
    constexpr std::size_t kAhead = 16;
    const PaneClock window = *clock_of(store.shape, store.payload.data());
    const std::uint32_t newest = window.stored_index(window.generation);
    const PaneLayout layout(store.shape);
    const auto block_of = [&](std::uint64_t hash) {
      const PaneLayout::Place place = layout.place_of(mulhi(hash, store.shape.units));
      return store.payload.data() + place.in(newest);
    };
    const auto add_to_block = kernels_in_use<BlockedKernels>().blocked_add;
    Shape block = store.shape;
    block.units = 1;
    for (std::size_t i = 0; i < hashes.size(); ++i) {
      if (i + kAhead < hashes.size()) __builtin_prefetch(block_of(hashes[i + kAhead]), 1);
      add_to_block(block, block_of(hashes[i]), &hashes[i], 1);
    }
    added += hashes.size();
    return {};
  }

  static void advance(Store store, Time time) {
    const PaneClock before = *clock_of(store.shape, store.payload.data());
    PaneClock now = before;
    now.advance(time);
    if (now == before) return;
    const PaneLayout layout(store.shape);
    const std::uint64_t passed = std::min<std::uint64_t>(now.generation - before.generation, layout.stored_panes());
    if (passed == layout.stored_panes()) {
      std::ranges::fill(store.payload, std::byte{0});
    } else if (passed != 0) {
      for (std::uint64_t block = 0; block < store.shape.units; ++block) {
        const PaneLayout::Place place = layout.place_of(block);
        for (std::uint64_t i = 0; i < passed; ++i) {
          std::byte* pane = store.payload.data() + place.in(now.stored_index(now.generation - i));
          std::fill_n(pane, kBlockBytes, std::byte{0});
        }
      }
    }
    write_clock(store.payload.data(), now);
  }
};

/// A key in a page of a table (kinds/paging.h). A page has the same blocks of each pane, pane after pane.
class KeyPanes {
 public:
  static std::size_t granularity(const Shape& shape) noexcept { return (shape.param + std::size_t{1}) * kBlockBytes; }
  static std::uint64_t bytes(const Shape& shape) noexcept { return shape.units * granularity(shape); }

  KeyPanes(const PageLayout& layout, std::uint64_t hash) noexcept
      : layout_(layout), hash_(hash), stored_panes_(layout.shape.param + 1U) {
    const std::uint64_t block = mulhi(hash, layout.shape.units);
    const std::uint64_t in_page = layout.page_bytes / granularity(layout.shape);
    page_ = block / in_page;
    offset_ = static_cast<std::size_t>(block % in_page) * kBlockBytes;
    pane_bytes_ = layout.bytes_of(page_) / stored_panes_;
    block_.units = 1;  // so that the kernels select this block
  }

  [[nodiscard]] std::uint64_t page() const noexcept { return page_; }
  [[nodiscard]] bool contains(PageSource& pages) const { return is_in(pages.read(page_), oldest_of(layout_)); }
  // A key in an older pane is also added to the newest pane; otherwise the key would expire with the older pane.
  Result<Added> add(PageSource& pages, bool /*only_if_absent*/) const {
    const Page* stored = pages.read(page_);
    if (is_in(stored, layout_.generation)) return Added{};
    const bool is_new = !is_in(stored, oldest_of(layout_));
    Page& page = pages.write(page_);
    drop_old_panes(page);
    kernels_in_use<BlockedKernels>().blocked_add(block_, pane(page, layout_.generation) + offset_, &hash_, 1);
    ++page.keys;
    return Added{.is_new = is_new, .fills = true};
  }

  static bool is_idle(const PageLayout& layout, const Page& page) noexcept {
    return page.generation < oldest_of(layout);
  }
  static void put(const PageLayout& layout, std::uint64_t page, const Page& stored, Store store) {
    const PaneLayout payload(store.shape);
    const std::uint64_t kept = payload.stored_panes();
    const std::size_t pane_bytes = layout.bytes_of(page) / kept;
    const std::uint64_t first = page * (layout.page_bytes / granularity(layout.shape));
    for (std::uint64_t generation = oldest_of(layout); generation <= stored.generation; ++generation) {
      const std::uint64_t pane = generation % kept;
      for (std::size_t at = 0; at < pane_bytes; at += kBlockBytes) {
        std::byte* block = store.payload.data() + payload.place_of(first + at / kBlockBytes).in(pane);
        std::copy_n(stored.bytes + pane * pane_bytes + at, kBlockBytes, block);
      }
    }
  }

 private:
  /// The oldest generation that has not expired.
  static std::uint64_t oldest_of(const PageLayout& layout) noexcept {
    return layout.generation - std::min<std::uint64_t>(layout.generation, layout.shape.param);
  }
  [[nodiscard]] std::byte* pane(const Page& page, std::uint64_t generation) const noexcept {
    return page.bytes + generation % stored_panes_ * pane_bytes_;
  }
  /// Whether the key is in a pane of the generation `oldest` or later.
  [[nodiscard]] bool is_in(const Page* page, std::uint64_t oldest) const noexcept {
    if (page == nullptr) return false;
    const auto in_block = kernels_in_use<BlockedKernels>().blocked.contains;
    View block{.shape = block_, .payload = nullptr, .payload_bytes = kBlockBytes};
    for (std::uint64_t generation = page->generation + 1; generation-- > oldest;) {
      block.payload = pane(*page, generation) + offset_;
      if (in_block(block, hash_)) return true;
    }
    return false;
  }
  /// Zeroes the panes that expired after the page was written, and updates the page's generation and key count.
  void drop_old_panes(Page& page) const noexcept {
    const std::uint64_t newest = layout_.generation;
    if (page.generation == newest) return;
    const std::uint64_t passed = std::min<std::uint64_t>(newest - page.generation, stored_panes_);
    for (std::uint64_t i = 0; i < passed; ++i) std::fill_n(pane(page, newest - i), pane_bytes_, std::byte{0});
    page.generation = newest;
    page.keys = 0;
  }

  const PageLayout& layout_;
  std::uint64_t hash_;
  std::uint64_t stored_panes_;
  std::uint64_t page_;
  std::size_t offset_;
  std::size_t pane_bytes_;
  Shape block_ = layout_.shape;
};

constexpr Paging kPanePaging = make_paging<KeyPanes>();

}  // namespace

constinit const KindRow kWindow = make_row<Window>(&kPanePaging);

}  // namespace crivo
