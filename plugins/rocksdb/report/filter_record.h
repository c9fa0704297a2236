// The record of what a builder has written into one SST file, for the collector of the file's properties.
//
// RocksDB shows a properties collector neither the filter nor its builder. The collector's context does not suffice: in
// it, a flush and a compaction within level 0 look alike, although crivo.Ribbon may write Bloom filters in one and
// ribbons in the other. Only Finish knows whether a filter could be built. But in all versions from 7.0 to 11.8, the
// constructor of BlockBasedTableBuilder (its Rep) gets a builder from the policy, and then, in the same thread, the
// collectors from their factories. So a thread-local variable passes the record from the builder to the collector.
// Afterwards both share the record, in any threads.
//
// A stale record of another file is recognized when its builder is gone or has finished a filter. One case is not
// recognized: a program opens two SstFileWriters in one thread, the first with a Crivo policy and no collector, the
// second with a collector and no filter, and finishes the first before the second.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "crivo/filter.h"

namespace crivo::plugin {

struct BuiltBlock {
  Shape shape;
  std::uint64_t keys;        // hashes of keys and prefixes
  std::uint64_t bytes;       // of the block, with its trailer
  double predicted_fp_rate;  // of a ribbon; the rate of a blocked filter follows from its shape
};

/// The totals of one kind in one file. The rate of a blocked filter is a sum over a distribution; computing it takes as
/// long as building a small partition. So it is computed once for consecutive partitions with the same number of
/// probes, from their mean load.
class KindTotals {
 public:
  void add(const BuiltBlock& block) noexcept;

  [[nodiscard]] std::uint64_t filters() const noexcept { return filters_; }
  [[nodiscard]] std::uint64_t keys() const noexcept { return keys_; }
  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }
  /// The sum of keys x predicted rate over the filters.
  [[nodiscard]] double summed_rate() const noexcept { return summed_rate_ + pooled_rate(); }

 private:
  [[nodiscard]] double pooled_rate() const noexcept;

  std::uint64_t filters_ = 0;
  std::uint64_t keys_ = 0;
  std::uint64_t bytes_ = 0;
  double summed_rate_ = 0;  // of filters that are not pooled
  std::uint64_t pooled_keys_ = 0;
  std::uint64_t pooled_units_ = 0;
  unsigned pooled_probes_ = 0;
};

/// The filters of one file.
struct WrittenFilters {
  KindTotals blocked;
  KindTotals ribbon;
  std::uint64_t always_maybe = 0;  // blocks that let every key pass, because no filter could be built
  std::uint64_t always_maybe_keys = 0;
  std::uint64_t always_maybe_bytes = 0;

  [[nodiscard]] std::uint64_t blocks() const noexcept { return blocked.filters() + ribbon.filters() + always_maybe; }
  [[nodiscard]] std::uint64_t keys() const noexcept { return blocked.keys() + ribbon.keys() + always_maybe_keys; }
  [[nodiscard]] std::uint64_t bytes() const noexcept { return blocked.bytes() + ribbon.bytes() + always_maybe_bytes; }
  /// The predicted false-positive rate. Partitions are weighted by their number of keys, because lookups of absent keys
  /// are assumed to reach them in this proportion.
  [[nodiscard]] double predicted_fp_rate() const noexcept;
};

/// Collects the filter blocks of one file. Thread-safe.
class FilterRecord {
 public:
  explicit FilterRecord(std::string stamp = {}, std::string key_transform = {}, std::uint64_t max_total_bytes = 0)
      : stamp_(std::move(stamp)), key_transform_(std::move(key_transform)), max_total_bytes_(max_total_bytes) {}

  /// Identifies the filters that the options specify (FileSizing::stamp).
  [[nodiscard]] const std::string& stamp() const noexcept { return stamp_; }
  /// The name of the key transform; may be empty.
  [[nodiscard]] const std::string& key_transform() const noexcept { return key_transform_; }
  /// The limit of the database's filters; 0: none.
  [[nodiscard]] std::uint64_t max_total_bytes() const noexcept { return max_total_bytes_; }
  void add(const BuiltBlock& block) noexcept;
  void add_always_maybe(std::uint64_t keys, std::uint64_t bytes) noexcept;
  [[nodiscard]] WrittenFilters read() const noexcept;

 private:
  std::string stamp_;
  std::string key_transform_;
  std::uint64_t max_total_bytes_;
  mutable std::mutex mutex_;
  WrittenFilters filters_;
};

/// Makes a record for a new builder, and offers it to the next claim_record() in this thread. Null if memory is short.
[[nodiscard]] std::shared_ptr<FilterRecord> publish_record(std::string_view stamp, std::string_view key_transform,
                                                           std::uint64_t max_total_bytes = 0) noexcept;

/// Removes and returns the record of the last builder made in this thread. Null if there is none, or if that builder is
/// gone or has finished a block.
[[nodiscard]] std::shared_ptr<const FilterRecord> claim_record() noexcept;

}  // namespace crivo::plugin
