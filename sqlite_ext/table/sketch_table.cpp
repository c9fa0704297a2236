#include "table/sketch_table.h"

#include "crivo/host/text.h"
#include "table/state_text.h"
#include "values/running.h"
#include "values/sketch_keys.h"

namespace crivo::sqlite {
namespace {

constexpr std::string_view kKind = "sketch";
constexpr std::size_t kMaxPageBytes = 65536;  // of any database
/// The first page of the second half: behind all that a sketch of 2^32 symbols can have.
constexpr std::int64_t kHalf = std::int64_t{1} << 40;

std::int64_t first_page(unsigned half) noexcept { return half * kHalf; }

/// The rows of a sketch. The first page, in which every key stands, has the number of keys.
class SketchRows final : public PageRows {
 public:
  /// `are_new`: there are none yet. Otherwise none may be missing.
  SketchRows(ShadowTables& shadow, SpareRows& spare, const SketchState& state, bool are_new = false)
      : PageRows(shadow, spare, first_page(state.half), {}),
        are_new_(are_new),
        sketch_(unwrap(PagedSketch::open(state.spec, state.page_bytes, *this))) {}

  const std::byte* read(std::uint64_t page) override {
    const std::byte* const found = PageRows::read(page);
    if (found != nullptr || are_new_) return found;
    throw HostError{SQLITE_CORRUPT_VTAB, "page " + std::to_string(page) + " in table _pages must be there, got none"};
  }
  std::byte* write(std::uint64_t page) override {
    (void)read(page);
    return PageRows::write(page);
  }

  [[nodiscard]] PagedSketch& sketch() noexcept { return sketch_; }

  void change(sqlite3_value* key, bool add) {
    if (sqlite3_value_type(key) == SQLITE_NULL) return;
    change_sketch(sketch_, key, add);
    count_keys(0, add ? 1 : -1);
  }
  [[nodiscard]] Sketch part(std::uint64_t first, std::uint64_t symbols) {
    const std::uint64_t all = keys(0);
    return unwrap(sketch_.part(first, symbols, all, UINT64_MAX));
  }

 private:
  [[nodiscard]] std::size_t bytes_of(std::uint64_t page) const noexcept override { return sketch_.bytes_of(page); }

