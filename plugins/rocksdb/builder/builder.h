// Builds the filter blocks of one SST file: one for the file, or one per partition.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "abi.h"
#include "builder/block_sizing.h"
#include "builder/build_memory.h"
#include "builder/cache_charge.h"
#include "builder/hash_log.h"
#include "options/key_transform.h"
#include "report/counters.h"
#include "report/filter_record.h"
#include "report/filter_tree.h"

namespace crivo::plugin {

inline constexpr const char* kShareOfTotal = "this file's share of max_total_bytes";

/// The limits of a file's builder, and its context for messages.
struct BuildLimits {
  std::size_t max_filter_bytes = SIZE_MAX;      // for all filters of the file together
  const char* limit_name = "max_filter_bytes";  // the limit's name in messages
  std::shared_ptr<FlushShare> share = nullptr;  // also limits the file's filters; may be null

  /// Whether max_total_bytes reduces the bits per key. A blocked filter that replaces a ribbon is then as large as the
  /// ribbon; otherwise it has the ribbon's rate.
  bool is_reduced = false;
  std::size_t max_build_bytes = BuildMemory::kNoLimit;  // for all builders that share `memory`
  BuildMemory* memory = &BuildMemory::of_process();
  rocksdb::Logger* log = nullptr;                       // may be null
  int level = -1;                                       // the file's level in messages
  std::shared_ptr<rocksdb::Cache> charged = nullptr;    // the cache to charge for the build's memory; may be null
  std::shared_ptr<const std::string> folder = nullptr;  // for the temporary files of HashLog
};

/// Never throws. If no filter can be built, Finish returns a block that lets every key pass.
class BlockBuilder final : public abi::FilterBitsBuilder {
 public:
  /// verify: check the stored hashes and the finished block, for RocksDB's option detect_filter_construct_corruption.
  /// record and counters: count every finished block; may be null. transform: makes the canonical keys, from which the
  /// filter is built; null to use keys unchanged. The tail of `sizing` must have space for the transform's name.
  BlockBuilder(const BlockSizing& sizing, bool verify, std::shared_ptr<FilterRecord> record = nullptr,
               const NamedKeyTransform* transform = nullptr, const BuildLimits& limits = {},
               std::shared_ptr<Counters> counters = nullptr) noexcept
      : sizing_(sizing),
        verify_(verify),
        transform_(transform),
        limits_(limits),
        hashes_(*limits.memory, limits.max_build_bytes, limits.folder),
        finished_(*limits.memory, limits.max_build_bytes, limits.folder),
        charge_(limits.charged),
        record_(std::move(record)),
        counters_(std::move(counters)) {}

  void AddKey(const rocksdb::Slice& key) override;
  /// Adds a key and its prefix. RocksDB 9.6 and later call this function; it is compiled and tested for all versions.
#if CRIVO_ROCKSDB_VERSION >= 906
  void AddKeyAndAlt(const rocksdb::Slice& key, const rocksdb::Slice& alt) override;
#else
  void AddKeyAndAlt(const rocksdb::Slice& key, const rocksdb::Slice& alt);
#endif
  std::size_t EstimateEntriesAdded() override { return entries_; }
  rocksdb::Slice Finish(std::unique_ptr<const char[]>* buf) override { return Finish(buf, nullptr); }
  rocksdb::Slice Finish(std::unique_ptr<const char[]>* buf, rocksdb::Status* status) override;
  rocksdb::Status MaybePostVerify(const rocksdb::Slice& content) override;
  // The next three functions return a default after an exception. Finish later catches the same exception, and logs it.
  std::size_t ApproximateNumEntries(std::size_t bytes) override {
    return value_or(bytes, [&] { return sizing_.keys(bytes); });
  }
  std::size_t CalculateSpace(std::size_t num_entries) override {
    return value_or(num_entries, [&] { return sizing_.bytes(num_entries); });
  }
  double EstimatedFpRate(std::size_t num_entries, std::size_t bytes) override {
    return value_or(1.0, [&] { return sizing_.fp_rate(num_entries, bytes); });
  }

 private:
  /// The result of `call`, or `instead` if `call` throws.
  template <typename T, typename Call>
  static T value_or(T instead, const Call& call) noexcept {
    try {
      return call();
    } catch (...) {
      return instead;
    }
  }
  [[nodiscard]] std::uint64_t hash_of(const rocksdb::Slice& key) noexcept;
  [[nodiscard]] std::uint64_t canonical_hash(const rocksdb::Slice& key) noexcept;
  void append(std::uint64_t hash) noexcept {
    ++entries_;
    checksum_ ^= hash;
    if (!hashes_.try_append(hash)) [[unlikely]] {
      append_to_full(hash);
    }
  }
  void append_to_full(std::uint64_t hash) noexcept;
  /// Abandons the filter, so that every key passes it. Logs this once per filter.
  void abandon_filter(const char* why) noexcept;
  [[nodiscard]] bool hashes_are_intact() const;
  /// Builds the block in `buf`. No value if max_filter_bytes leaves no space. Throws if no filter can be built.
  std::optional<rocksdb::Slice> build(std::unique_ptr<const char[]>* buf);
  /// Logs that this limit of the file's filters reduces the filter of these keys to `bytes` bytes (0: no filter) and
  /// this rate.
  void warn_of_limit(std::size_t limit, std::size_t bytes, double fp_rate, std::size_t keys) noexcept;
  /// Counts the block that Finish returns, in the record and the counters. `started`: when Finish was called.
  void report(const rocksdb::Slice& content, std::chrono::steady_clock::time_point started) noexcept;
  void start_over() noexcept;
  /// Charges the hashes and the file's blocks, which RocksDB holds until it writes them. A full cache is not an error,
  /// because the filter must be built anyway.
  void charge(std::size_t block_bytes) noexcept {
    (void)charge_.set(hashes_.memory_bytes() + finished_.memory_bytes() + file_bytes_ + block_bytes);
  }

  BlockSizing sizing_;
  bool verify_;
  const NamedKeyTransform* transform_;
  std::string scratch_;  // the transform's buffer
  BuildLimits limits_;
  HashLog hashes_;
  HashLog finished_;  // the hashes of the block that MaybePostVerify will check
  CacheCharge charge_;
  std::size_t entries_ = 0;     // appended hashes, including those dropped after an error
  std::uint64_t checksum_ = 0;  // of the appended hashes
  bool abandoned_ = false;
  std::size_t file_bytes_ = 0;  // of the file's finished blocks
  bool warned_smaller_ = false;
  bool warned_missing_ = false;
  std::optional<std::uint64_t> last_key_;
  std::optional<std::uint64_t> last_alt_;
  std::shared_ptr<FilterRecord> record_;
  std::shared_ptr<Counters> counters_;
  BuiltBlock built_{};  // of the last successful build()
};

}  // namespace crivo::plugin
