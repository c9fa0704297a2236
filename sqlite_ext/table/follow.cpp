#include "table/follow.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "crivo/hash.h"
#include "crivo/host/text.h"
#include "values/value.h"
#include "values/writers.h"

namespace crivo::sqlite {
namespace {

constexpr std::uint64_t kMinCapacity = 10000;
/// The number of keys that are sorted by page and added at a time. Their hashes take 1 MiB.
constexpr std::size_t kBatch = std::size_t{1} << 17;
/// The maximum of a 4-bit counter. A counter that reaches this value never changes again.
constexpr std::uint64_t kFullCounter = 15;

/// Estimates the number of different keys by k minimum values (Bar-Yossef et al. 2002, "Counting Distinct Elements in a
/// Data Stream"). Stores the smallest hashes, in 1 MiB. The count is exact up to kExact different hashes. For more
/// hashes, the density of the smallest ones gives an estimate with a standard error of 1 / sqrt(kExact) = 0.4%.
class DistinctHashes {
 public:
  void add(std::uint64_t hash) {
    if (hash > largest_) return;
    smallest_.push_back(hash);
    if (smallest_.size() == 2 * kExact) shrink();
  }

  [[nodiscard]] std::uint64_t count() {
    shrink();
    if (largest_ == UINT64_MAX) return smallest_.size();
    const double share = (static_cast<double>(largest_) + 1) / 0x1p64;  // of the hash space, up to largest_
    return static_cast<std::uint64_t>(std::llround((kExact - 1) / share));
  }

 private:
  static constexpr std::size_t kExact = std::size_t{1} << 16;

  void shrink() {
    std::ranges::sort(smallest_);
    smallest_.erase(std::unique(smallest_.begin(), smallest_.end()),
                    smallest_.end());  // clang-tidy 14 cannot parse ranges::unique
    if (smallest_.size() <= kExact) return;
    smallest_.resize(kExact);
    largest_ = smallest_.back();
  }