  bool are_new_;
  PagedSketch sketch_;
};

std::string to_text(const SketchState& state) {
  std::string text = begin_state(kKind);
  text.append(" of=").append(sketch_keys_text(state.spec));
  append_field(text, "symbols", state.spec.symbols);
  append_field(text, "seed", state.spec.seed);
  append_field(text, "page_bytes", state.page_bytes);
  append_field(text, "source_half", state.half);
  return end_state(std::move(text));
}

SketchState parse_sketch_state(std::string_view text) {
  StateFields fields(text);
  if (fields.kind() != kKind) damaged_state("have the kind sketch, got " + in_quotes(fields.kind()));
  SketchState state;
  unwrap(choose_sketch_keys(state.spec, fields.text("of")));
  state.spec.symbols = fields.number<std::uint64_t>("symbols");
  state.spec.seed = fields.number<std::uint64_t>("seed");
  state.page_bytes = fields.number<std::size_t>("page_bytes");
  if (state.page_bytes > kMaxPageBytes) damaged_state("have pages of at most 65536 bytes");
  state.half = fields.number<unsigned>("source_half") != 0 ? 1 : 0;
  fields.require_end();
  return state;
}

bool has_recursive_triggers(sqlite3* db) {
  Statement pragma(db, "PRAGMA recursive_triggers");
  Use use(pragma);
  return use.step() && use.integer(0) != 0;
}

/// Refuses a change of a row that SQLite may not tell, or not as it is (S2). `had_row`: it is no new one. `conflict` is
/// what sqlite3_vtab_on_conflict says.
void require_told(sqlite3* db, const Surroundings& around, int conflict, bool had_row) {
  const bool replaces = conflict == SQLITE_REPLACE || around.has_replace;
  if (replaces && !has_recursive_triggers(db)) {
    throw SqlError{
        "REPLACE must be used under PRAGMA recursive_triggers=ON, got one without, in which SQLite tells no trigger of "
        "the row that it replaces (INSERT ... ON CONFLICT DO UPDATE needs no pragma)"};
  }
  if (had_row && (around.others_may_write || (replaces && around.has_others))) {
    throw SqlError{
        "source must not have triggers that write before its rows are changed, or where others are replaced, got one, "
        "which might change the very row"};
  }
  if (around.may_end || (conflict == SQLITE_FAIL && around.has_others)) {
    throw SqlError{
        "source must not have triggers or foreign keys where OR FAIL, ON CONFLICT FAIL, RAISE(FAIL) or RAISE(IGNORE) "
        "is used, got both, which could end a statement before the sketch is told of a row"};
  }
  if (is_in_function_of_writer(db)) {
    throw SqlError{
        "source must not be changed by a function that a statement calls while it writes, got such a change"};
  }
}

}  // namespace

bool SketchTable::is_state(std::string_view text) noexcept { return text.starts_with(begin_state(kKind) + " "); }

void SketchTable::create(const SketchSpec& spec, const Source& source) {
  require_no_other_writer(shadow_.db(), "CREATE VIRTUAL TABLE with a source");
  const Source found = resolve_source(shadow_.db(), shadow_.schema(), source, Told::kChanges);
  shadow_.create();
  shadow_.write_meta(kSourceRow, crivo::sqlite::to_text(found));
  fill({.spec = spec, .page_bytes = shadow_.row_room() - kRowHeaderBytes}, found);
  SourceTriggers(shadow_).create(found, Told::kChanges);
}

const SketchState& SketchTable::state() {
  if (text_ && shadow_.meta_is(kStateRow, *text_)) return state_;
  std::optional<std::string> text = shadow_.read_meta(kStateRow);
  if (!text) throw HostError{SQLITE_CORRUPT_VTAB, "table _meta must have a text as its row 'state', got none"};
  state_ = parse_sketch_state(*text);
  text_ = std::move(text);
  return state_;
}

Sketch SketchTable::sketch_of(const Source& source, const SketchSpec& spec) {
  Sketch sketch = unwrap(Sketch::create(spec, max_payload_bytes(shadow_.db())));
  visit_values(shadow_, source, [&](sqlite3_value* key) { change_sketch(sketch, key, true); });
  return sketch;
}

void SketchTable::fill(const SketchState& state, const Source& source) {
  const Sketch sketch = sketch_of(source, state.spec);
  shadow_.erase_pages(first_page(state.half), first_page(state.half) + kHalf - 1);  // what a rebuild left that failed
  SketchRows rows(shadow_, spare_, state, true);
  rows.sketch().store(sketch);
  rows.count_keys(0, static_cast<std::int64_t>(sketch.keys()));
  rows.store();
  shadow_.write_meta(kStateRow, to_text(state));  // from here on, the new pages count
}

void SketchTable::rebuild() {
  require_own_statement(shadow_.db(), "op rebuild of a table with a source");
  SketchState fresh = state();
  fresh.half = 1 - fresh.half;
  const Source source = present_source(shadow_, Told::kChanges);
  SourceTriggers(shadow_).require_names();  // first: inside BEGIN a rebuild that fails leaves what it has done
  fill(fresh, source);
  shadow_.erase_pages(first_page(1 - fresh.half), first_page(1 - fresh.half) + kHalf - 1);
  tie_again(shadow_, source, Told::kChanges);
}

bool SketchTable::follow(std::string_view op, sqlite3_value* came, sqlite3_value* went, int conflict) {
  if (!op.starts_with("follow")) return false;
  const SketchState& now = state();
  require_told(shadow_.db(), watch_.look(shadow_), conflict, !op.starts_with("follow insert"));
  if (op != "follow inserted" && op != "follow updated" && op != "follow deleted") return true;  // not written yet
  SketchRows rows(shadow_, spare_, now);
  rows.change(went, false);
  rows.change(came, true);
  rows.store();
  return true;
}

Sketch SketchTable::part(std::uint64_t first, std::optional<std::uint64_t> symbols) {
  require_following(shadow_);
  const SketchState& now = state();
  const std::uint64_t all = now.spec.symbols;
  SketchRows rows(shadow_, spare_, now);
  return rows.part(first, symbols.value_or(all - std::min(first, all)));
}

void SketchTable::check(bool against_source) {
  const SketchState& now = state();
  SketchRows rows(shadow_, spare_, now);
  const Sketch kept = rows.part(0, now.spec.symbols);
  rows.release();
  if (!against_source) return;
  require_following(shadow_);
  const Source source = present_source(shadow_, Told::kChanges);
  if (kept.to_blob() == sketch_of(source, now.spec).to_blob()) return;
  throw SqlError{"symbols must be those of the values of " + crivo::sqlite::to_text(source) +
                 ", got others; rebuild the sketch"};
}

JsonObject SketchTable::info() {
  const SketchState& now = state();
  std::uint64_t pages = 0, bytes = 0;
  shadow_.visit_pages(first_page(now.half), [&](std::int64_t number, std::span<const std::byte> row) {
    if (number >= first_page(now.half) + kHalf) return false;
    ++pages;
    bytes += row.size();
    return true;
  });
  SketchRows rows(shadow_, spare_, now);
  JsonObject info;
  info.add("kind", json_text(kKind));
  info.add("symbols", std::to_string(now.spec.symbols));
  info.add("key_type", json_text(sketch_keys_text(now.spec)));
  info.add("keys", std::to_string(rows.keys(0)));
  info.add("seed", std::to_string(static_cast<std::int64_t>(now.spec.seed)));
  info.add("pages", std::to_string(pages));
  info.add("bytes", std::to_string(bytes));
  return info;
}

}  // namespace crivo::sqlite
