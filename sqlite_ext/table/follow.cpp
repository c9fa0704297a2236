#include "table/follow.h"

#include <algorithm>

#include "crivo/hash.h"
#include "table/distinct.h"
#include "values/owned_value.h"
#include "values/running.h"

namespace crivo::sqlite {
namespace {

constexpr std::string_view kSourceRow = "source";  // as it was written, for when the triggers are gone
constexpr std::uint64_t kLeastCapacity = 10000;
/// So many keys are added at a time, in the order of their pages. They take 1 MiB.
constexpr std::size_t kBatch = std::size_t{1} << 17;
/// What a counter of 4 bits can hold. From there on it stays as it is, whatever is removed.
constexpr std::uint64_t kFullCounter = 15;

std::string from_clause(const std::string& schema, const Source& source) {
  return " FROM " + quoted_name(schema) + "." + quoted_name(source.table);
}

/// Calls `visit(value)` for each value of the source that is not NULL.
template <class Visit>
void visit_values(FilterTable& table, const Source& source, const Visit& visit) {
  const std::string column = quoted_name(source.column);
  Statement statement(table.db(),
                      "SELECT " + column + from_clause(table.schema(), source) + " WHERE " + column + " IS NOT NULL");
  Use use(statement);
  while (use.step()) {
    const OwnedValue value = copy_of(use.value(0));
    visit(KeyBytes(value.get()).view());
  }
}

/// The different values, since a key that is added again takes no more room. If there are at most `enough` values, this
/// is how many they are, different or not.
std::uint64_t count_values(FilterTable& table, const Source& source, std::uint64_t enough) {
  Statement statement(table.db(),
                      "SELECT count(" + quoted_name(source.column) + ")" + from_clause(table.schema(), source));
  Use use(statement);
  const std::uint64_t values = use.step() ? static_cast<std::uint64_t>(use.integer(0)) : 0;
  if (values <= enough) return values;
  DistinctHashes hashes;
  visit_values(table, source, [&](std::string_view key) { hashes.add(hash_key(key, 0)); });
  return hashes.count();
}

std::uint64_t roomy(std::uint64_t values) noexcept { return std::clamp(2 * values, kLeastCapacity, kMaxCapacity); }

void fill(FilterTable& table, FilterTable& from, const Source& source) {
  const std::uint64_t seed = table.state().spec.seed;
  std::vector<std::uint64_t> hashes;
  hashes.reserve(kBatch);
  visit_values(from, source, [&](std::string_view key) {
    hashes.push_back(hash_key(key, seed));
    if (hashes.size() < kBatch) return;
    table.add_hashes(hashes);
    hashes.clear();
  });
  table.add_hashes(hashes);
}

SourceTriggers triggers_of(FilterTable& table) { return {table.db(), table.schema(), table.name()}; }

Source resolved(FilterTable& table) {
  const std::optional<Source> source = source_of(table);
  if (!source) throw HostError{SQLITE_CORRUPT_VTAB, "table _meta must have a text as its row 'source', got none"};
  return resolve_source(table.db(), table.schema(), *source);
}

/// Writes down the source's present name, which only the triggers have, and with them it is gone.
void keep_source(FilterTable& table) {
  const std::string name = to_text(source_of(table).value_or(Source{}));
  if (table.read_meta(kSourceRow) != name) table.write_meta(kSourceRow, name);
}

}  // namespace

bool is_following(FilterTable& table) { return triggers_of(table).complete(); }

void require_following(FilterTable& table) {
  if (is_following(table)) return;
  const std::optional<Source> source = source_of(table);
  throw SqlError{"source " + (source ? to_text(*source) : "") +
                 " must have told the filter of every change, got a table that was dropped or made anew, or "
                 "triggers or a column that were; insert 'rebuild' as op once the table is there"};
}

std::optional<Source> source_of(FilterTable& table) {
  const std::optional<std::string> text = table.read_meta(kSourceRow);
  if (!text) return std::nullopt;
  const std::optional<Source> source = triggers_of(table).source();
  return source ? source : parse_source(*text);
}

void create_following(FilterTable& table, TableSpec spec, const Source& source) {
  require_no_other_writer(table.db(), "CREATE VIRTUAL TABLE with a source");
  const Source found = resolve_source(table.db(), table.schema(), source);
  if (spec.filter.capacity == 0) spec.filter.capacity = roomy(count_values(table, found, 0));
  table.create(spec);
  table.write_meta(kSourceRow, to_text(found));
  fill(table, table, found);
  triggers_of(table).create(found);
}

void follow(FilterTable& table, sqlite3_value* came, sqlite3_value* went) {
  const TableState& state = table.state();
  if (!state.has_source) throw SqlError{"op follow must go to a table with a source, got one without"};
  if (table.is_schema_new()) keep_source(table);
  const KeyBytes added(came);
  const KeyBytes removed(went);
  if (!added.is_null() && !removed.is_null() && added.view() == removed.view()) return;
  if (!added.is_null()) table.add_hash(hash_key(added.view(), state.spec.seed), false);
  if (removed.is_null()) return;
  if (state.spec.kind != Kind::kCounting) return table.add_stale();
  const std::optional<std::uint64_t> hash = table.find(removed.view());
  if (!hash) return;
  if (table.count(*hash) >= kFullCounter) table.add_stale();  // it will be found until the next rebuild
  table.remove_hash(*hash);
}

void rebuild_following(FilterTable& table) {
  require_own_statement(table.db(), "op rebuild of a table with a source");
  const Source source = resolved(table);
  const std::uint64_t capacity = table.state().spec.capacity;
  const std::uint64_t values = count_values(table, source, capacity);
  table.replace(values > capacity ? roomy(values) : capacity, [&](FilterTable& fresh) { fill(fresh, table, source); });
  const SourceTriggers triggers = triggers_of(table);
  if (triggers.complete()) return;
  table.write_meta(kSourceRow, to_text(source));  // first, as only the triggers may have had its present name
  triggers.drop();
  triggers.create(source);
}

void drop_following(FilterTable& table) {
  triggers_of(table).drop();
  table.drop();
}

// SQLite has changed the name in the triggers' texts by now, but not the names of the triggers. They are made anew only
// where none is missing: the filter must not forget that it is not told of every change.
void rename_following(FilterTable& table, const std::string& name) {
  const std::optional<Source> source = source_of(table);
  const SourceTriggers triggers = triggers_of(table);
  const bool follows = source && triggers.complete();
  if (source) table.write_meta(kSourceRow, to_text(*source));  // by its present name, which the triggers had
  triggers.drop();
  table.rename(name);
  if (follows) SourceTriggers(table.db(), table.schema(), name).create(*source);
}

void check_following(FilterTable& table) {
  const Source source = resolved(table);
  visit_values(table, source, [&](std::string_view key) {
    if (!table.find(key)) {
      throw SqlError{"value of " + to_text(source) + " must be found, got one that is not; rebuild the filter"};
    }
  });
}

}  // namespace crivo::sqlite
