// `./dev bench scans`: short scans of a database without filters, with RocksDB's Bloom filter of prefixes, and with
// scan filters, in the same files.
//
// A key has eight bytes for its group and eight for its number. Of 256 possible groups, one exists, with as many keys
// as a scan reads. The keys are written in random order, so that each file of level 0 spans all groups and has keys of
// some. A scan reads a random group, or the group after an existing one; with --span, several groups from there.
// "Blocks" are the blocks that a scan needed, from the cache or not. Times are medians of alternating rounds, in
// microseconds per scan, with all data in memory.
#include <crivo/rocksdb_scan.h>
#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/perf_context.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/table.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "scratch.h"
#include "times.h"

namespace crivo::bench {
namespace {

constexpr int kRounds = 5;

struct Workload {
  std::size_t keys;
  std::size_t files;
  std::size_t scanned;         // keys per group, which a scan reads
  std::uint64_t span;          // groups per scan
  double bits;                 // per number in a range filter
  std::uint64_t spread = 256;  // the distance between groups
  [[nodiscard]] std::size_t groups() const { return std::max<std::size_t>(keys / scanned, 1); }
};

enum class Filter { kNone, kPrefixBloom, kPrefix, kRange, kMayExist };  // kMayExist: PrefixMayExist with kPrefix

rocksdb::Options options_for(const Workload& workload, Filter filter) {
  rocksdb::Options options;
  options.create_if_missing = options.error_if_exists = true;
  options.disable_auto_compactions = true;
  options.write_buffer_size = std::size_t{1} << 30;
  options.level0_slowdown_writes_trigger = options.level0_stop_writes_trigger = 1 << 20;
  options.compression = rocksdb::kNoCompression;
  rocksdb::BlockBasedTableOptions table;
  table.block_cache = rocksdb::NewLRUCache(std::size_t{1} << 30);
  if (filter == Filter::kPrefixBloom) {
    table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
    table.whole_key_filtering = false;
    options.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(8));
  }
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  if (filter == Filter::kPrefix || filter == Filter::kRange || filter == Filter::kMayExist) {
    std::shared_ptr<rocksdb::TablePropertiesCollectorFactory> scans;
    ScanFilterOptions scan{.extract = filter == Filter::kRange ? "range:be64@0" : "prefix:8"};
    scan.range_length = static_cast<std::uint32_t>(std::bit_ceil(workload.span));
    if (filter == Filter::kRange) scan.fp_rate = scan.range_length * std::exp2(2 - workload.bits);
    scan.max_bytes = 1 << 24;
    check(NewScanFilterCollectorFactory(scan, &scans));
    options.table_properties_collector_factories.push_back(scans);
  }
  return options;
}

std::unique_ptr<rocksdb::DB> make(const Workload& workload, Filter filter, const std::string& path) {
  rocksdb::DB* opened = nullptr;
  check(rocksdb::DB::Open(options_for(workload, filter), path, &opened));
  std::unique_ptr<rocksdb::DB> db(opened);
  // The keys of a group are written consecutively, like those of a customer or a minute.
  std::vector<std::uint64_t> groups(workload.groups());
  std::iota(groups.begin(), groups.end(), 0);
  std::ranges::shuffle(groups, std::mt19937_64(1));
  rocksdb::WriteOptions write;
  write.disableWAL = true;
  for (std::size_t at = 0; at < groups.size(); ++at) {
    for (std::size_t i = 0; i < workload.scanned; ++i) {
      check(db->Put(write, big_endian(groups[at] * workload.spread) + big_endian(i), std::string(50, 'v')));
    }
    if ((at + 1) % (groups.size() / workload.files + 1) == 0) check(db->Flush({}));
  }
  check(db->Flush({}));
  return db;
}

struct Cost {
  double blocks = 0;
  double skipped = 0;  // files
  double microseconds = 0;
  std::uint64_t found = 0;
};

Cost scan(rocksdb::DB& db, Filter kind, const std::vector<std::uint64_t>& groups, std::uint64_t span) {
  Cost cost;
  auto& perf = *rocksdb::get_perf_context();
  perf.Reset();
  const auto start = std::chrono::steady_clock::now();
  for (const std::uint64_t group : groups) {
    const std::string first = big_endian(group);
    if (kind == Filter::kMayExist) {
      cost.found += PrefixMayExist(db, db.DefaultColumnFamily(), first) ? 1 : 0;
      continue;
    }
    const std::string end = big_endian(group + span);
    const rocksdb::Slice upper = end;
    rocksdb::ReadOptions read;
    read.iterate_upper_bound = &upper;
    const auto filter = kind == Filter::kRange ? ScanFilter::for_range("be64@0", group, group + span - 1)
                                               : ScanFilter::for_prefix(first);
    if (kind == Filter::kPrefix || kind == Filter::kRange) check(filter.apply_to(&read));
    const std::unique_ptr<rocksdb::Iterator> at(db.NewIterator(read));
    for (at->Seek(first); at->Valid(); at->Next()) ++cost.found;
    check(at->status());
    cost.skipped += static_cast<double>(filter.skipped());
  }
  const auto scans = static_cast<double>(groups.size());
  cost.microseconds =
      std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count() / scans;
  cost.blocks = static_cast<double>(perf.block_cache_hit_count + perf.block_read_count) / scans;
  cost.skipped /= scans;
  return cost;
}

std::vector<std::uint64_t> questions(const Workload& workload, const std::string& how) {
  std::mt19937_64 random(2);
  std::vector<std::uint64_t> groups(2000);
  for (std::uint64_t& group : groups) {
    const std::uint64_t there = random() % workload.groups() * workload.spread;
    group = how == "found" ? there : how == "near" ? there + 1 : random() % (workload.groups() * workload.spread) | 1;
  }
  return groups;
}

void run(const Workload& workload, const std::string& folder) {
  std::vector<std::pair<const char*, Filter>> rows = {{"no filter", Filter::kNone},
                                                      {"RocksDB prefix Bloom", Filter::kPrefixBloom},
                                                      {"scan filter, prefix", Filter::kPrefix},
                                                      {"scan filter, range", Filter::kRange},
                                                      {"PrefixMayExist", Filter::kMayExist}};
  if (workload.span > 1) rows = {rows[0], rows[3]};  // filters of prefixes support one group
  std::vector<std::unique_ptr<rocksdb::DB>> databases;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    databases.push_back(
        make(workload, rows[i].second, folder + "/" + std::to_string(workload.scanned) + "-" + std::to_string(i)));
  }
  for (const char* const how : {"found", "near", "random"}) {
    const auto groups = questions(workload, how);
    std::vector<std::vector<double>> times(rows.size());
    std::vector<Cost> costs(rows.size());
    for (int round = 0; round <= kRounds; ++round) {
      for (std::size_t i = 0; i < rows.size(); ++i) {
        costs[i] = scan(*databases[i], rows[i].second, groups, workload.span);
        if (round > 0) times[i].push_back(costs[i].microseconds);  // the first round warms the cache
      }
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i].second != Filter::kMayExist && costs[i].found != costs[0].found)
        throw std::runtime_error("a filter lost keys");
      std::printf("%5zu  %-7s  %-20s %12.2f %12.2f %10.1f\n", workload.scanned, how, rows[i].first, costs[i].skipped,
                  costs[i].blocks, median(times[i]));
    }
  }
}

