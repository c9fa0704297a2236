// Steps two and three of creating a filter: allocate and build (step one is filter_plan.h).
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "build/buffered_hashes.h"
#include "build/build_task.h"
#include "build/file_memory.h"
#include "build/hash_source.h"
#include "build/memory_budget.h"
#include "build/run_reader.h"
#include "crivo/filter.h"
#include "filter/filter_plan.h"

namespace crivo {

struct FilterBuild {
  [[nodiscard]] static AnyFilter allocate(const FilterPlan& plan, const FilterSpec& spec,
                                          CacheAlignedAllocator<std::byte> memory = {});
  /// A filter of any kind with these hashes. A kind with values allows no hashes. Errors: as AnyFilter::build.
  [[nodiscard]] static Result<AnyFilter> from(const FilterPlan& plan, const FilterSpec& spec,
                                              std::span<const std::uint64_t> hashes, BuildTask& task);
  /// The same for a kind that is built once, from hashes in order.
  [[nodiscard]] static Result<AnyFilter> once(const FilterPlan& plan, std::unique_ptr<HashSource> hashes,
                                              BuildTask& task);
  /// The same for a kind with a value per key.
  [[nodiscard]] static Result<AnyFilter> once(const FilterPlan& plan, std::unique_ptr<StoredSource<HashedValue>> keys,
                                              BuildTask& task);
  /// The error for a key without a value.
  [[nodiscard]] static Error lacks_value(const KindInfo& kind);
  static void count_added(AnyFilter& filter, std::uint64_t keys) noexcept { filter.count_added(keys); }
  static void set_max_bytes(AnyFilter& filter, std::uint64_t max_bytes) noexcept { filter.max_bytes_ = max_bytes; }

 private:
  static Result<AnyFilter> finished(const FilterPlan& plan, const Shape& shape, std::uint64_t keys,
                                    Result<AlignedBytes> payload, BuildTask& task);
  static Result<void> add_watched(AnyFilter& filter, std::span<const std::uint64_t> hashes, BuildTask& task);
};

// Builds from the keys that a FilterBuilder buffered: from memory if the limit allows, otherwise from a file. For a
// kind that is built once, a large payload then also goes to a file.

/// Reserves, in the task's budget, the memory that a build from these runs uses until its end: for the index of the
/// runs, and for a payload in memory. Errors: kBadArgument if max_memory is too low.
template <class Record>
[[nodiscard]] Result<void> reserve_memory(const RecordRuns<Record>& runs, std::uint64_t payload_in_memory,
                                          std::uint64_t payload, BuildTask& task) {
  constexpr std::uint64_t kMinReadBytes = std::uint64_t{3} << 20;  // for the hashes that are read at once
  const std::uint64_t taken = runs.index_bytes() + payload_in_memory;
  const std::uint64_t least = kMinReadBytes + 4 * sizeof(Record) * runs.min_buffer_hashes();
  if (taken + least > task.budget().remaining_after(0)) return task.budget().too_little_error(taken + least, payload);
  task.set_reserved(taken);
  return {};
}

/// A file for a payload with this planned size. Payloads rarely exceed the plan, and then by much less than the spare
/// bytes.
[[nodiscard]] inline Result<FileMemory::Handle> file_for_payload(std::uint64_t payload, const BuildOptions& options) {
  constexpr std::uint64_t kSpareBytes = std::uint64_t{1} << 16;
  return FileMemory::make(options.temp_folder, payload + payload / 64 + kSpareBytes);
}

/// Builds a filter from the buffered keys, for a kind that is built once. `distinct` is the number of distinct keys. If
/// all keys are in memory, they must be sorted and distinct. Errors: as FilterBuild::once; kSystem; kBadArgument if
/// max_memory is too low.
template <class Record>
[[nodiscard]] Result<AnyFilter> build_once(const FilterPlan& plan, FilterSpec spec, BufferedRecords<Record>& buffered,
                                           std::uint64_t distinct, const BuildOptions& options, BuildTask& task) {
  std::uint64_t payload = 0;
  if (task.budget().is_limited()) {
    spec.capacity = std::max<std::uint64_t>(1, distinct);  // the size depends on the keys, not on the capacity
    const Result<FilterPlan> actual = plan_filter(spec, UINT64_MAX);
    payload = actual ? actual->payload_bytes : plan.payload_bytes;
  }
  // An exact filter needs the keys' memory twice: for all keys, and for the keys that pass its first stage, which is a
  // filter of the members.
  const bool fits_once = !plan.row->info.can.exact;
  if (!buffered.spilled() && task.budget().holds(buffered.size(), payload, /*built_once=*/fits_once)) {
    task.set_reserved(sizeof(Record) * buffered.size() + payload);
    Result<std::unique_ptr<StoredSource<Record>>> source =
        source_of(std::span<const Record>(buffered.in_memory()), task);
    if (!source) return source.error();
    return FilterBuild::once(plan, *std::move(source), task);
  }
  if (auto spilled = buffered.spill(); !spilled) return spilled.error();
  FileMemory::Handle file;
  if (task.budget().is_for_file(payload) && options.payload_memory == nullptr) {
    Result<FileMemory::Handle> made = file_for_payload(payload, options);
    if (!made) return made.error();
    file = *std::move(made);
    task.set_payload_memory(file.get());
  }
  if (auto taken = reserve_memory(buffered.runs(), file == nullptr ? payload : 0, payload, task); !taken)
    return taken.error();
  return FilterBuild::once(plan, std::make_unique<RunSource<Record>>(std::move(buffered.runs()), distinct, task), task);
}

}  // namespace crivo
