#include "table/sketch_table.h"

#include "crivo/host/text.h"
#include "table/state_text.h"
#include "values/running.h"
#include "values/sketch_keys.h"

namespace crivo::sqlite {
namespace {

constexpr std::string_view kKind = "sketch";
constexpr std::size_t kMostChangedBytes = std::size_t{16} << 20;  // before pages are stored
/// The first page of the second half: behind all that a sketch of 2^32 symbols can have.
constexpr std::int64_t kHalf = std::int64_t{1} << 40;

std::int64_t first_page(unsigned half) noexcept { return half * kHalf; }
std::int64_t last_page(unsigned half) noexcept { return first_page(half) + kHalf - 1; }

[[noreturn]] void misplaced_page(std::int64_t number, const char* must) {
  throw HostError{SQLITE_CORRUPT_VTAB, "page " + std::to_string(number) + " in table _pages must " + must};
}

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
    misplaced_page(static_cast<std::int64_t>(page), "be there, got none");
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
  /// The keys of the sketch, modulo 2^64.
  [[nodiscard]] std::uint64_t all_keys() {
    (void)read(0);
    return keys(0);
  }
  [[nodiscard]] Sketch part(std::uint64_t first, std::uint64_t symbols, std::uint64_t max_bytes) {
    return unwrap(sketch_.part(first, symbols, all_keys(), max_bytes));
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
  state.page_bytes = fields.page_bytes();
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
  if (had_row && around.others_may_write) {
    throw SqlError{
        "source must not have a BEFORE trigger that writes where its rows are changed or deleted, got one (" +
        around.other + "), which might change the very row"};
  }
  if (had_row && replaces && !around.other.empty()) {
    throw SqlError{
        "source must not have triggers, or foreign keys that refer to it, where REPLACE replaces a row, got " +
        in_quotes(around.other)};
  }
  if (!around.other.empty() && (!around.ender.empty() || conflict == SQLITE_FAIL)) {
    throw SqlError{
        "source must not have triggers, or foreign keys that refer to it, where a statement can end by FAIL or " +
        ("RAISE(IGNORE) before the sketch is told of a row, got " + in_quotes(around.other)) +
        (around.ender.empty()           ? ", and OR FAIL"
         : around.ender == around.other ? ""
                                        : ", and " + in_quotes(around.ender))};
  }
  if (is_in_function_of_writer(db)) {
    throw SqlError{
        "source must not be changed by a function that a statement calls while it writes, got such a change"};
  }
}

/// Whether the two are the same key. The type counts: '1' is no key of a sketch of integers.
bool is_same(sqlite3_value* a, sqlite3_value* b) {
  return sqlite3_value_type(a) == sqlite3_value_type(b) && KeyBytes(a).view() == KeyBytes(b).view();
}

}  // namespace

bool SketchTable::is_state(std::string_view text) { return text.starts_with(begin_state(kKind) + " "); }

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
  shadow_.erase_pages(first_page(state.half), last_page(state.half));  // what a rebuild left that failed
  SketchRows rows(shadow_, spare_, state, true);
  for (std::uint64_t page = 0; page < rows.sketch().pages(); ++page) {
    rows.sketch().store(sketch, page);
    if (page == 0) rows.count_keys(0, static_cast<std::int64_t>(sketch.keys()));
    if (rows.kept_bytes() > kMostChangedBytes) rows.store();
  }
  rows.store();
  shadow_.write_meta(kStateRow, to_text(state));  // from here on, the new pages count
}

void SketchTable::rebuild() {
  require_own_statement(shadow_.db(), "op rebuild of a table with a source");
  SketchState fresh = state();
  fresh.half = 1 - fresh.half;
  fresh.page_bytes = shadow_.row_room() - kRowHeaderBytes;
  const Source source = present_source(shadow_, Told::kChanges);
  SourceTriggers(shadow_).require_names();  // first: inside BEGIN a rebuild that fails leaves what it has done
  fill(fresh, source);
  shadow_.erase_pages(first_page(1 - fresh.half), last_page(1 - fresh.half));
  tie_again(shadow_, source, Told::kChanges);
}

bool SketchTable::follow(std::string_view op, sqlite3_value* came, sqlite3_value* went, int conflict) {
  const bool is_told_before = op == "follow insert" || op == "follow" || op == "follow delete";
  if (!is_told_before && op != "follow inserted" && op != "follow updated" && op != "follow deleted") return false;
  const SketchState& now = state();
  require_told(shadow_.db(), watch_.look(shadow_), conflict, !op.starts_with("follow insert"));
  if (is_told_before) {
    is_rolled_back_ = false;
    return true;
  }
  if (is_rolled_back_)
    throw SqlError{"row of the source must be there, got one that a rollback has taken back meanwhile"};
  if (op == "follow updated" && is_same(came, went)) return true;
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
  return rows.part(first, symbols.value_or(all - std::min(first, all)), max_payload_bytes(shadow_.db()));
}

template <class Visit>
void SketchTable::visit_rows(const Visit& visit) {
  const SketchState& now = state();
  SketchRows rows(shadow_, spare_, now);
  const std::uint64_t pages = rows.sketch().pages();
  std::uint64_t next = 0;
  shadow_.visit_pages(INT64_MIN, [&](std::int64_t number, std::span<const std::byte> row) {
    const auto page = static_cast<std::uint64_t>(number - first_page(now.half));
    if (number >= first_page(1 - now.half) && number <= last_page(1 - now.half))
      return true;  // of a rebuild that failed
    if (page != next || page >= pages) misplaced_page(number, "be one of the sketch's, of which none may be missing");
    check_row(number, row, rows.sketch().bytes_of(page), {});
    visit(row);
    ++next;
    return true;
  });
  if (next != pages) misplaced_page(first_page(now.half) + static_cast<std::int64_t>(next), "be there, got none");
}

void SketchTable::check(bool against_source) {
  visit_rows([](std::span<const std::byte>) {});
  if (!against_source) return;
  require_following(shadow_);
  const Source source = present_source(shadow_, Told::kChanges);
  const SketchSpec spec = state().spec;
  if (part(0, spec.symbols).to_blob() == sketch_of(source, spec).to_blob()) return;
  throw SqlError{"symbols must be those of the values of " + crivo::sqlite::to_text(source) +
                 ", got others; rebuild the sketch"};
}

JsonObject SketchTable::info() {
  std::uint64_t pages = 0, bytes = 0;
  visit_rows([&](std::span<const std::byte> row) {
    ++pages;
    bytes += row.size();
  });
  const SketchState& now = state();
  SketchRows rows(shadow_, spare_, now);
  JsonObject info;
  info.add("kind", json_text(kKind));
  info.add("symbols", std::to_string(now.spec.symbols));
  info.add("key_type", json_text(sketch_keys_text(now.spec)));
  info.add("keys", std::to_string(rows.all_keys()));
  info.add("seed", std::to_string(static_cast<std::int64_t>(now.spec.seed)));
  info.add("pages", std::to_string(pages));
  info.add("bytes", std::to_string(bytes));
  return info;
}

}  // namespace crivo::sqlite
