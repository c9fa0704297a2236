#include "rocksdb_reads.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <stdexcept>

#include "workload.h"

namespace crivo::bench {
namespace {

Counters counters_now(const Database& database) {
  Counters counted;
  counted.data_reads = database.count(rocksdb::BLOCK_CACHE_DATA_MISS);
  counted.data_hits = database.count(rocksdb::BLOCK_CACHE_DATA_HIT);
  counted.metadata_reads =
      database.count(rocksdb::BLOCK_CACHE_INDEX_MISS) + database.count(rocksdb::BLOCK_CACHE_FILTER_MISS);
  counted.useful = database.count(rocksdb::BLOOM_FILTER_USEFUL);
  counted.positive = database.count(rocksdb::BLOOM_FILTER_FULL_POSITIVE);
  counted.true_positive = database.count(rocksdb::BLOOM_FILTER_FULL_TRUE_POSITIVE);
  return counted;
}

constexpr std::uint64_t Counters::*kEveryCounter[] = {
    &Counters::questions, &Counters::data_reads, &Counters::data_hits,    &Counters::metadata_reads,
    &Counters::useful,    &Counters::positive,   &Counters::true_positive};

/// Looks up one batch of keys, which for Get has one key.
class Asker {
 public:
  Asker(Database& database, bool multi) : db_(database.db()), label_(database.rival().label), multi_(multi) {}

  [[nodiscard]] std::size_t batch() const { return multi_ ? kMultiGet : 1; }

  /// Draws the keys before the clock starts.
  void draw(Queries& queries, std::uint64_t keys) {
    for (std::size_t i = 0; i < batch(); ++i) {
      const std::uint64_t number = queries.next();
      present_[i] = number < keys;
      keys_[i] = Key(number);
      slices_[i] = {keys_[i].view().data(), keys_[i].view().size()};
      values_[i].Reset();
    }
  }

  void call() {
    if (multi_) {
      db_.MultiGet(read_, db_.DefaultColumnFamily(), kMultiGet, slices_.data(), values_.data(), statuses_.data());
    } else {
      statuses_[0] = db_.Get(read_, db_.DefaultColumnFamily(), slices_[0], values_.data());
    }
  }

  void check_answers() const {
    for (std::size_t i = 0; i < batch(); ++i) {
      if (present_[i] ? statuses_[i].ok() : statuses_[i].IsNotFound()) continue;
      throw std::runtime_error(label_ + ": a key that is " + (present_[i] ? "there" : "absent") + " got " +
                               statuses_[i].ToString());
    }
  }

 private:
  rocksdb::DB& db_;
  const std::string& label_;
  bool multi_;
  rocksdb::ReadOptions read_;
  std::array<Key, kMultiGet> keys_;
  std::array<bool, kMultiGet> present_{};
  std::array<rocksdb::Slice, kMultiGet> slices_;
  std::array<rocksdb::PinnableSlice, kMultiGet> values_;
  std::array<rocksdb::Status, kMultiGet> statuses_;
};

}  // namespace

Counters& Counters::operator+=(const Counters& other) {
  for (const auto counter : kEveryCounter) this->*counter += other.*counter;
  return *this;
}

Counters& Counters::operator-=(const Counters& other) {
  for (const auto counter : kEveryCounter) this->*counter -= other.*counter;
  return *this;
}

double Counters::per_thousand(std::uint64_t count) const {
  return 1000.0 * static_cast<double>(count) / static_cast<double>(questions);
}

double quantile(std::vector<double> samples, double share) {
  const auto rank = std::lround(share * static_cast<double>(samples.size() - 1));
  std::nth_element(samples.begin(), samples.begin() + rank, samples.end());
  return samples[static_cast<std::size_t>(rank)];
}

Asked ask(Database& database, const Workload& workload, std::uint64_t questions, std::uint64_t seed) {
  using Clock = std::chrono::steady_clock;
  Queries queries(database.shape().keys(), workload.hit_percent, seed);
  Asker asker(database, workload.multi);
  std::vector<double> latencies;
  latencies.reserve(questions / asker.batch() + 1);
  Asked asked;
  const Counters before = counters_now(database);
  const Cost cost = measure_cost([&] {
    for (std::uint64_t done = 0; done < questions; done += asker.batch()) {
      asker.draw(queries, database.shape().keys());
      const auto start = Clock::now();
      asker.call();
      latencies.push_back(std::chrono::duration<double, std::micro>(Clock::now() - start).count());
      asker.check_answers();
    }
  });
  for (const double latency : latencies) asked.seconds += 1e-6 * latency;
  asked.cpu = cost.cpu;
  asked.p50 = quantile(latencies, 0.5);
  asked.p99 = quantile(latencies, 0.99);
  asked.counters = counters_now(database);
  asked.counters -= before;
  asked.counters.questions = latencies.size() * asker.batch();
  return asked;
}

}  // namespace crivo::bench
