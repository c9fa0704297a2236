// Counts what the filters of one policy have done (RocksDBFilterCounters in crivo/rocksdb.h).
//
// A policy, its builders and its readers share one Counters, because RocksDB may destroy them in any order: readers are
// in the block cache, which often outlives the database and the policy.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "crivo/rocksdb.h"
#include "crivo/types.h"
#include "report/filter_record.h"

namespace crivo::plugin {

inline constexpr unsigned kShards = 64;

/// This thread's shard number plus one; 0 before its first query. (This TLS model avoids a call into the dynamic
/// linker. It uses four bytes of the space that glibc reserves for libraries loaded by dlopen.)
extern constinit thread_local unsigned shard_of_thread __attribute__((tls_model("initial-exec")));

/// Assigns the next shard to this thread, and returns shard_of_thread.
unsigned assign_shard() noexcept;

/// Counts the queries of a policy's filters, from any number of threads.
///
/// A filter query takes about 10 ns. An atomic increment of a counter that two threads share takes several times as
/// long, because the cache line moves between cores. So there are many shards of one cache line each, assigned to
/// threads in turn; totals() adds up all shards. A thread has the same shard number for all policies, so one read of a
/// thread-local variable finds the shard.
class QueryCounts {
 public:
  enum class Way : unsigned { kSingle, kBatched };
  struct Totals {
    std::uint64_t single = 0;
    std::uint64_t batched = 0;
    std::uint64_t answered_no = 0;  // of both
  };

  /// Counts `times` queries with the same answer.
  void add(Kind kind, Way way, bool maybe, std::uint64_t times) noexcept {
    unsigned number = shard_of_thread;
    if (number == 0) [[unlikely]]
      number = assign_shard();
    shards_[number - 1].cells[cell_of(kind, way, maybe)].fetch_add(times, std::memory_order_relaxed);
  }
  [[nodiscard]] Totals totals(Kind kind) const noexcept;

 private:
  static constexpr unsigned kCells = 8;  // kind x way x answer: one cache line
  struct alignas(kCells * sizeof(std::uint64_t)) Shard {
    std::array<std::atomic<std::uint64_t>, kCells> cells{};
  };
  static constexpr unsigned cell_of(Kind kind, Way way, bool maybe) noexcept {
    return (kind == Kind::kRibbon ? 4U : 0U) + static_cast<unsigned>(way) * 2 + (maybe ? 1U : 0U);
  }
  [[nodiscard]] std::uint64_t sum(unsigned cell) const noexcept;

  std::array<Shard, kShards> shards_;
};

/// Thread-safe. Counts never decrease.
class Counters {
 public:
  explicit Counters(std::string_view policy_name, std::uint64_t number = 0)
      : policy_name_(policy_name), number_(number) {}

  [[nodiscard]] const std::string& policy_name() const noexcept { return policy_name_; }
  /// This policy's sequence number in the process.
  [[nodiscard]] std::uint64_t number() const noexcept { return number_; }

  void built(const BuiltBlock& block, std::chrono::nanoseconds time) noexcept;
  /// Counts a filter block that lets every key pass, because no filter could be built.
  void built_always_maybe() noexcept { count(&RocksDBFilterCounters::always_maybe); }

  void opened_builtin() noexcept { count(&RocksDBFilterCounters::builtin_blocks); }
  void opened_other_transform() noexcept { count(&RocksDBFilterCounters::other_transform_blocks); }
  /// Counts a damaged Crivo block; `error` describes the damage. The first eight since the last drain_damages() are
  /// stored for the log.
  void opened_damaged(std::size_t block_bytes, std::string_view error) noexcept;
  /// Returns and clears log lines: one for each of the first eight damaged blocks since the last call, and one for the
  /// rest. (Readers have no logger.)
  [[nodiscard]] std::vector<std::string> drain_damages();

  /// Records that a builder was made for a column family of the database with this logger. The logger's address is only
  /// compared. Stores the last 64 column families.
  void record_family(const void* logger, std::string_view family);
  /// Removes and returns the column families of this logger: "default, users".
  [[nodiscard]] std::string drain_families(const void* logger);
  /// The stored column families, without repetition.
  [[nodiscard]] std::set<std::string> families();

  [[nodiscard]] QueryCounts& query_counts() noexcept { return query_counts_; }
  [[nodiscard]] RocksDBFilterCounters snapshot() const noexcept;

 private:
  void count(std::uint64_t RocksDBFilterCounters::*counter) noexcept;

  struct Family {
    const void* logger;
    std::string name;
    friend bool operator==(const Family&, const Family&) = default;
  };

  std::string policy_name_;
  std::uint64_t number_;
  mutable std::mutex mutex_;          // guards the members below, except query_counts_
  RocksDBFilterCounters counts_;      // without queries
  std::vector<std::string> damages_;  // at most kMaxStoredDamages
  std::uint64_t more_damages_ = 0;    // not in damages_
  std::vector<Family> families_;      // at most kKeptFamilies
  QueryCounts query_counts_;
};

/// The counters as one line for the log.
[[nodiscard]] std::string counters_text(const RocksDBFilterCounters& counters);

/// The counters of a policy, or of the policy in these options; null if the policy is not one of Crivo's.
[[nodiscard]] std::shared_ptr<Counters> counters_of(const rocksdb::FilterPolicy* policy);
[[nodiscard]] std::shared_ptr<Counters> counters_of(const rocksdb::ColumnFamilyOptions& options);

/// The name under which Crivo's policies expose their Counters:
/// FilterPolicy::GetOptions<std::shared_ptr<Counters>>(name). Other policies expose nothing under this name, so the
/// name also identifies Crivo's policies where RTTI must not be used.
inline constexpr const char* kCountersName = "crivo.Counters";

}  // namespace crivo::plugin
