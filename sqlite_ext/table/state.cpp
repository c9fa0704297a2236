#include "table/state.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "crivo/hash.h"
#include "crivo/host/scalable_layers.h"
#include "crivo/host/sizing.h"
#include "crivo/host/text.h"
#include "crivo/kinds.h"
#include "values/boundary.h"

namespace crivo::sqlite {
namespace {

constexpr std::string_view kFormat = "format=1";
constexpr std::string_view kChecksum = " check=";

constexpr std::size_t kMaxPageBytes = 65536;  // of any database

/// What a row of a b-tree leaf needs beside its blob, so that all of it stays in the leaf: 35 bytes that SQLite keeps
/// back (file format, "B-tree cell payload overflow"), and the header of a record with a blob.
constexpr std::size_t kLeafOverhead = 35;
constexpr std::size_t kRecordHeader = 5;

[[noreturn]] void damaged(const std::string& what) {
  throw HostError{SQLITE_CORRUPT_VTAB, "state in table _meta must " + what};
}

void append(std::string& text, std::string_view name, std::uint64_t value) {
  text.append(" ").append(name).append("=").append(std::to_string(value));
}

std::string checksum_of(std::string_view text) { return std::to_string(hash_key(text, 0)); }

/// Reads the fields in their order.
class Fields {
 public:
  explicit Fields(std::string_view text) noexcept : rest_(text) {}

  void expect(std::string_view text) {
    if (!rest_.starts_with(text)) damaged("have \"" + std::string(text) + "\"");
    rest_.remove_prefix(text.size());
  }
  /// Whether a field of this name is the next one.
  [[nodiscard]] bool has(std::string_view name) const {
    return rest_.starts_with(std::string(" ").append(name).append("="));
  }
  [[nodiscard]] std::string_view text(std::string_view name) {
    expect(std::string(" ").append(name).append("="));
    const std::string_view value = rest_.substr(0, rest_.find(' '));
    rest_.remove_prefix(value.size());
    return value;
  }
  template <class Number>
  [[nodiscard]] Number number(std::string_view name) {
    const std::string_view value = text(name);
    const auto number = read_number<Number>(value);
    if (!number) damaged("have a number as " + std::string(name));
    return *number;
  }
  [[nodiscard]] bool at_end() const noexcept { return rest_.empty(); }

