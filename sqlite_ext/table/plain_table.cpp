#include "table/plain_table.h"

#include <algorithm>
#include <cmath>

#include "crivo/host/bytes.h"
#include "crivo/host/scalable_layers.h"
#include "crivo/kinds.h"
#include "values/boundary.h"

namespace crivo::sqlite {
namespace {

/// So many bytes of pages are changed in memory before they are stored.
constexpr std::size_t kMostChangedBytes = std::size_t{16} << 20;

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
  require_equal("k", unsigned{ours.probes}, unsigned{theirs.probes});
  require_equal("number of blocks", ours.units, theirs.units);
}

}  // namespace

bool PlainTable::add_hash(std::uint64_t hash, bool only_if_absent) {
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
std::optional<bool> PlainTable::add_to_newest(PageRows& rows, std::uint64_t hash, bool only_if_absent) const {
  if (state_.spec.kind != Kind::kScalable || !is_full(rows, filters_.back().page_of(hash))) {
    return rows.add(hash, only_if_absent);
  }
  return rows.contain(hash) ? std::optional(false) : std::nullopt;
}

// A layer of a scalable table is full when a page has its share of the keys. Nobody counts the keys of all pages, which
// would make every addition change a second page. But if the layer had more keys than it was sized for, some page would
// have more than its share; so a layer never gets more. As keys do not spread evenly, it gets up to 8% fewer.
bool PlainTable::is_full(PageRows& rows, std::uint64_t page) const {
  const auto newest = static_cast<unsigned>(filters_.size() - 1);
  const std::uint64_t pages = filters_.back().pages();  // all of them have the same size
  return rows.keys(page) >= (scalable_layer_capacity(state_.spec, newest) + pages - 1) / pages;
}

void PlainTable::grow() {
  TableState grown = state_;
  add_layer(grown);
  save(grown);
}

void PlainTable::add_hashes(std::span<std::uint64_t> hashes) {
  (void)state();
  std::ranges::sort(hashes, {}, [this](std::uint64_t hash) { return filters_.back().page_of(hash); });
  for (auto next = hashes.begin(); next != hashes.end();) {
    bool full = false;
    {
      PageRows rows = rows_of(filters_.size() - 1);
      while (next != hashes.end() && !full && rows.kept_bytes() < kMostChangedBytes) {
        if (filters_.size() > 1) rows.release();  // the other layers' rows come from the same statement
        full = !layers_contain(*next, filters_.size() - 1) && !add_to_newest(rows, *next, false);
        if (!full) ++next;
      }
      rows.store();
    }
    if (full) grow();
  }
}

void PlainTable::merge(const FilterRef& other) {
  const Kind kind = state().spec.kind;
  require_no_source("op union");
  if (kind != Kind::kBlocked && kind != Kind::kCounting) {
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

AnyFilter PlainTable::snapshot(std::optional<std::uint64_t> pane, std::uint64_t max_bytes) {
  if (pane) throw SqlError{"pane must be left out for a table without a window, got " + std::to_string(*pane)};
  std::vector<ScalableLayer> layers;
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < state().layers.size(); ++i) {
    std::uint64_t keys = 0;
    visit_layer(i, [&](std::uint64_t, std::span<const std::byte> row) { keys += keys_of(row); });
    layers.push_back({state_.layers[i].units, state_.layers[i].probes, keys});
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

// Removed keys can leave pages of zeros behind.
bool PlainTable::is_idle(std::span<const std::byte> row) { return count_bits(payload_of(row)) == 0; }

void PlainTable::replace(std::uint64_t capacity, const std::function<void(PlainTable& fresh)>& fill) {
  const unsigned old_half = state().half;
  TableSpec spec{state_.spec, std::nullopt, true};
  spec.filter.capacity = capacity;
  TableState planned = plan_table(spec, usable_page_bytes(shadow_));
  planned.half = 1 - old_half;
  erase_half(planned.half);  // what a rebuild left there that failed
  PlainTable fresh(shadow_, "next_state");
  fresh.save(planned);
  fill(fresh);
  save(fresh.state());  // from here on, the new keys count
  shadow_.erase_meta(fresh.state_row_);
  erase_half(old_half);
}

}  // namespace crivo::sqlite
