// The settings of a walk's database: a table of policies, and the tables of table_settings.h.
#include <rocksdb/convenience.h>
#include <rocksdb/merge_operator.h>

#include <algorithm>

#include "canonical_comparator.h"
#include "model.h"
#include "table_settings.h"
#include "unsynced.h"

namespace crivo::testing::model {
namespace {

rocksdb::ColumnFamilyOptions base_family(const Nature& nature) {
  rocksdb::ColumnFamilyOptions family;
  family.comparator = nature.comparator;
  family.compaction_style = nature.compaction;
  family.level_compaction_dynamic_level_bytes = nature.dynamic_levels;
  family.compression = rocksdb::kNoCompression;
  family.level0_file_num_compaction_trigger = 3;
  family.max_bytes_for_level_base = 32 << 10;  // so that a few thousand keys fill several levels with several files
  family.max_bytes_for_level_multiplier = 3;
  family.target_file_size_base = 16 << 10;
  if (nature.compaction == rocksdb::kCompactionStyleFIFO) family.num_levels = 1;
  family.compaction_options_fifo.max_table_files_size = std::uint64_t{1} << 40;  // FIFO must not drop a file
  family.compaction_options_fifo.allow_compaction = true;
  family.ttl = 0;
  if (!nature.timestamps) {
    check(rocksdb::MergeOperator::CreateFromString({}, "stringappend", &family.merge_operator), "stringappend");
  }
  return family;
}

rocksdb::ColumnFamilyOptions draw_family(const Nature& nature, const Policy& policy, Random& random,
                                         std::vector<std::string>& names) {
  Knobs knobs{base_family(nature), {}};
  knobs.table.filter_policy = policy;
  for (const auto& row : kTableSettings) {
    if (!random.percent(row.percent)) continue;
    row.apply(knobs, random);
    names.emplace_back(row.name);
  }
  knobs.family.table_factory.reset(rocksdb::NewBlockBasedTableFactory(knobs.table));
  knobs.family.table_properties_collector_factories.push_back(NewRocksDBFilterCollectorFactory());
  if (auto scans = draw_scan_collector(random)) knobs.family.table_properties_collector_factories.push_back(scans);
  return knobs.family;
}

const rocksdb::Comparator* case_comparator() {
  static const CanonicalComparator comparator("test.CaseComparator", lower_case);
  return &comparator;
}

// Found by name, because older headers do not declare it.
const rocksdb::Comparator* timestamp_comparator() {
  const rocksdb::Comparator* comparator = nullptr;
  check(rocksdb::Comparator::CreateFromString({}, "leveldb.BytewiseComparator.u64ts", &comparator), "comparator");
  return comparator;
}

PolicyRow no_policy() {
  return {"no policy", [] { return nullptr; }};
}

PolicyRow row_of(const std::string& id) {
  return {id, [id] { return policy_from_string(id); }};
}

}  // namespace

Policies all_policies() {
  Policies policies;
  for (const char* const id : {"crivo.Auto",
                               "crivo.Auto:10:bottommost_fp_rate:0.1",
                               "crivo.Auto:fp_rate:0.05:bottommost_fp_rate:1",
                               "crivo.Auto:budget_bits_per_key:7",
                               "crivo.Auto:budget_bits_per_key:2:levels:2:level_ratio:3",
                               "crivo.Auto:9:ribbon_levels:64",
                               "{id=crivo.Auto;bits_per_key=9;key_transform=take_prefix:5}",
                               "crivo.Bloom:10",
                               "crivo.Bloom:2.5",
                               "crivo.Bloom:fp_rate:0.02",
                               "{id=crivo.Bloom;fp_rate=0.01;key_transform=drop_suffix:1}",
                               "{id=crivo.Auto;bits_per_key=10;max_filter_bytes=1024}",
                               "{id=crivo.Auto;count_questions=true}",
                               "crivo.Auto:max_total_bytes:2000",
                               "crivo.Auto:budget_bits_per_key:9:max_total_bytes:20K",
                               "{id=crivo.Ribbon;bloom_before_level=-1;max_build_bytes=1}",
                               "crivo.Ribbon:10",
                               "crivo.Ribbon:10:-1",
                               "crivo.Ribbon:7:2",
                               "crivo.Ribbon:fp_rate:0.001:-1",
                               "bloomfilter:10",
                               "bloomfilter:6",
                               "ribbonfilter:10",
                               "ribbonfilter:10:-1"}) {
    policies.usual.push_back(row_of(id));
  }
  for (const char* const options : {"id=crivo.Auto", "id=crivo.Auto;budget_bits_per_key=6",
                                    "id=crivo.Bloom;fp_rate=0.02", "id=crivo.Ribbon;bloom_before_level=-1"}) {
    policies.for_case.push_back(row_of('{' + std::string(options) + ";key_transform=lower_ascii}"));
  }
  for (auto* const rows : {&policies.usual, &policies.for_case}) rows->push_back(no_policy());
  return policies;
}

Policies only(const PolicyRow& policy) { return {{policy}, {no_policy()}}; }

bool ignores_case(const rocksdb::Comparator& comparator) { return &comparator == case_comparator(); }

Nature draw_nature(Random& random) {
  static const std::vector<rocksdb::CompactionStyle> styles = {
      rocksdb::kCompactionStyleLevel, rocksdb::kCompactionStyleLevel, rocksdb::kCompactionStyleLevel,
      rocksdb::kCompactionStyleUniversal, rocksdb::kCompactionStyleFIFO};
  Nature nature{};
  static const std::vector<const rocksdb::Comparator*> comparators = {
      rocksdb::BytewiseComparator(), rocksdb::BytewiseComparator(), rocksdb::ReverseBytewiseComparator(),
      timestamp_comparator(), case_comparator()};
  nature.comparator = random.one_of(comparators);
  nature.timestamps = nature.comparator->timestamp_size() > 0;
  nature.ignores_case = ignores_case(*nature.comparator);
  nature.compaction = random.one_of(styles);
  nature.dynamic_levels = nature.compaction == rocksdb::kCompactionStyleLevel && random.percent(50);
  nature.families = 1 + random.below(3);
  return nature;
}

Session draw_session(const Nature& nature, const Policies& policies, Random& random) {
  Session session{};
  static const std::vector<std::pair<const char*, Transactions>> kinds = {
      {"plain", Transactions::kNone},
      {"plain", Transactions::kNone},
      {"TransactionDB", Transactions::kPessimistic},
      {"OptimisticTransactionDB", Transactions::kOptimistic}};
  const auto& [name, transactions] = nature.timestamps ? kinds.front() : random.one_of(kinds);
  session.transactions = transactions;
  session.names.emplace_back(name);
  session.database.listeners = {NewRocksDBFilterListener()};
  session.database.create_if_missing = session.database.create_missing_column_families = true;
  session.database.env = unsynced_env();
  session.database.statistics = rocksdb::CreateDBStatistics();
  session.database.max_background_jobs = 2;
  for (const auto& row : kDatabaseSettings) {
    if (!random.percent(row.percent)) continue;
    row.apply(session.database, random);
    session.names.emplace_back(row.name);
  }
  if (nature.compaction == rocksdb::kCompactionStyleFIFO) session.database.max_open_files = -1;  // required by FIFO
  Policy policy;
  for (std::size_t i = 0; i < nature.families; ++i) {
    session.names.push_back("| family " + std::to_string(i));
    if (i == 0 || random.percent(70)) {  // otherwise it shares the policy of the previous family
      const PolicyRow& row = random.one_of(nature.ignores_case ? policies.for_case : policies.usual);
      policy = row.make();
      session.names.push_back(row.name);
    }
    session.families.push_back(draw_family(nature, policy, random, session.names));
  }
  return session;
}

}  // namespace crivo::testing::model
