// `./dev bench total`: a database that grows a hundredfold with max_total_bytes. Compares it with filters of the same
// final size: crivo.Auto with a budget, and RocksDB's Bloom filter. Then deletes three of four keys.
//
// Keys arrive in random order, as fast as possible, or with --steady no faster than compactions. The filters' bytes are
// the sum over all files of the database, sampled after each hundredth of the keys, during compactions. "Wasted reads"
// are the blocks that a Get of an absent key reads, over a hundred thousand Gets after the compactions.
#include <crivo/rocksdb.h>
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/statistics.h>
#include <rocksdb/table.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

#include "scratch.h"

namespace crivo::bench {
namespace {

constexpr int kSteps = 100;
constexpr std::uint64_t kQuestions = 100'000;

/// The key of a number, in random order.
std::string key_of(std::uint64_t number) { return big_endian(number * 0x9E3779B97F4A7C15); }

class Database {
 public:
  Database(const std::string& policy, const std::string& folder, std::uint64_t keys) {
    rocksdb::BlockBasedTableOptions table;
    check(rocksdb::FilterPolicy::CreateFromString({}, policy, &table.filter_policy));
    options_.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
    options_.listeners = {NewRocksDBFilterListener()};
    options_.table_properties_collector_factories = {NewRocksDBFilterCollectorFactory()};
    options_.statistics = rocksdb::CreateDBStatistics();
    options_.create_if_missing = true;
    options_.compression = rocksdb::kNoCompression;
    options_.level_compaction_dynamic_level_bytes = true;
    options_.write_buffer_size = keys / kSteps * 40 / 2;  // two files per hundredth
    options_.target_file_size_base = options_.write_buffer_size;
    options_.max_bytes_for_level_base = 4 * options_.write_buffer_size;
    rocksdb::DB* opened = nullptr;
    check(rocksdb::DB::Open(options_, folder, &opened));
    db_.reset(opened);
  }
  [[nodiscard]] rocksdb::DB& operator*() const { return *db_; }
  [[nodiscard]] rocksdb::DB* operator->() const { return db_.get(); }

  [[nodiscard]] std::uint64_t filter_bytes() const {
    const auto total = GetRocksDBFilterTotal(*db_);
    return total ? total->bytes : 0;
  }
  void settle() const {
    check(db_->Flush({}));
    for (int quiet = 0; quiet < 10; ++quiet) {
      std::uint64_t running = 0;
      db_->GetIntProperty(rocksdb::DB::Properties::kNumRunningCompactions, &running);
      if (running != 0) quiet = 0;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }
  /// The number of blocks that a Get of an absent key reads.
  [[nodiscard]] double wasted_reads(std::uint64_t keys) const {
    const auto passed = [&] { return options_.statistics->getTickerCount(rocksdb::BLOOM_FILTER_FULL_POSITIVE); };
    const std::uint64_t before = passed();
    std::string value;
    for (std::uint64_t i = 0; i < kQuestions; ++i) {
      if (!db_->Get({}, key_of(keys + i), &value).IsNotFound()) throw std::runtime_error("an absent key is there");
    }
    return static_cast<double>(passed() - before) / static_cast<double>(kQuestions);
  }
  void expect_all(std::uint64_t begin, std::uint64_t end) const {
    std::string value;
    for (std::uint64_t i = begin; i < end; i += 97) check(db_->Get({}, key_of(i), &value));
  }

 private:
  rocksdb::Options options_;
  std::unique_ptr<rocksdb::DB> db_;
};

/// Returns the size of the filters with all keys.
std::uint64_t run(const std::string& policy, const std::string& folder, std::uint64_t keys, std::uint64_t limit,
                  bool steady) {
  const Database db(policy, folder, keys);
  std::uint64_t most = 0;
  const std::string value(32, 'v');
  std::printf("%s\n", policy.c_str());
  for (int step = 1; step <= kSteps; ++step) {
    const std::uint64_t begin = keys / kSteps * static_cast<std::uint64_t>(step - 1);
    const std::uint64_t end = begin + keys / kSteps;
    for (std::uint64_t i = begin; i < end; ++i) check(db->Put({}, key_of(i), value));
    most = std::max(most, db.filter_bytes());
    if (steady) db.settle();
    if (step != 3 && step != 10 && step != 30 && step != kSteps) continue;
    db.settle();
    db.expect_all(0, end);
    const std::uint64_t bytes = db.filter_bytes();
    std::printf("%11llu %12llu %12.2f %12.2f %12.2f %15.4f\n", static_cast<unsigned long long>(end),
                static_cast<unsigned long long>(bytes), 8.0 * static_cast<double>(bytes) / static_cast<double>(end),
                static_cast<double>(bytes) / static_cast<double>(limit),
                static_cast<double>(most) / static_cast<double>(limit), db.wasted_reads(keys));
  }
  const std::uint64_t full_bytes = db.filter_bytes();
  const std::uint64_t kept = keys / 4;
  for (std::uint64_t i = kept; i < keys; ++i) check(db->Delete({}, key_of(i)));
  check(db->Flush({}));
  check(db->CompactRange({}, nullptr, nullptr));
  db.settle();
  db.expect_all(0, kept);
  const std::uint64_t bytes = db.filter_bytes();
  std::printf("%11llu %12llu %12.2f %12.2f %12s %15.4f\n", static_cast<unsigned long long>(kept),
              static_cast<unsigned long long>(bytes), 8.0 * static_cast<double>(bytes) / static_cast<double>(kept),
              static_cast<double>(bytes) / static_cast<double>(limit), "", db.wasted_reads(keys));
  return full_bytes;
}

void run_all(std::uint64_t keys, double bits, bool steady, const std::string& folder) {
  const auto limit = static_cast<std::uint64_t>(static_cast<double>(keys) * bits / 8);
  std::printf("       keys filter bytes     bits/key   bytes/limit   most/limit  wasted reads\n");
  const std::uint64_t limited =
      run("crivo.Auto:max_total_bytes:" + std::to_string(limit), folder + "/limit", keys, limit, steady);
  const std::string same = std::to_string(8.0 * static_cast<double>(limited) / static_cast<double>(keys));
  (void)run("crivo.Auto:budget_bits_per_key:" + same, folder + "/budget", keys, limit, steady);
  (void)run("bloomfilter:" + same, folder + "/rocksdb", keys, limit, steady);
}

}  // namespace
}  // namespace crivo::bench

int main(int count, char** arguments) {
  CLI::App app("A database that grows a hundred times under max_total_bytes");
  std::uint64_t keys = 4'000'000;
  double bits = 5;
  app.add_option("--keys", keys, "The number of keys in the end")
      ->check(CLI::Range(100'000, 1'000'000'000))
      ->capture_default_str();
  app.add_option("--bits", bits, "The limit, in bits for each of these keys")->capture_default_str();
  bool steady = false;
  app.add_flag("--steady", steady, "Wait for compactions after each hundredth of the keys");
  CLI11_PARSE(app, count, arguments);
  return crivo::bench::in_scratch_folder(
      "bench_total", [&](const std::string& folder) { crivo::bench::run_all(keys, bits, steady, folder); });
}
