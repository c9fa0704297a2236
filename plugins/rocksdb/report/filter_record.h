// What a builder has written into one SST file, and how the collector of that file's properties comes to know it.
//
// RocksDB shows a collector of table properties neither the filter nor its builder. What can be inferred from the
// collector's context is not enough: a flush and a compaction within level 0 look alike, though crivo.Ribbon may write
// Bloom filters at the one and ribbons at the other, and only Finish knows whether a filter could be built at all. But
// in every version from 7.0 to 11.8 the constructor of BlockBasedTableBuilder (its Rep) asks the policy for a builder
// and then, in the same call and so in the same thread, the factories for their collectors. So the record is handed
// over there, through a thread-local variable, and from then on the two share it, whichever threads they run in.
//
// A record that was left over from another file is told apart when its builder is gone or has finished a filter. What
// remains is a program that opens two SstFileWriters in one thread, the first with our policy and no collector, the
// second with a collector and no filter, and that finishes the first before the second.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "crivo/filter.h"

namespace crivo::plugin {

/// A filter block that was built.
struct BuiltBlock {
  Shape shape;
  std::uint64_t keys;        // hashes of keys and prefixes
  std::uint64_t bytes;       // of the block, trailer included
  double predicted_fp_rate;  // for a ribbon, which has it in its layout; a blocked filter's follows from its shape
};

/// What the filters of one kind in one file amount to. The false-positive rate of blocked filters takes a sum over a
/// distribution, about as long as building a small partition. So it is not computed for each partition, but once for
/// all that have the same number of probes, from the mean load of their blocks.
class KindTotals {
 public:
  void add(const BuiltBlock& block) noexcept;

  [[nodiscard]] std::uint64_t filters() const noexcept { return filters_; }
  [[nodiscard]] std::uint64_t keys() const noexcept { return keys_; }
  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }
  /// The sum over the keys of the predicted rate of the filter that a key is in.
  [[nodiscard]] double summed_rate() const noexcept { return summed_rate_ + pooled_rate(); }

 private:
  [[nodiscard]] double pooled_rate() const noexcept;

  std::uint64_t filters_ = 0;
  std::uint64_t keys_ = 0;
  std::uint64_t bytes_ = 0;
  double summed_rate_ = 0;  // of the filters that are not pooled
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
  /// The predicted share of absent keys that the filters let pass. An absent key meets each partition as often as the
  /// partition has keys, so partitions count by their keys.
  [[nodiscard]] double predicted_fp_rate() const noexcept;
};

/// Gathers the filter blocks of one file. Any thread may add and any may read.
class FilterRecord {
 public:
  explicit FilterRecord(std::string stamp = {}, std::string key_transform = {})
      : stamp_(std::move(stamp)), key_transform_(std::move(key_transform)) {}

  /// What the options ask of the filters (filter_stamp), and the name of their key transform, empty without one.
  [[nodiscard]] const std::string& stamp() const noexcept { return stamp_; }
  [[nodiscard]] const std::string& key_transform() const noexcept { return key_transform_; }
  void add(const BuiltBlock& block) noexcept;
  void add_always_maybe(std::uint64_t keys, std::uint64_t bytes) noexcept;
  [[nodiscard]] WrittenFilters read() const noexcept;

 private:
  std::string stamp_;
  std::string key_transform_;
  mutable std::mutex mutex_;
  WrittenFilters filters_;
};

/// Makes a record for a new builder, and leaves it for the next take_record() in this thread. Null when there is no
/// memory.
[[nodiscard]] std::shared_ptr<FilterRecord> offer_record(std::string_view stamp,
                                                         std::string_view key_transform) noexcept;

/// The record of the builder that was made last in this thread, once. Null if there is none, or if that builder is gone
/// or has finished a block.
[[nodiscard]] std::shared_ptr<const FilterRecord> take_record() noexcept;

}  // namespace crivo::plugin
