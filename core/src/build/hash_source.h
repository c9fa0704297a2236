// The hashes of a build in order, wherever they lie: in an array, or in files, of which a part is in memory at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <memory_resource>
#include <span>
#include <vector>

#include "build/build_task.h"
#include "crivo/result.h"

namespace crivo {

/// Distinct hashes, which are handed out once, from the highest to the lowest. One thread may use it at a time.
class HashSource {
 public:
  virtual ~HashSource() = default;
  /// How many hashes there were at the beginning.
  [[nodiscard]] virtual std::uint64_t size() const noexcept = 0;
  /// Those that are at least `first` and were not handed out yet, in ascending order. They are valid until the next
  /// call. Errors: kSystem when a file fails; kBadArgument when they are more than fit in the memory that there is.
  [[nodiscard]] virtual Result<std::span<const std::uint64_t>> take_from(std::uint64_t first) = 0;
  /// The highest that were not handed out yet, as many as are at hand, in ascending order; none at the end, and only
  /// then. They are valid until the next call. A builder that works through all hashes needs no more, however they are
  /// spread. Errors: kSystem.
  [[nodiscard]] virtual Result<std::span<const std::uint64_t>> take_highest() = 0;
};

/// The source for hashes in an array of the caller's, which must outlive it: in any order, and some may be repeated. A
/// copy is sorted in the task's memory, unless they are distinct and in ascending order. Errors: kCancelled.
[[nodiscard]] Result<std::unique_ptr<HashSource>> source_of(std::span<const std::uint64_t> hashes, BuildTask& task);
/// The source for hashes that are distinct and in ascending order, which it takes over.
[[nodiscard]] std::unique_ptr<HashSource> source_of_sorted(std::pmr::vector<std::uint64_t> hashes);

}  // namespace crivo
