// What the filters of one policy have done: built, opened, asked. See RocksDBFilterCounters in crivo/rocksdb.h.
//
// A policy, its builders and its readers share one Counters by std::shared_ptr, because RocksDB may destroy them in any
// order: readers lie in the block cache, which often outlives the database and the policy.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "crivo/rocksdb.h"
#include "report/filter_record.h"
#include "report/question_counts.h"

namespace crivo::plugin {

/// Any thread may call any function. What is counted goes up for as long as the object lives.
class Counters {
 public:
  explicit Counters(std::string_view policy_name, std::uint64_t number = 0)
      : policy_name_(policy_name), number_(number) {}

  [[nodiscard]] const std::string& policy_name() const noexcept { return policy_name_; }
  /// The how many-th policy of the process it is.
  [[nodiscard]] std::uint64_t number() const noexcept { return number_; }

  void built(const BuiltBlock& block, std::chrono::nanoseconds time) noexcept;
  /// A filter block that lets every key pass was written, because no filter could be built.
  void built_always_maybe() noexcept { count(&RocksDBFilterCounters::always_maybe); }

  void opened_builtin() noexcept { count(&RocksDBFilterCounters::builtin_blocks); }
  void opened_other_transform() noexcept { count(&RocksDBFilterCounters::other_transform_blocks); }
  /// A block of ours was opened and is damaged; `error` says where. The first few of these since the last
  /// take_damages() are kept for the log.
  void opened_damaged(std::size_t block_bytes, std::string_view error) noexcept;
  /// What damaged blocks were found since the last call, one line each. There is no logger where blocks are opened.
  [[nodiscard]] std::vector<std::string> take_damages();

  /// Remembers that a filter was built for a column family whose database has this logger. The address is compared and
  /// never used. The last few of these are kept.
  void work_for(const void* logger, std::string_view family);
  /// The names of the column families that were given with this logger, "default, users"; the logger is then forgotten.
  [[nodiscard]] std::string take_families(const void* logger);
  /// Those that were given and not yet taken, each once.
  [[nodiscard]] std::set<std::string> families();

  [[nodiscard]] QuestionCounts& questions() noexcept { return questions_; }
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
  mutable std::mutex mutex_;          // of what follows, except for the questions
  RocksDBFilterCounters counts_;      // without the questions
  std::vector<std::string> damages_;  // at most kKeptDamages
  std::uint64_t more_damages_ = 0;    // those that are not in damages_
  std::vector<Family> families_;      // at most kKeptFamilies
  QuestionCounts questions_;
};

/// The counters in one line, for the log.
[[nodiscard]] std::string counters_text(const RocksDBFilterCounters& counters);

/// The counters of this policy, or of the policy of these options; null if it is not one of ours.
[[nodiscard]] std::shared_ptr<Counters> counters_of(const rocksdb::FilterPolicy* policy);
[[nodiscard]] std::shared_ptr<Counters> counters_of(const rocksdb::ColumnFamilyOptions& options);

/// The name under which a policy of ours shows its Counters: FilterPolicy::GetOptions<std::shared_ptr<Counters>>(name).
/// A policy that is not ours has nothing by that name, so this also tells the two apart, where RTTI must not be used.
inline constexpr const char* kCountersName = "crivo.Counters";

}  // namespace crivo::plugin
