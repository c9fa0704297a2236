// The hashes of a build in order, from an array or from a file that is read in ranges.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <span>
#include <vector>

#include "build/build_task.h"
#include "crivo/host/hashed_value.h"
#include "crivo/result.h"

namespace crivo {

/// Distinct hashes, or hashes with values (Record as in crivo/host/hash_runs.h), returned from the highest to the
/// lowest. Not thread-safe. Errors: kSystem, kCancelled; kBadArgument if a key has two values.
template <class Record>
class RecordSource {
 public:
  virtual ~RecordSource() = default;
  /// The initial number of hashes.
  [[nodiscard]] virtual std::uint64_t size() const noexcept = 0;
  /// The remaining hashes that are at least `first`, in ascending order, valid until the next call. Errors: also
  /// kBadArgument if these hashes do not fit in the available memory.
  [[nodiscard]] virtual Result<std::span<const Record>> take_from(std::uint64_t first) = 0;
  /// Some of the highest remaining hashes, in ascending order, valid until the next call; empty only at the end. Unlike
  /// take_from, this function works for every distribution of the hashes.
  [[nodiscard]] virtual Result<std::span<const Record>> take_highest() = 0;
};

/// A source that can be read again, for a build in several steps.
template <class Record>
class StoredSource : public RecordSource<Record> {
 public:
  virtual void rewind() noexcept = 0;
};

using HashSource = RecordSource<std::uint64_t>;

/// The index of the first record whose hash is at least `hash`. The records must be in ascending order.
template <class Record>
[[nodiscard]] std::size_t first_from(std::span<const Record> records, std::uint64_t hash) noexcept {
  const auto is_below = [hash](const Record& record) { return hash_of(record) < hash; };
  return static_cast<std::size_t>(std::partition_point(records.begin(), records.end(), is_below) - records.begin());
}

/// A source of the caller's array, which must outlive the source. If the hashes are unsorted or repeated, sorts a copy
/// in the task's memory. Errors: kCancelled; kBadArgument if a key has two values.
template <class Record>
[[nodiscard]] Result<std::unique_ptr<StoredSource<Record>>> source_of(std::span<const Record> hashes, BuildTask& task);
/// A source that owns the hashes, which must be distinct and in ascending order.
template <class Record>
[[nodiscard]] std::unique_ptr<StoredSource<Record>> source_of_sorted(std::pmr::vector<Record> hashes);

}  // namespace crivo
