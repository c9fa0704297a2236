// The hashes of one filter's keys, stored until their number is known.
//
// Up to 8192 hashes are in an array on the heap, which is usually enough for a partition. More hashes go into chunks of
// the process's BuildMemory, so that growing copies only the first array. A ribbon needs its hashes in one array,
// sorted. For that, the chunks are moved to adjacent addresses and sorted in place. If this process's builders hold
// half of the limit, the hashes go to a temporary file; the other half is for filters. A log with a file can be read,
// but not sorted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "builder/build_memory.h"
#include "crivo/host/hash_runs.h"

namespace crivo::plugin {

/// Functions throw std::bad_alloc without losing a hash, or std::runtime_error if the file fails: "folder of temporary
/// files must <what>, got <folder>: <why>". After a file error, only clear() may be called.
class HashLog {
 public:
  /// limit: the most bytes that all builders of `memory` may hold. folder: for the temporary file; null: the default.
  explicit HashLog(BuildMemory& memory = BuildMemory::of_process(), std::size_t limit = BuildMemory::kNoLimit,
                   std::shared_ptr<const std::string> folder = nullptr) noexcept
      : memory_(&memory), limit_(limit), folder_(std::move(folder)) {}
  HashLog(const HashLog&) = delete;
  HashLog& operator=(const HashLog&) = delete;
  ~HashLog();

  void append(std::uint64_t hash) {
    if (next_ == end_) grow();
    *next_++ = hash;
  }
  /// Appends, unless the current step (kStepHashes) is full. In that case, returns false and does nothing.
  [[nodiscard]] bool try_append(std::uint64_t hash) noexcept {
    if (next_ == end_) return false;
    *next_++ = hash;
    return true;
  }
  /// Both logs must have the same memory and limit.
  void swap(HashLog& other) noexcept;
  /// Removes the hashes, but retains the first array, because another partition may follow.
  void clear() noexcept;

  [[nodiscard]] std::size_t size() const noexcept { return in_memory() + (spilled() ? file_->size() : 0); }
  /// The bytes of the first array and of the chunks, up to the end of the current step in the last chunk.
  [[nodiscard]] std::size_t memory_bytes() const noexcept;
  /// Whether some hashes are in a file.
  [[nodiscard]] bool spilled() const noexcept { return file_.has_value(); }
  /// Moves the hashes in memory to the file, to free memory for a filter.
  void spill();

  /// All hashes in one array, which is valid until the log changes. Empty, despite hashes in the log, if the system
  /// refuses to move them or if the log was spilled.
  [[nodiscard]] std::span<std::uint64_t> in_one_array();
  /// Sorts the hashes and removes repeated ones. Returns the remaining hashes; none if in_one_array() returns none.
  [[nodiscard]] std::span<const std::uint64_t> make_set();
  /// Passes all hashes to `use`, piece by piece. If `use` returns false, stops and returns false.
  bool read(const std::function<bool(std::span<const std::uint64_t>)>& use) const;

 private:
  static constexpr std::size_t kFirstHashes = 8192;
  static constexpr std::size_t kFirstBytes = kFirstHashes * sizeof(std::uint64_t);
  static constexpr std::size_t kChunkHashes = BuildMemory::kChunkBytes / sizeof(std::uint64_t);
  static constexpr std::size_t kStepHashes = kChunkHashes / 8;  // the unit that is charged to the block cache

  [[nodiscard]] static std::uint64_t* hashes_in(std::byte* chunk) noexcept {
    return reinterpret_cast<std::uint64_t*>(chunk);
  }
  [[nodiscard]] std::size_t in_memory() const noexcept;
  /// The hashes in chunk i, or in the first array if there is no chunk.
  [[nodiscard]] std::span<std::uint64_t> part(std::size_t i) const noexcept;
  [[nodiscard]] std::size_t parts() const noexcept { return chunks_.empty() ? 1 : chunks_.size(); }
  void grow();
  /// Frees all chunks after the first `keep`. The next hash follows `used` hashes of the last chunk, or first array.
  void shrink(std::size_t keep, std::size_t used) noexcept;

  BuildMemory* memory_;
  std::size_t limit_;
  std::shared_ptr<const std::string> folder_;
  std::unique_ptr<std::uint64_t[]> first_;
  std::vector<std::byte*> chunks_;  // all full but the last
  std::optional<HashRuns> file_;
  std::uint64_t* next_ = nullptr;  // where the next hash goes
  std::uint64_t* end_ = nullptr;   // the end of the current step
};

}  // namespace crivo::plugin
