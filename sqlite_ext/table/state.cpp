#include "table/state.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "crivo/hash.h"
#include "crivo/host/scalable_layers.h"
#include "crivo/host/sizing.h"
#include "crivo/host/text.h"
#include "crivo/kinds.h"

namespace crivo::sqlite {
namespace {

// The text of a state has the format's version, the kind, further fields in a fixed order, and a checksum. A text that
// does not match its checksum is rejected.

constexpr std::size_t kMaxPageBytes = 65536;  // SQLite's largest page
constexpr std::string_view kFormat = "format=1";
constexpr std::string_view kChecksum = " check=";

std::string checksum_of(std::string_view text) { return std::to_string(hash_key(text, 0)); }

std::string before_value(std::string_view name) { return std::string(" ").append(name).append("="); }

[[noreturn]] void damaged_state(const std::string& what) {
  throw HostError{SQLITE_CORRUPT_VTAB, "state in table _meta must " + what};
}

void append_field(std::string& text, std::string_view name, std::uint64_t value) {
  text.append(before_value(name)).append(std::to_string(value));
}

/// Reads the fields in order. Throws HostError (SQLITE_CORRUPT_VTAB) if the text has other fields.
class StateFields {
 public:
  /// Borrows the text.
  explicit StateFields(std::string_view text) {
    const std::size_t end = text.rfind(kChecksum);
    if (end == std::string_view::npos || text.substr(end + kChecksum.size()) != checksum_of(text.substr(0, end))) {
      damaged_state("match its checksum");
    }
    rest_ = text.substr(0, end);
    if (!rest_.starts_with(kFormat)) damaged_state("have \"" + std::string(kFormat) + "\"");
    rest_.remove_prefix(kFormat.size());
  }

  /// Whether the next field has this name.
  [[nodiscard]] bool has(std::string_view name) const { return rest_.starts_with(before_value(name)); }

  [[nodiscard]] std::string_view text(std::string_view name) {
    const std::string before = before_value(name);
    if (!rest_.starts_with(before)) damaged_state("have \"" + before + "\"");
    rest_.remove_prefix(before.size());
    const std::string_view value = rest_.substr(0, rest_.find(' '));
    rest_.remove_prefix(value.size());
    return value;
  }

  template <class Number>
  [[nodiscard]] Number number(std::string_view name) {
    const auto number = read_number<Number>(text(name));
    if (!number) damaged_state("have a number as " + std::string(name));
    return *number;
  }

  [[nodiscard]] bool flag(std::string_view name) {
    const auto value = number<unsigned>(name);
    if (value > 1) damaged_state("have 0 or 1 as " + std::string(name) + ", got " + std::to_string(value));
    return value == 1;
  }

  void require_end() const {
    if (!rest_.empty()) damaged_state("end after these fields");
  }