 private:
  std::string_view rest_;
};

/// Throws SqlError, with the names of the kinds that can be a table, for another one.
void require_table_kind(const FilterSpec& spec) {
  constexpr std::array kAllowed = {Kind::kBlocked, Kind::kCounting, Kind::kScalable, Kind::kSpectral};
  if (std::ranges::find(kAllowed, spec.kind) != kAllowed.end()) return;
  throw SqlError{"kind must be " + std::string(kTableKinds) + ", got " + kind_text(spec)};
}

/// The kind that the pages of a table hold.
Kind paged_kind(const FilterSpec& spec) noexcept { return spec.kind == Kind::kScalable ? Kind::kBlocked : spec.kind; }

/// The blocks of a scalable table's layer, rounded up so that all of its pages have the same size if there is more than
/// one: FilterTable::is_full gives each an equal share of the keys.
std::uint64_t whole_pages(std::uint64_t blocks, std::size_t page_bytes) {
  const std::uint64_t per_page = page_bytes / (kBlockBits / 8);
  return blocks <= per_page ? blocks : (blocks + per_page - 1) / per_page * per_page;
}

/// Bounds what anybody allocates or loops over because of this state: the checksum shows damage, but no intent.
void require_bounded(const TableState& state) {
  const FilterSpec& spec = state.spec;
  const std::size_t layers = state.layers.size();
  if (spec.capacity < 1 || spec.capacity > kMaxCapacity) {
    damaged("have 1 to 2^40 as capacity, got " + std::to_string(spec.capacity));
  }
  if (!(spec.fp_rate > 0 && spec.fp_rate < 1)) {
    damaged("have a fp_rate in (0, 1), got " + std::to_string(spec.fp_rate));
  }
  if (state.window && (spec.kind != Kind::kBlocked || state.has_source)) damaged("have a window only where it may");
  const bool grows = spec.kind == Kind::kScalable;
  if (grows ? scalable_layer_capacity(spec, static_cast<unsigned>(layers) - 1) == 0 : layers != 1) {
    damaged("have as many layers as its kind and capacity allow, got " + std::to_string(layers));
  }
}

void append_window(std::string& text, const Window& window) {
  append(text, "pane_length", static_cast<std::uint64_t>(window.pane_length));
  append(text, "panes", window.panes);
  append(text, "manual", window.manual ? 1 : 0);
  text.append(" first_pane=").append(std::to_string(window.first_pane));
  append(text, "generation", window.generation);
}

Window read_window(Fields& fields) {
  Window window;
  window.pane_length = fields.number<std::int64_t>("pane_length");
  window.panes = fields.number<std::uint32_t>("panes");
  window.manual = fields.number<unsigned>("manual") != 0;
  window.first_pane = fields.number<std::int64_t>("first_pane");
  window.generation = fields.number<std::uint64_t>("generation");
  if (!window.is_sound()) damaged("have a window that is allowed");
  return window;
}

}  // namespace

PagedFilter TableState::filter(std::size_t layer) const {
  Shape shape;
  shape.kind = paged_kind(spec);
  shape.seed = spec.seed;
  shape.units = layers[layer].units;
  shape.k = layers[layer].probes;
  if (shape.kind == Kind::kSpectral) shape.param = static_cast<std::uint16_t>(spec.counter_bits);
  return unwrap(PagedFilter::open(shape, page_bytes));
}

std::size_t TableState::row_bytes() const noexcept {
  return kRowHeaderBytes + page_bytes * (window ? window->kept_panes() : 1);
}

FilterSpec TableState::pane_spec() const {
  FilterSpec pane = spec;
  if (!window) return pane;
  pane.capacity = (spec.capacity - 1) / window->panes + 1;
  pane.fp_rate = spec.fp_rate / window->kept_panes();
  return pane;
}

void add_layer(TableState& state) {
  const auto index = static_cast<unsigned>(state.layers.size());
  const std::uint64_t before = state.layers.empty() ? 0 : state.layers.back().units;
  const FilterSize size = unwrap(size_scalable_layer(state.spec, index, before));
  state.layers.push_back({whole_pages(size.units, state.page_bytes), static_cast<std::uint8_t>(size.probes)});
}

TableState plan_table(const TableSpec& spec, std::size_t usable_page_bytes) {
  require_table_kind(spec.filter);
  if (spec.window && spec.filter.kind != Kind::kBlocked) {
    throw SqlError{"kind must be blocked where a window is given, got " + kind_text(spec.filter)};
  }
  TableState state;
  state.spec = spec.filter;
  state.window = spec.window;
  state.has_source = spec.has_source;
  const std::size_t granule = PagedFilter::granularity(paged_kind(state.spec));
  const std::size_t room = usable_page_bytes - kLeafOverhead - kRecordHeader - kRowHeaderBytes;
  const std::size_t panes = spec.window ? spec.window->kept_panes() : 1;
  state.page_bytes = std::max(room / panes / granule, std::size_t{1}) * granule;
  if (state.spec.kind == Kind::kScalable) {
    add_layer(state);
  } else {
    const Shape shape = unwrap(PagedFilter::plan(state.pane_spec()));
    state.spec.smallest_blob = false;
    state.layers.push_back({shape.units, shape.k});
  }
  return state;
}

std::string to_text(const TableState& state) {
  std::array<char, 32> rate;
  const auto rate_end = std::to_chars(rate.data(), rate.data() + rate.size(), state.spec.fp_rate).ptr;
  std::string text(kFormat);
  text.append(" kind=").append(kind_text(state.spec));
  append(text, "capacity", state.spec.capacity);
  text.append(" fpr=").append(rate.data(), rate_end);
  append(text, "seed", state.spec.seed);
  append(text, "page_bytes", state.page_bytes);
  append(text, "layers", state.layers.size());
  for (const TableState::Layer& layer : state.layers) {
    append(text, "units", layer.units);
    append(text, "k", layer.probes);
  }
  if (state.window) append_window(text, *state.window);
  if (state.has_source) append(text, "source_half", state.half);
  const std::string checksum = checksum_of(text);
  return text.append(kChecksum).append(checksum);
}

TableState parse_state(std::string_view text) {
  const std::size_t end = text.rfind(kChecksum);
  if (end == std::string_view::npos || text.substr(end + kChecksum.size()) != checksum_of(text.substr(0, end))) {
    damaged("have the checksum of its text");
  }
  Fields fields(text.substr(0, end));
  fields.expect(kFormat);
  TableState state;
  unwrap(choose_kind(state.spec, fields.text("kind")));
  require_table_kind(state.spec);
  state.spec.capacity = fields.number<std::uint64_t>("capacity");
  state.spec.fp_rate = fields.number<double>("fpr");
  state.spec.seed = fields.number<std::uint64_t>("seed");
  state.page_bytes = fields.number<std::size_t>("page_bytes");
  if (state.page_bytes > kMaxPageBytes) damaged("have pages of at most " + std::to_string(kMaxPageBytes) + " bytes");
  const auto layers = fields.number<std::size_t>("layers");
  if (layers == 0 || layers > 64) damaged("have 1 to 64 layers, got " + std::to_string(layers));
  for (std::size_t i = 0; i < layers; ++i) {
    const auto units = fields.number<std::uint64_t>("units");
    state.layers.push_back({units, fields.number<std::uint8_t>("k")});
    (void)state.filter(i);  // throws if the shape is not allowed
  }
  if (fields.has("pane_length")) state.window = read_window(fields);
  state.has_source = fields.has("source_half");
  if (state.has_source) state.half = fields.number<unsigned>("source_half") != 0 ? 1 : 0;
  if (!fields.at_end()) damaged("end after these fields");
  require_bounded(state);
  return state;
}

}  // namespace crivo::sqlite
