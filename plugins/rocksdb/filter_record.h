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

#include <atomic>
#include <cstdint>
#include <memory>

#include "crivo/filter.h"

namespace crivo {

/// Counts the filter blocks of one file. Any thread may add and any may read.
class FilterRecord {
 public:
  explicit FilterRecord(Kind kind) noexcept : kind_(kind) {}

  /// Counts a finished block. `filters` tells whether it is a filter of our kind; if not, it lets every key pass,
  /// because no filter could be built.
  void add(bool filters) noexcept { ++(filters ? filters_ : always_maybe_); }

  [[nodiscard]] Kind kind() const noexcept { return kind_; }
  [[nodiscard]] std::uint64_t filters() const noexcept { return filters_; }
  [[nodiscard]] std::uint64_t always_maybe() const noexcept { return always_maybe_; }

 private:
  Kind kind_;
  std::atomic<std::uint64_t> filters_ = 0;
  std::atomic<std::uint64_t> always_maybe_ = 0;
};

/// Makes a record for a new builder, and leaves it for the next take_record() in this thread. Null when there is no
/// memory.
[[nodiscard]] std::shared_ptr<FilterRecord> offer_record(Kind kind) noexcept;

/// The record of the builder that was made last in this thread, once. Null if there is none, or if that builder is gone
/// or has finished a block.
[[nodiscard]] std::shared_ptr<const FilterRecord> take_record() noexcept;

}  // namespace crivo