  std::vector<std::uint64_t> smallest_;
  std::uint64_t largest_ = UINT64_MAX;
};

std::string from_clause(const std::string& schema, const Source& source) {
  return " FROM " + quoted_name(schema) + "." + quoted_name(source.table);
}

/// Calls `visit` for each non-NULL value of the source.
template <class Visit>
void visit_values(ShadowTables& shadow, const Source& source, const Visit& visit) {
  const std::string column = quoted_name(source.column);
  Statement statement(shadow.db(),
                      "SELECT " + column + from_clause(shadow.schema(), source) + " WHERE " + column + " IS NOT NULL");
  Use use(statement);
  while (use.step()) visit(copy_of(use.value(0)).get());
}

/// Estimates the number of different values, because repeated keys take no more space. If there are at most `enough`
/// values, returns their total instead.
std::uint64_t count_values(ShadowTables& shadow, const Source& source, std::uint64_t enough) {
  Statement statement(shadow.db(),
                      "SELECT count(" + quoted_name(source.column) + ")" + from_clause(shadow.schema(), source));
  Use use(statement);
  const std::uint64_t values = use.step() ? static_cast<std::uint64_t>(use.integer(0)) : 0;
  if (values <= enough) return values;
  DistinctHashes hashes;
  visit_values(shadow, source, [&](sqlite3_value* key) { hashes.add(hash_key(KeyBytes(key).view(), 0)); });
  return hashes.count();
}

std::uint64_t capacity_for(std::uint64_t values) noexcept { return std::clamp(2 * values, kMinCapacity, kMaxCapacity); }

void fill(Operation& table, const Source& source) {
  const std::uint64_t seed = table.state().spec.seed;
  std::vector<std::uint64_t> hashes;
  hashes.reserve(kBatch);
  visit_values(table.shadow(), source, [&](sqlite3_value* key) {
    hashes.push_back(hash_key(KeyBytes(key).view(), seed));
    if (hashes.size() < kBatch) return;
    table.add_hashes(hashes);
    hashes.clear();
  });
  table.add_hashes(hashes);
}

void increment_stale_count(ShadowTables& shadow) { shadow.write_meta(kStaleRow, std::to_string(stale(shadow) + 1)); }

TriggerSet triggers_for(const FilterSpec& spec) noexcept {
  return can_remove(spec.kind) ? TriggerSet::kCountedKeys : TriggerSet::kKeys;
}

/// The source of a table under its current names. Throws SqlError if the source no longer exists.
Source present_source(ShadowTables& shadow) {
  const std::optional<Source> source = source_of(shadow);
  if (!source) throw HostError{SQLITE_CORRUPT_VTAB, "table _meta must have a text as its row 'source', got none"};
  return resolve_source(shadow.db(), shadow.schema(), *source);
}

/// Recreates the triggers unless they have existed since the table was filled.
void restore_triggers(ShadowTables& shadow, const Source& source, TriggerSet set) {
  const SourceTriggers triggers(shadow);
  if (triggers.complete()) return;
  // Written first: the triggers, which are dropped next, may be the only place that has the source's current name.
  shadow.write_meta(kSourceRow, to_text(source));
  triggers.drop();
  triggers.create(source, set);
}

}  // namespace

bool is_following(ShadowTables& shadow) { return SourceTriggers(shadow).complete(); }

void require_following(ShadowTables& shadow) {
  if (is_following(shadow)) return;
  const std::optional<Source> source = source_of(shadow);
  throw SqlError{"source " + (source ? to_text(*source) : "") +
                 " must have kept this table's triggers, got dropped or changed ones; insert 'rebuild' as op once the "
                 "source exists"};
}

std::optional<Source> source_of(ShadowTables& shadow) {
  const std::optional<std::string> text = shadow.read_meta(kSourceRow);
  if (!text) return std::nullopt;
  const std::optional<Source> source = SourceTriggers(shadow).source();
  return source ? source : parse_source(*text);
}

std::uint64_t stale(ShadowTables& shadow) {
  const std::optional<std::string> text = shadow.read_meta(kStaleRow);
  if (!text) return 0;
  if (const auto stale = read_number<std::uint64_t>(*text)) return *stale;
  throw HostError{SQLITE_CORRUPT_VTAB, "table _meta must have a number as its row 'stale', got " + in_quotes(*text)};
}

void create_following(ShadowTables& shadow, TableSpec wanted, const Source& source) {
  require_no_other_writer(shadow.db(), "CREATE VIRTUAL TABLE with a source");
  const Source found = resolve_source(shadow.db(), shadow.schema(), source);
  if (wanted.spec.capacity == 0) wanted.spec.capacity = capacity_for(count_values(shadow, found, 0));
  create_table(shadow, wanted, to_text(found));
  FilterTable table(shadow);
  Operation filling(table);
  fill(filling, found);
  SourceTriggers(shadow).create(found, triggers_for(wanted.spec));
}

// INSERT OR IGNORE or an upsert can skip a row after the BEFORE trigger has reported the row's key. If this trigger
// counted the key, the count would then be one too high. So the BEFORE trigger adds only a key that the filter does not
// find. The AFTER trigger counts any other key, once the row is written. This requires that the AFTER trigger certainly
// fires: no other trigger can end the statement in between, and no row is replaced. Otherwise the BEFORE trigger counts
// every key.
//
// The reported old value is uncertain if the row may have changed after SQLite read its values: by a BEFORE trigger, by
// a function, or by a trigger or cascade of a row that REPLACE deletes.
void Follower::follow(FilterTable& table, TriggerOp op, sqlite3_value* new_value, sqlite3_value* old_value,
                      bool or_replace) {
  const KeyBytes added(new_value);
  const KeyBytes removed(old_value);
  const bool is_same = !added.is_null() && !removed.is_null() && added.view() == removed.view();
  // Most updates do not change the column. For these updates, the table's state is not read.
  const SourceHazards* seen = watch_.seen();
  const bool is_nothing = is_same && seen != nullptr && !or_replace && !seen->has_replace && !seen->is_generated;
  if (is_nothing && (op == TriggerOp::kUpdate || op == TriggerOp::kUpdated)) return;
  Operation operation(table);
  if (!operation.state().has_source) throw SqlError{"table must have a source for op follow, got no source"};
  const SourceHazards& hazards = watch_.refresh(table.shadow);
  const bool replaces = or_replace || hazards.has_replace;
  switch (op) {
    case TriggerOp::kInsert:
      begin_insert(operation, added, !replaces && !hazards.has_foreign_insert_trigger);
      break;
    case TriggerOp::kInserted:
      end_insert(operation, added);
      break;
    case TriggerOp::kUpdate:
      if (!is_same || replaces) add(operation, added);
      break;
    case TriggerOp::kUpdated:
      if (hazards.is_generated && hazards.foreign_trigger_may_write) add(operation, added);
      if (!is_same) remove(operation, removed, !replaces && !hazards.foreign_trigger_may_write);
      break;
    case TriggerOp::kDeleted:
      remove(operation, removed, !hazards.foreign_trigger_may_write);
      break;
    case TriggerOp::kDefault:
      if (!replaces) break;
      throw SqlError{
          "column of the source must not be NULL in REPLACE: triggers do not see the default that replaces it"};
  }
}

// Only the triggers have the source's current name, and triggers can be dropped, so the name is also stored. A rollback
// can remove the stored name without notice, so a connection that has stored the name checks it at each call.
const SourceHazards& SourceWatch::refresh(ShadowTables& shadow) {
  if (schema_ != shadow.schema_seen()) {
    const std::optional<Source> source = source_of(shadow);
    hazards_ = SourceTriggers(shadow).hazards(source.value_or(Source{}));
    source_ = to_text(source.value_or(Source{}));
    has_written_ = false;
    schema_ = shadow.schema_seen();
  } else if (!has_written_) {
    return hazards_;
  }
  if (!shadow.meta_equals(kSourceRow, source_)) {
    has_written_ = true;
    shadow.write_meta(kSourceRow, source_);
  }
  return hazards_;
}

void Follower::begin_insert(Operation& table, const KeyBytes& key, bool is_counted_later) {
  if (key.is_null()) return;
  if (!can_remove(table.state().spec.kind)) return add(table, key);  // there is no AFTER INSERT trigger
  const std::uint64_t hash = hash_key(key.view(), table.state().spec.seed);
  const bool is_new = table.add_hash(hash, /*only_if_absent=*/is_counted_later);
  const bool waits = is_counted_later && !is_new;
  if (!waits && !uncounted_) return;
  if (is_in_function_of_writer(table.shadow().db())) {
    // The uncounted row may be the one that the function's caller is inserting, so it stays. This row is counted now.
    if (waits) add(table, key);
    return;
  }
  uncounted_ = waits ? std::optional(hash) : std::nullopt;  // the previous row, if still uncounted, was skipped
}

void Follower::end_insert(Operation& table, const KeyBytes& key) {
  if (key.is_null() || uncounted_ != hash_key(key.view(), table.state().spec.seed)) return;
  if (is_in_function_of_writer(table.shadow().db())) return;
  uncounted_.reset();
  add(table, key);
}

void Follower::add(Operation& table, const KeyBytes& key) {
  if (!key.is_null()) (void)table.add_hash(hash_key(key.view(), table.state().spec.seed), /*only_if_absent=*/false);
}

void Follower::remove(Operation& table, const KeyBytes& key, bool is_certain) {
  if (key.is_null()) return;
  const FilterSpec& spec = table.state().spec;
  if (!can_remove(spec.kind) || !is_certain || is_in_function_of_writer(table.shadow().db())) {
    return increment_stale_count(table.shadow());
  }
  const Result<std::uint64_t> before = table.remove_hash(hash_key(key.view(), spec.seed));
  // A full counter cannot be decremented, so the key is found until the next rebuild. If the filter does not have the
  // key, the key was never added, so nothing is stale.
  const bool may_be_full = spec.kind == Kind::kCounting;
  if (may_be_full && before.has_value() && *before >= kFullCounter) increment_stale_count(table.shadow());
}

void rebuild_following(ShadowTables& shadow) {
  require_own_statement(shadow.db(), "op rebuild of a table with a source");
  FilterTable table(shadow);
  Operation rebuild(table);
  const TriggerSet set = triggers_for(rebuild.state().spec);
  const Source source = present_source(shadow);
  SourceTriggers(shadow).require_names();  // first, because inside BEGIN a failed rebuild is not rolled back
  const std::uint64_t capacity = rebuild.state().spec.capacity;
  const std::uint64_t values = count_values(shadow, source, capacity);
  rebuild.replace(values > capacity ? capacity_for(values) : capacity, [&](Operation& fresh) { fill(fresh, source); });
  shadow.erase_meta(kStaleRow);
  restore_triggers(shadow, source, set);
}

void drop_following(ShadowTables& shadow) {
  SourceTriggers(shadow).drop();
  shadow.drop();
}

// SQLite has already changed the table's name in the triggers' texts, but not the triggers' names. The triggers are
// recreated only if they are complete: a filter that missed changes must not appear to follow its source again.
void rename_following(ShadowTables& shadow, const std::string& name) {
  const std::optional<Source> source = source_of(shadow);
  const SourceTriggers triggers(shadow);
  const bool follows = source && triggers.complete();
  const TriggerSet set = triggers.set();
  if (source) shadow.write_meta(kSourceRow, to_text(*source));  // under its current name, from the triggers
  triggers.drop();
  shadow.rename(name);
  if (!follows) return;
  ShadowTables renamed(shadow.db(), shadow.schema(), name);
  SourceTriggers(renamed).create(*source, set);
}

void check_following(Operation& table) {
  (void)stale(table.shadow());  // throws if the row is damaged
  const Source source = present_source(table.shadow());
  visit_values(table.shadow(), source, [&](sqlite3_value* key) {
    if (!table.find(KeyBytes(key).view())) {
      throw SqlError{"value of " + to_text(source) + " must be in the filter, got an absent one; rebuild the filter"};
    }
  });
}

}  // namespace crivo::sqlite
