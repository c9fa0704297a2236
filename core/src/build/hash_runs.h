// Hashes in a temporary file, as sorted runs, and their way back into memory: range by range, each sorted and without
// repetitions.
//
// A run is what fitted into memory at one time. Of each block of a run, its first hash stays in memory, and says which
// blocks of the file may have hashes in a range; ranges are chosen so that these blocks fit into a buffer. So nothing
// is asked of how the hashes are spread, and ranges can be read in either direction. A disk can return other bytes than
// were written, and then keys would be lost without a word: so the checksum of each block stays in memory, too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "build/build_task.h"
#include "build/hash_source.h"
#include "crivo/host/temporary_file.h"
#include "crivo/result.h"

namespace crivo {

/// Runs of hashes in one file. One thread may use it at a time. Errors, also of what reads it: kSystem.
class HashRuns {
 public:
  [[nodiscard]] static Result<HashRuns> make(const std::string& folder, std::size_t block_hashes);

  /// Writes a run: distinct hashes in ascending order, for all functions but for_each; at least one.
  [[nodiscard]] Result<void> append(std::span<const std::uint64_t> run);

  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  /// The memory that it takes.
  [[nodiscard]] std::uint64_t index_bytes() const noexcept { return blocks_ * sizeof(Block); }
  /// The room that every read needs at least, even of a single hash, in hashes.
  [[nodiscard]] std::size_t least_room() const noexcept { return 2 * runs_.size() * block_hashes_; }

  /// The room that read needs for a range, in hashes: as many as the blocks have that it reads.
  [[nodiscard]] std::uint64_t room_for(std::uint64_t first, std::uint64_t last) const noexcept;
  /// Reads the hashes from `first` to `last`, both included, and returns their number. They come run by run, each
  /// ascending.
  [[nodiscard]] Result<std::size_t> read(std::uint64_t first, std::uint64_t last, std::span<std::uint64_t> into) const;

  /// Hands out all hashes in the order in which they were written, part by part.
  [[nodiscard]] Result<void> for_each(const std::function<Result<void>(std::span<const std::uint64_t>)>& use) const;

  /// For tests, which damage what they find there.
  [[nodiscard]] int descriptor() const noexcept { return file_.descriptor(); }

 private:
  struct Block {
    std::uint64_t first;
    std::uint64_t checksum;
  };
  struct Run {
    std::uint64_t at;  // its first hash's number in the file
    std::size_t hashes;
    std::vector<Block> blocks;
  };
  struct Blocks {  // of a run: from begin up to but not including end
    std::size_t begin;
    std::size_t end;
  };

  HashRuns(TemporaryFile file, std::size_t block_hashes) : file_(std::move(file)), block_hashes_(block_hashes) {}
  [[nodiscard]] Blocks blocks_with(const Run& run, std::uint64_t first, std::uint64_t last) const noexcept;
  [[nodiscard]] std::size_t hashes_in(const Run& run, Blocks blocks) const noexcept;
  [[nodiscard]] Result<void> read_blocks(const Run& run, Blocks blocks, std::span<std::uint64_t> into) const;

  TemporaryFile file_;
  std::size_t block_hashes_;
  std::vector<Run> runs_;
  std::uint64_t size_ = 0;
  std::uint64_t blocks_ = 0;
};

/// Reads the distinct hashes of runs by ranges, as large as a buffer allows. The runs and the task must outlive it.
class RunReader {
 public:
  /// Takes memory for `room` hashes from the task, and gives it back at the end.
  RunReader(const HashRuns& runs, std::size_t room, BuildTask& task);
  RunReader(const RunReader&) = delete;
  RunReader& operator=(const RunReader&) = delete;
  ~RunReader();

  /// All distinct hashes from `first` up to `last`, ascending, with `last` set to the highest that the buffer allows.
  /// They are valid until the next call.
  [[nodiscard]] Result<std::span<const std::uint64_t>> up_from(std::uint64_t first, std::uint64_t& last);
  /// All from `first` up to `last`, with `first` lowered as far as the buffer allows. Errors: also kBadArgument, if
  /// the hashes from `first` as it was are too many.
  [[nodiscard]] Result<std::span<const std::uint64_t>> down_to(std::uint64_t& first, std::uint64_t last);

 private:
  [[nodiscard]] bool fits(std::uint64_t first, std::uint64_t last) const noexcept {
    return runs_.room_for(first, last) <= room_.size();
  }
  [[nodiscard]] Result<std::span<const std::uint64_t>> load(std::uint64_t first, std::uint64_t last);

  const HashRuns& runs_;
  BuildTask& task_;
  std::span<std::uint64_t> room_;
};

/// Calls `use` with the distinct hashes of the runs, ascending, part by part. `room`: as RunReader's.
[[nodiscard]] Result<void> for_each_distinct(const HashRuns& runs, std::size_t room, BuildTask& task,
                                             const std::function<Result<void>(std::span<const std::uint64_t>)>& use);

/// The number of distinct hashes in runs. Takes the memory that the task has left, and brings its progress to
/// kSortShare.
[[nodiscard]] Result<std::uint64_t> count_distinct(const HashRuns& runs, BuildTask& task);

/// The distinct hashes of runs, of which there are `size`. It takes half of the memory that the task has left.
class RunSource final : public HashSource {
 public:
  RunSource(HashRuns runs, std::uint64_t size, BuildTask& task)
      : runs_(std::move(runs)), reader_(runs_, task.memory_left() / (2 * sizeof(std::uint64_t)), task), size_(size) {}
  [[nodiscard]] std::uint64_t size() const noexcept override { return size_; }
  [[nodiscard]] Result<std::span<const std::uint64_t>> take_from(std::uint64_t first) override;
  [[nodiscard]] Result<std::span<const std::uint64_t>> take_highest() override;

 private:
  HashRuns runs_;
  RunReader reader_;
  std::uint64_t size_;
  std::span<const std::uint64_t> loaded_;  // in memory and not handed out yet
  bool is_loaded_ = false;
  std::uint64_t loaded_from_ = 0;       // with is_loaded_: loaded_ has all from here on that were not handed out
  std::uint64_t left_to_ = UINT64_MAX;  // none above this is left
  bool empty_ = false;                  // all were handed out
};

}  // namespace crivo
