// The hashes of a build in order, wherever they lie: in an array, or in files, of which a part is in memory at a time.
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

/// Distinct hashes, or hashes with values (Record as in crivo/host/hash_runs.h), which are handed out from the highest
/// to the lowest. One thread may use it at a time.
template <class Record>
class RecordSource {
 public:
  virtual ~RecordSource() = default;
  /// How many hashes there were at the beginning.
  [[nodiscard]] virtual std::uint64_t size() const noexcept = 0;
  /// Those that are at least `first` and were not handed out yet, in ascending order. They are valid until the next
  /// call. Errors: kSystem when a file fails; kBadArgument when they are more than fit in the memory that there is.
  [[nodiscard]] virtual Result<std::span<const Record>> take_from(std::uint64_t first) = 0;
  /// The highest that were not handed out yet, as many as are at hand, in ascending order; none at the end, and only
  /// then. They are valid until the next call. A builder that works through all hashes needs no more, however they are
  /// spread. Errors: kSystem.
  [[nodiscard]] virtual Result<std::span<const Record>> take_highest() = 0;
};

/// A source that can be read again, for a build in several steps.
template <class Record>
class StoredSource : public RecordSource<Record> {
 public:
  virtual void rewind() noexcept = 0;
};

using HashSource = RecordSource<std::uint64_t>;

/// The number of the first of these, which are in ascending order, whose hash is at least `hash`.
template <class Record>
[[nodiscard]] std::size_t first_from(std::span<const Record> records, std::uint64_t hash) noexcept {
  const auto is_below = [hash](const Record& record) { return hash_of(record) < hash; };
  return static_cast<std::size_t>(std::partition_point(records.begin(), records.end(), is_below) - records.begin());
}

/// The source for hashes in an array of the caller's, which must outlive it: in any order, and some may be repeated. A
/// copy is sorted in the task's memory, unless they are distinct and in ascending order. Errors: kCancelled.
template <class Record>
[[nodiscard]] Result<std::unique_ptr<StoredSource<Record>>> source_of(std::span<const Record> hashes, BuildTask& task);
/// The source for hashes that are distinct and in ascending order, which it takes over.
template <class Record>
[[nodiscard]] std::unique_ptr<StoredSource<Record>> source_of_sorted(std::pmr::vector<Record> hashes);

}  // namespace crivo
