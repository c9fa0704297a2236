// The steps of a walk: a small function for each, and a table of them at the end.
#include <rocksdb/convenience.h>
#include <rocksdb/utilities/optimistic_transaction_db.h>
#include <rocksdb/utilities/transaction_db.h>
#include <rocksdb/write_batch.h>

#include <algorithm>

#include "crivo/rocksdb_refilter.h"
#include "model_walk.h"

namespace crivo::testing::model {
namespace {

std::string draw_key(Walk& walk) {
  return spelled(key_text(walk.random().below(kKeys)), *walk.nature().comparator, walk.random());
}

/// Consecutive keys to write, in their order. They make files that do not overlap, which RocksDB moves to a lower level
/// without rewriting them.
std::vector<std::string> draw_keys(Walk& walk) {
  std::vector<std::string> keys(10 + walk.random().below(300));
  if (walk.random().percent(40)) {
    std::vector<std::string> all;
    for (std::uint64_t i = 0; i < kKeys; ++i) all.push_back(key_text(i));
    std::ranges::sort(all);
    const std::size_t first = walk.random().below(all.size());
    for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = all[(first + i) % all.size()];
  } else {
    for (std::string& key : keys) key = draw_key(walk);
  }
  return keys;
}

void put_keys(Walk& walk) {
  const std::size_t family = walk.draw_family();
  (void)walk.new_timestamp();
  auto batch = walk.new_batch();
  Contents written = walk.contents(family);
  for (const std::string& key : draw_keys(walk)) {
    written[key] = walk.new_value();
    walk.put(batch, family, key, written[key]);
  }
  check(walk.db().Write({}, &batch), "Write");
  walk.contents(family) = std::move(written);
}

void delete_keys(Walk& walk) {
  const std::size_t family = walk.draw_family();
  (void)walk.new_timestamp();
  auto batch = walk.new_batch();
  const std::size_t count = walk.random().below(60);
  std::vector<std::string> keys;
  for (std::size_t i = 0; i < count; ++i) keys.push_back(draw_key(walk));
  for (const std::string& key : keys) walk.erase(batch, family, key);
  check(walk.db().Write({}, &batch), "Write");
  for (const std::string& key : keys) walk.contents(family).erase(key);
}

/// Puts keys once that no other step writes, and deletes some of the present ones with SingleDelete.
void single_delete(Walk& walk) {
  const bool locks = walk.session().transactions == Transactions::kPessimistic;
  if (walk.nature().timestamps || locks) throw NotSupported("single deletes with timestamps or locks");
  const std::size_t family = walk.draw_family();
  Contents& contents = walk.contents(family);
  auto batch = walk.new_batch();
  std::vector<std::string> there;
  for (const auto& [key, value] : contents) {
    if (key.find('_') != std::string::npos && walk.random().percent(60)) there.push_back(key);
  }
  for (const std::string& key : there) check(batch.SingleDelete(walk.handle(family), key), "SingleDelete");
  Contents added(contents.key_comp());
  for (int i = 0; i < 20; ++i) {
    const std::string value = walk.new_value();
    const std::string key =
        draw_key(walk) + "_" + value.substr(value.find(' ') + 1, value.find('.') - value.find(' ') - 1);
    added[key] = value;
    walk.put(batch, family, key, value);
  }
  check(walk.db().Write({}, &batch), "Write");
  for (const std::string& key : there) contents.erase(key);
  for (const auto& [key, value] : added) contents[key] = value;
}

void delete_range(Walk& walk) {
  const std::size_t family = walk.draw_family();
  Contents& contents = walk.contents(family);
  std::string from = draw_key(walk);
  std::string to = draw_key(walk);
  if (walk.random().percent(70)) {  // a short range
    auto entry = contents.lower_bound(from);
    for (std::size_t i = walk.random().below(50); i > 0 && entry != contents.end(); --i) ++entry;
    if (entry != contents.end()) to = entry->first;
  }
  if (contents.key_comp()(to, from)) std::swap(from, to);
  const rocksdb::Slice timestamp = walk.new_timestamp();
  check(walk.nature().timestamps ? walk.db().DeleteRange({}, walk.handle(family), from, to, timestamp)
                                 : walk.db().DeleteRange({}, walk.handle(family), from, to),
        "DeleteRange");
  contents.erase(contents.lower_bound(from), contents.lower_bound(to));
}

void merge_keys(Walk& walk) {
  if (walk.nature().timestamps) throw NotSupported("the walk has no merge operator");
  const std::size_t family = walk.draw_family();
  for (int i = 0; i < 30; ++i) {
    const std::string key = draw_key(walk);
    const std::string operand = std::to_string(walk.random().below(1000));
    check(walk.db().Merge({}, walk.handle(family), key, operand), "Merge");
    std::string& value = walk.contents(family)[key];
    value += value.empty() ? operand : "," + operand;
  }
}

/// Puts, deletes and reads in a transaction, which is then committed or rolled back.
void transact(Walk& walk) {
  std::unique_ptr<rocksdb::Transaction> transaction;
  if (walk.session().transactions == Transactions::kPessimistic) {
    transaction.reset(static_cast<rocksdb::TransactionDB&>(walk.db()).BeginTransaction({}));
  } else if (walk.session().transactions == Transactions::kOptimistic) {
    transaction.reset(static_cast<rocksdb::OptimisticTransactionDB&>(walk.db()).BeginTransaction({}));
  } else {
    throw NotSupported("the session has no transactions");
  }
  Model changed = walk.model();
  for (int i = 0; i < 40; ++i) {
    const std::size_t family = walk.draw_family();
    const std::string key = draw_key(walk);
    std::string value;
    const auto got = transaction->GetForUpdate({}, walk.handle(family), key, &value);
    const auto entry = changed[family].find(key);
    if (!got.IsNotFound()) check(got, "GetForUpdate");
    if (got.ok() != (entry != changed[family].end())) throw Failure("LOST: GetForUpdate of \"" + key + "\"");
    if (got.ok() && walk.random().percent(40)) {
      check(transaction->Delete(walk.handle(family), key), "Transaction::Delete");
      changed[family].erase(entry);
    } else {
      changed[family][key] = walk.new_value();
      check(transaction->Put(walk.handle(family), key, changed[family][key]), "Transaction::Put");
    }
  }
  if (walk.random().percent(30)) return check(transaction->Rollback(), "Rollback");
  const auto committed = transaction->Commit();
  if (committed.IsTryAgain() || committed.IsBusy()) return;  // a possible or certain conflict: nothing was written
  check(committed, "Commit");
  for (std::size_t family = 0; family < changed.size(); ++family) walk.contents(family) = std::move(changed[family]);
}

void flush(Walk& walk) { check(walk.db().Flush({}, walk.handle(walk.draw_family())), "Flush"); }

void compact_range(Walk& walk) {
  rocksdb::CompactRangeOptions options;
  options.bottommost_level_compaction = walk.random().percent(50)
                                            ? rocksdb::BottommostLevelCompaction::kForceOptimized
                                            : rocksdb::BottommostLevelCompaction::kIfHaveCompactionFilter;
  options.exclusive_manual_compaction = walk.random().percent(50);
  std::string from = draw_key(walk);
  std::string to = draw_key(walk);
  if (Order{walk.nature().comparator}(to, from)) std::swap(from, to);
  const rocksdb::Slice begin = from;
  const rocksdb::Slice end = to;
  const bool part = walk.random().percent(50);
  auto* const family = walk.handle(walk.draw_family());
  check(walk.db().CompactRange(options, family, part ? &begin : nullptr, part ? &end : nullptr), "CompactRange");
}

/// Compacts some files of one level to a lower level, which RocksDB may refuse.
void compact_files(Walk& walk) {
  if (walk.nature().compaction == rocksdb::kCompactionStyleFIFO) throw NotSupported("FIFO has one level");
  auto* const family = walk.handle(walk.draw_family());
  rocksdb::ColumnFamilyMetaData metadata;
  walk.db().GetColumnFamilyMetaData(family, &metadata);
  std::vector<const rocksdb::LevelMetaData*> levels;
  for (const auto& level : metadata.levels) {
    if (!level.files.empty()) levels.push_back(&level);
  }
  if (levels.empty()) return;
  const auto& level = *walk.random().one_of(levels);
  std::vector<std::string> files;
  for (const auto& file : level.files) {
    if (files.empty() || walk.random().percent(70)) files.push_back(file.name);
  }
  const int target = level.level + static_cast<int>(walk.random().below(3));
  const auto status = walk.db().CompactFiles({}, family, files, target);
  if (!status.IsInvalidArgument() && !status.IsAborted()) check(status, "CompactFiles");
}

/// Rewrites some or all files whose filters differ from the policy's. A compaction may be using some of the files.
void refilter(Walk& walk) {
  const std::uint64_t most = walk.random().below(8);
  RocksDBRefilterOptions options;
  options.column_families = {walk.handle(walk.draw_family())};
  options.remove_filters = true;
  options.progress = [most](const RocksDBRefilterProgress& next) { return next.files < most; };
  const auto status = RefilterRocksDB(walk.db(), options).status;
  if (status.IsInvalidArgument()) throw NotSupported("a policy that writes no filters");
  if (!status.IsIncomplete() && !status.IsTryAgain()) check(status, "RefilterRocksDB");
}

/// Changes filter options in the open database. An option that the session's policy lacks is rejected without an
/// effect.
void set_filter_options(Walk& walk) {
  static const std::vector<std::pair<const char*, const char*>> changes = {
      {"table_factory.filter_policy.bits_per_key", "5"},
      {"table_factory.filter_policy.bits_per_key", "12.5"},
      {"table_factory.filter_policy.bits_per_key", "0.3"},
      {"table_factory.filter_policy.bits_per_key", "-1"},
      {"table_factory.filter_policy.fp_rate", "0.2"},
      {"table_factory.filter_policy.fp_rate", "0.0001"},
      {"table_factory.filter_policy.bloom_before_level", "-1"},
      {"table_factory.filter_policy.bloom_before_level", "1"},
      {"table_factory.filter_policy.bloom_before_level", "3"},
      {"table_factory.filter_policy.bottommost_fp_rate", "0.3"},
      {"table_factory.filter_policy.bottommost_fp_rate", "1"},
      {"table_factory.filter_policy.budget_bits_per_key", "3"},
      {"table_factory.filter_policy.ribbon_levels", "0"},
      {"table_factory.filter_policy.ribbon_levels", "10"},
      {"table_factory.filter_policy.levels", "3"},
      {"table_factory.filter_policy.key_transform", "drop_suffix:2"},
      {"table_factory.filter_policy.key_transform", "none"},
      {"block_based_table_factory", "{filter_policy={bits_per_key=8}}"},
      {"block_based_table_factory", "{filter_policy=crivo.Ribbon:9:-1}"},
      {"block_based_table_factory", "{filter_policy=crivo.Auto:5}"},
      {"block_based_table_factory", "{filter_policy=bloomfilter:9}"},
  };
  const auto& [name, value] = walk.random().one_of(changes);
  const std::size_t family = walk.draw_family();
  const std::string_view last = std::string_view(name).substr(std::string_view(name).find_last_of('.') + 1);
  if (walk.nature().ignores_case && (last == "block_based_table_factory" || last == "key_transform")) {
    throw NotSupported("a filter without the comparator's key transform");
  }
  walk.tell(std::string(name) + "=" + value + " in family " + std::to_string(family));
  (void)walk.db().SetOptions(walk.handle(family), {{name, value}});
}

/// Changes other options that affect filters in the open database.
void set_other_options(Walk& walk) {
  static const std::vector<std::pair<const char*, const char*>> changes = {
      {"prefix_extractor", "rocksdb.FixedPrefix.4"},
      {"prefix_extractor", "rocksdb.FixedPrefix.3"},
      {"prefix_extractor", "rocksdb.CappedPrefix.5"},
      {"prefix_extractor", "nullptr"},
      {"disable_auto_compactions", "false"},
      {"disable_auto_compactions", "true"},
      {"target_file_size_base", "8192"},
  };
  const auto& [name, value] = walk.random().one_of(changes);
  const std::size_t family = walk.draw_family();
  walk.tell(std::string(name) + "=" + value + " in family " + std::to_string(family));
  // In RocksDB 7.8, a running flush or compaction would restore its initial options, and with them the prefix extractor
  // that an iterator uses.
  check(walk.db().PauseBackgroundWork(), "PauseBackgroundWork");
  check(walk.db().SetOptions(walk.handle(family), {{name, value}}), "SetOptions");
  check(walk.db().ContinueBackgroundWork(), "ContinueBackgroundWork");
}

void drop_family(Walk& walk) {
  const std::size_t family = walk.draw_family();
  if (family == 0) throw NotSupported("the default family cannot be dropped");
  walk.drop_family_and_make_it_anew(family);
}

void reopen(Walk& walk) {
  if (walk.random().percent(50)) read_everything(walk.reading());
  walk.reopen();
  if (walk.random().percent(50)) read_everything(walk.reading());
}

}  // namespace

const std::vector<Operation>& operations() {
  static const std::vector<Operation> rows = {
      {"put", 24, put_keys},
      {"delete", 6, delete_keys},
      {"single delete", 4, single_delete},
      {"delete range", 4, delete_range},
      {"merge", 4, merge_keys},
      {"transaction", 6, transact},
      {"flush", 14, flush},
      {"compact range", 4, compact_range},
      {"compact files", 5, compact_files},
      {"refilter", 5, refilter},
      {"ingest", 4, ingest_files},
      {"get", 8, [](Walk& walk) { read_by_get(walk.reading(), 200); }},
      {"multiget", 8, [](Walk& walk) { read_by_multiget(walk.reading()); }},
      {"scan", 3, [](Walk& walk) { read_by_scan(walk.reading()); }},
      {"seek", 5, [](Walk& walk) { read_by_seek(walk.reading()); }},
      {"prefix seek", 8, [](Walk& walk) { read_by_prefix(walk.reading()); }},
      {"filtered scan", 16, [](Walk& walk) { read_by_scan_filter(walk.reading()); }},
      {"snapshot", 3, [](Walk& walk) { walk.remember_moment(); }},
      {"read snapshots", 4, [](Walk& walk) { walk.read_moments(); }},
      {"set filter options", 4, set_filter_options},
      {"set other options", 3, set_other_options},
      {"drop family", 1, drop_family},
      {"reopen", 5, reopen},
      {"secondary instance", 1, ask_secondary_instance},
      {"read-only instance", 1, ask_read_only_instance},
      {"checkpoint", 1, ask_checkpoint},
      {"backup", 1, ask_backup},
  };
  return rows;
}

}  // namespace crivo::testing::model