 private:
  std::string_view rest_;
};

/// The kind of the pages' contents.
Kind paged_kind(const FilterSpec& spec) noexcept { return spec.kind == Kind::kScalable ? Kind::kBlocked : spec.kind; }

/// Converts the shape of a pane to the shape of its window. Without a clock, there is no window.
Shape with_panes(Shape shape, const std::optional<PaneClock>& clock) noexcept {
  if (!clock) return shape;
  shape.kind = Kind::kWindow;
  shape.param = static_cast<std::uint16_t>(clock->panes);
  return shape;
}

/// The number of blocks of a layer of a scalable table. Rounded up to full pages if there are several pages, because
/// Operation::is_full gives each page an equal share of the keys.
std::uint64_t whole_pages(std::uint64_t blocks, std::size_t page_bytes) {
  const std::uint64_t per_page = page_bytes / (kBlockBits / 8);
  return blocks <= per_page ? blocks : (blocks + per_page - 1) / per_page * per_page;
}

/// Limits all allocations and loops that depend on this state: a checksum detects damage, but not forgery.
void require_bounded(const TableState& state) {
  const FilterSpec& spec = state.spec;
  const std::size_t layers = state.layers.size();
  if (spec.capacity < 1 || spec.capacity > kMaxCapacity) {
    damaged_state("have 1 to 2^40 as capacity, got " + std::to_string(spec.capacity));
  }
  if (!(spec.fp_rate > 0 && spec.fp_rate < 1)) {
    damaged_state("have a fp_rate in (0, 1), got " + std::to_string(spec.fp_rate));
  }
  if (state.clock && (spec.kind != Kind::kBlocked || state.has_source))
    damaged_state("have a window only for kind blocked without a source");
  const bool has_layers = spec.kind == Kind::kScalable;
  if (has_layers ? scalable_layer_capacity(spec, static_cast<unsigned>(layers) - 1) == 0 : layers != 1) {
    damaged_state("have as many layers as its kind and capacity allow, got " + std::to_string(layers));
  }
}

void append_clock(std::string& text, const PaneClock& clock, bool is_manual) {
  append_field(text, "pane_length", static_cast<std::uint64_t>(clock.pane_length));
  append_field(text, "panes", clock.panes);
  append_field(text, "manual", is_manual ? 1 : 0);
  text.append(" first_pane=").append(std::to_string(clock.first_pane));
  append_field(text, "generation", clock.generation);
}

void read_clock(StateFields& fields, TableState& state) {
  PaneClock clock;
  clock.pane_length = fields.number<std::int64_t>("pane_length");
  clock.panes = fields.number<std::uint32_t>("panes");
  state.is_manual = fields.flag("manual");
  clock.first_pane = fields.number<std::int64_t>("first_pane");
  clock.generation = fields.number<std::uint64_t>("generation");
  if (!clock.is_sound()) damaged_state("have a valid window");
  state.clock = clock;
}

}  // namespace

SqlError wrong_table_kind(const std::string& got) {
  const bool is_window = got.find("window") != std::string::npos;
  return {
      "kind must be one that tables support (blocked, counting, growing, scalable[:growth: 2 to 16], spectral[:counter "
      "bits: 4, 8, 16 or 32]), got " +
      got + (is_window ? "; set window= instead" : "")};
}

void require_table_kind(const FilterSpec& spec) {
  constexpr std::array kAllowed = {Kind::kBlocked, Kind::kCounting, Kind::kGrowing, Kind::kScalable, Kind::kSpectral};
  if (std::ranges::find(kAllowed, spec.kind) != kAllowed.end()) return;
  throw wrong_table_kind(kind_text(spec));
}

bool can_remove(Kind kind) noexcept {
  return std::ranges::find(kinds(), kind, [](const KindInfo& info) { return info.kind; })->can.remove;
}

PagedFilter TableState::filter(std::size_t layer) const {
  Shape shape;
  shape.kind = paged_kind(spec);
  shape.seed = spec.seed;
  shape.units = layers[layer].units;
  shape.k = layers[layer].probes;
  if (shape.kind == Kind::kGrowing) {
    shape.k = 1;
    shape.param = layers[layer].probes;
  }
  if (shape.kind == Kind::kSpectral) shape.param = static_cast<std::uint16_t>(spec.counter_bits);
  return unwrap(PagedFilter::open(with_panes(shape, clock), whole_page_bytes()));
}

FilterSpec TableState::pane_spec() const { return clock ? spec_of_pane(spec, clock->panes) : spec; }

void add_layer(TableState& state) {
  const auto index = static_cast<unsigned>(state.layers.size());
  const std::uint64_t before = state.layers.empty() ? 0 : state.layers.back().units;
  const FilterSize size = unwrap(size_scalable_layer(state.spec, index, before));
  state.layers.push_back({whole_pages(size.units, state.page_bytes), static_cast<std::uint8_t>(size.probes)});
}

TableState plan_table(const TableSpec& wanted, std::size_t max_row_bytes) {
  require_table_kind(wanted.spec);
  if (wanted.clock && wanted.spec.kind != Kind::kBlocked) {
    throw SqlError{"kind must be blocked if window is set, got " + kind_text(wanted.spec)};
  }
  TableState state;
  static_cast<TableSpec&>(state) = wanted;
  const bool is_scalable = state.spec.kind == Kind::kScalable;
  Shape shape{.kind = paged_kind(state.spec)};
  if (!is_scalable) shape = with_panes(unwrap(PagedFilter::plan(state.pane_spec())), state.clock);
  const bool grows = shape.kind == Kind::kGrowing;
  const std::size_t granule = PagedFilter::granularity(shape);
  const std::size_t granules = grows ? 1 : std::max((max_row_bytes - kRowHeaderBytes) / granule, std::size_t{1});
  state.page_bytes = granules * granule / (state.clock ? state.clock->stored_panes() : 1);
  state.spec.smallest_blob = false;
  if (is_scalable) {
    add_layer(state);
  } else {
    state.layers.push_back({shape.units, grows ? static_cast<std::uint8_t>(shape.param) : shape.k});
  }
  return state;
}

std::string to_text(const TableState& state) {
  std::array<char, 32> rate;
  const auto rate_end = std::to_chars(rate.data(), rate.data() + rate.size(), state.spec.fp_rate).ptr;
  std::string text = std::string(kFormat).append(before_value("kind")).append(kind_text(state.spec));
  append_field(text, "capacity", state.spec.capacity);
  text.append(" fpr=").append(rate.data(), rate_end);
  append_field(text, "seed", state.spec.seed);
  append_field(text, "page_bytes", state.page_bytes);
  append_field(text, "layers", state.layers.size());
  for (const TableState::Layer& layer : state.layers) {
    append_field(text, "units", layer.units);
    append_field(text, "k", layer.probes);
  }
  if (state.clock) append_clock(text, *state.clock, state.is_manual);
  if (state.has_source) append_field(text, "source_half", state.half);
  if (state.full_is_error) text.append(" on_full=error");
  const std::string checksum = checksum_of(text);
  return text.append(kChecksum).append(checksum);
}

TableState parse_state(std::string_view text) {
  StateFields fields(text);
  TableState state;
  unwrap(choose_kind(state.spec, fields.text("kind")));
  require_table_kind(state.spec);
  state.spec.capacity = fields.number<std::uint64_t>("capacity");
  state.spec.fp_rate = fields.number<double>("fpr");
  state.spec.seed = fields.number<std::uint64_t>("seed");
  state.page_bytes = fields.number<std::size_t>("page_bytes");
  if (state.page_bytes > kMaxPageBytes) {
    damaged_state("have pages of at most 65536 bytes, got " + std::to_string(state.page_bytes));
  }
  const auto layers = fields.number<std::size_t>("layers");
  if (layers == 0 || layers > 64) damaged_state("have 1 to 64 layers, got " + std::to_string(layers));
  for (std::size_t i = 0; i < layers; ++i) {
    const auto units = fields.number<std::uint64_t>("units");
    state.layers.push_back({units, fields.number<std::uint8_t>("k")});
  }
  if (fields.has("pane_length")) read_clock(fields, state);
  for (std::size_t i = 0; i < layers; ++i) (void)state.filter(i);  // throws if the shape is invalid
  state.has_source = fields.has("source_half");
  if (state.has_source) state.half = fields.flag("source_half") ? 1 : 0;
  if (fields.has("on_full")) {
    if (fields.text("on_full") != "error") damaged_state("have error as on_full");
    state.full_is_error = true;
  }
  fields.require_end();
  require_bounded(state);
  return state;
}

}  // namespace crivo::sqlite
