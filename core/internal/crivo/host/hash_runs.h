// Hashes in a temporary file, and their way back into memory.
//
// A run is what fitted into memory at one time. It is stored in blocks of a fixed number of hashes. The first hash of
// each block stays in memory: in sorted runs it tells which blocks may have hashes of a range, however the hashes are
// spread. The checksum of each block stays in memory, too, because keys would be lost if a disk returned other bytes
// than were written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "crivo/host/compiled_for.h"
#include "crivo/host/hashed_value.h"
#include "crivo/host/temporary_file.h"
#include "crivo/result.h"

namespace crivo {

/// Runs of hashes in one file, which the first of them makes, and which is gone when the process dies. One thread may
/// use it at a time. Record: std::uint64_t, or HashedValue for hashes with values. Errors, also of what reads it:
/// kSystem.
template <class Record>
class RecordRuns {
 public:
  /// As many as take 64 KiB, which is also the buffer that for_each takes.
  static constexpr std::size_t kMostBlockHashes = 65536 / sizeof(Record);

  /// folder: where the file lies; empty for default_temp_folder(). block_hashes: at most kMostBlockHashes.
  explicit RecordRuns(std::string folder, std::size_t block_hashes = kMostBlockHashes) noexcept
      : folder_(std::move(folder)), block_hashes_(block_hashes) {}

  /// Writes a run of at least one hash. For room_for() and read(), its hashes must be distinct and in ascending order.
  /// On an error, or if it throws std::bad_alloc, none of them is there.
  [[nodiscard]] Result<void> append(std::span<const Record> run);

  [[nodiscard]] std::uint64_t size() const noexcept { return kHasFiles ? size_ : 0; }
  /// The memory that first hashes and checksums take.
  [[nodiscard]] std::uint64_t index_bytes() const noexcept { return blocks_ * sizeof(Block); }
  /// The room that suffices to read a single hash, in hashes.
  [[nodiscard]] std::size_t least_room() const noexcept { return 2 * runs_.size() * block_hashes_; }

  /// The room that read() needs for a range, in hashes: as many as there are in the blocks that it reads.
  [[nodiscard]] std::uint64_t room_for(std::uint64_t first, std::uint64_t last) const noexcept;
  /// Reads the hashes from `first` to `last`, both included, and returns their number. They come run by run, each
  /// ascending.
  [[nodiscard]] Result<std::size_t> read(std::uint64_t first, std::uint64_t last, std::span<Record> into) const;

  /// Hands out all hashes in the order in which they were written, block by block.
  [[nodiscard]] Result<void> for_each(const std::function<Result<void>(std::span<const Record>)>& use) const;
  [[nodiscard]] std::size_t runs() const noexcept { return runs_.size(); }
  /// The same for the hashes of one run, by its number in the order in which they were written.
  [[nodiscard]] Result<void> for_each_in(std::size_t run,
                                         const std::function<Result<void>(std::span<const Record>)>& use) const;

  /// For tests, which damage what they find there, behind the first run.
  [[nodiscard]] int descriptor() const noexcept { return file_->descriptor(); }

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

  [[nodiscard]] Blocks blocks_with(const Run& run, std::uint64_t first, std::uint64_t last) const noexcept;
  [[nodiscard]] std::size_t hashes_in(const Run& run, Blocks blocks) const noexcept;
  [[nodiscard]] Result<void> read_blocks(const Run& run, Blocks blocks, std::span<Record> into) const;

  std::string folder_;
  std::optional<TemporaryFile> file_;
  std::size_t block_hashes_;
  std::vector<Run> runs_;
  std::uint64_t size_ = 0;
  std::uint64_t blocks_ = 0;
};

using HashRuns = RecordRuns<std::uint64_t>;

}  // namespace crivo
