#include "report/counter_listener.h"

#include <rocksdb/db.h>

#include <algorithm>

#include "crivo/host/text.h"
#include "options/settings.h"

namespace crivo::plugin {
namespace {

void log_total(const RocksDBFilterTotal& total, rocksdb::Logger* log) {
  if (total.max_total_bytes == 0) return;
  const std::string line = "crivo: max_total_bytes is " + std::to_string(total.max_total_bytes) + "; the filters of " +
                           std::to_string(total.keys) + " keys in " + std::to_string(total.files) + " files have " +
                           std::to_string(total.bytes) + " bytes";
  rocksdb::Info(log, "%s", line.c_str());
}

}  // namespace

void log_damages(Counters& counters, rocksdb::Logger* log) {
  for (const std::string& line : counters.drain_damages()) {
    rocksdb::Warn(log, "%s: %s", counters.policy_name().c_str(), line.c_str());
  }
}

void log_counters(Counters& counters, std::string_view families, rocksdb::Logger* log) {
  log_damages(counters, log);
  const std::string line =
      counters.policy_name() + " [" + std::string(families) + "]: " + counters_text(counters.snapshot());
  rocksdb::Info(log, "%s", line.c_str());
  rocksdb::LogFlush(log);
}

void log_gets(const rocksdb::Statistics* statistics, rocksdb::Logger* log) {
  if (statistics == nullptr) return;
  const auto count = [&](rocksdb::Tickers ticker) { return statistics->getTickerCount(ticker); };
  const std::uint64_t found =
      count(rocksdb::GET_HIT_L0) + count(rocksdb::GET_HIT_L1) + count(rocksdb::GET_HIT_L2_AND_UP);
  const std::uint64_t true_positives = count(rocksdb::BLOOM_FILTER_FULL_TRUE_POSITIVE);
  const std::uint64_t positives = std::max(count(rocksdb::BLOOM_FILTER_FULL_POSITIVE), true_positives);
  JsonObject gets;
  gets.add("in_files", std::to_string(count(rocksdb::MEMTABLE_MISS)));
  gets.add("found", std::to_string(found));
  gets.add("filter_negatives", std::to_string(count(rocksdb::BLOOM_FILTER_USEFUL)));
  gets.add("filter_false_positives", std::to_string(positives - true_positives));
  rocksdb::Info(log, "%s%s", kGetsLine.data(), gets.str().c_str());
}

bool CounterListener::is_one_of(std::string_view names) noexcept {
  for (std::size_t from = 0; from <= names.size();) {
    const std::size_t colon = std::min(names.find(':', from), names.size());
    if (names.substr(from, colon - from) == kName) return true;
    from = colon + 1;
  }
  return false;
}

void CounterListener::update(rocksdb::DB& db, std::size_t inputs, int begun_job,
                             const rocksdb::FlushJobInfo* ended) noexcept try {
  const auto tree = register_database(db);
  begin_work(tree, begun_job);
  if (tree == nullptr || !is_total_limited) return;
  if (ended != nullptr) tree->end_flush({ended->job_id, ended->cf_name});
  // Listing all files is cheap compared with a compaction of a hundredth of them.
  tree->list(db, /*now=*/inputs > 0 && inputs >= tree->size() / 100);
} catch (...) {
  // The next flush or compaction tries again. Until an update succeeds, policies with max_total_bytes have no list of
  // files, and a closing database logs no counters.
}

void CounterListener::OnTableFileCreated(const rocksdb::TableFileCreationInfo& file) try {
  if (file.reason == rocksdb::TableFileCreationReason::kFlush) end_writing_of_thread(file.cf_name);
} catch (...) {
  // No memory. If RocksDB does not report the end of this flush, its filters count until the database is closed.
}

void CounterListener::OnColumnFamilyHandleDeletionStarted(rocksdb::ColumnFamilyHandle* handle) try {
  const auto closing = remove_database(handle);
  if (!closing) return;
  rocksdb::Logger* const log = closing->log.get();
  log_total(closing->tree->total(), log);
  log_gets(closing->statistics.get(), log);
  for (const auto& counters : all_counters()) {
    const std::string families = counters->drain_families(log);
    if (!families.empty()) log_counters(*counters, families, log);
  }
} catch (...) {
  // No memory for a log line, or the logger threw.
}

}  // namespace crivo::plugin