/// A file's properties with a filter of this number of prefixes.
rocksdb::TableProperties properties_with(std::size_t prefixes) {
  std::shared_ptr<rocksdb::TablePropertiesCollectorFactory> scans;
  check(NewScanFilterCollectorFactory({.extract = "prefix:8", .max_bytes = 1 << 24}, &scans));
  const std::unique_ptr<rocksdb::TablePropertiesCollector> collector(scans->CreateTablePropertiesCollector({}));
  for (std::size_t i = 0; i < prefixes; ++i) {
    check(collector->AddUserKey(big_endian(i), "v", rocksdb::kEntryPut, 0, 0));
  }
  rocksdb::TableProperties properties;
  properties.comparator_name = "leveldb.BytewiseComparator";
  check(collector->Finish(&properties.user_collected_properties));
  return properties;
}

/// Prints the cost of the first lookup in a newly opened file, and of later ones.
void ask_one_file() {
  const auto nanoseconds = [](int times, const auto& ask) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < times; ++i) ask(i);
    return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count() / times;
  };
  std::printf("bytes of the filter    first ns    then ns\n");
  for (const std::size_t prefixes : {1000U, 75'000U, 1'200'000U}) {
    const rocksdb::TableProperties properties = properties_with(prefixes);
    double first = 0;
    std::vector<double> then;
    for (int round = 0; round < kRounds; ++round) {
      const std::vector<rocksdb::TableProperties> opened(20, properties);
      const auto absent = ScanFilter::for_prefix(big_endian(prefixes + static_cast<std::size_t>(round)));
      const double now = nanoseconds(20, [&](int i) { (void)absent.may_match(opened[static_cast<std::size_t>(i)]); });
      if (round == 0) first = now;  // later properties may have the same addresses
      then.push_back(
          nanoseconds(10'000, [&](int i) { (void)absent.may_match(opened[static_cast<std::size_t>(i % 20)]); }));
    }
    std::printf("%19zu %11.0f %10.0f\n", properties.user_collected_properties.begin()->second.size(), first,
                median(then));
  }
}

}  // namespace
}  // namespace crivo::bench

int main(int count, char** arguments) {
  CLI::App app("Short scans with scan filters, with RocksDB's prefix Bloom filter, and without a filter");
  std::size_t keys = 1'000'000;
  std::size_t files = 20;
  app.add_option("--keys", keys, "The number of keys")->check(CLI::Range(1000, 100'000'000))->capture_default_str();
  app.add_option("--files", files, "The number of SST files")->check(CLI::Range(1, 1000))->capture_default_str();
  std::uint64_t span = 1;
  double bits = 8.65;  // a rate of 1% for single groups
  app.add_option("--span", span, "How many groups a scan asks for")->check(CLI::Range(1, 255))->capture_default_str();
  app.add_option("--bits", bits, "The bits of the range filter for each group of a file")->capture_default_str();
  bool one_file = false;
  app.add_flag("--one-file", one_file, "Only ask the filter of one file");
  CLI11_PARSE(app, count, arguments);
  if (one_file) return crivo::bench::ask_one_file(), 0;
  rocksdb::SetPerfLevel(rocksdb::kEnableCount);
  std::printf(" keys  ask for  filter               files skipped  blocks/scan    us/scan\n");
  return crivo::bench::in_scratch_folder("bench_scans", [&](const std::string& folder) {
    for (const std::size_t scanned : {10U, 100U, 1000U}) crivo::bench::run({keys, files, scanned, span, bits}, folder);
  });
}
