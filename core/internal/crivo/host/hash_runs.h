// Hashes in a temporary file, for builds that exceed their memory.
//
// A run is a batch that was written at once, in blocks of a fixed number of hashes; the last block may be shorter. The
// first hash and the checksum of each block stay in memory. In sorted runs, the first hashes show which blocks may
// contain a range. The checksums detect wrong bytes from the disk, which would cause false negatives.
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

/// Runs of hashes in one TemporaryFile, which the first append() creates. Not thread-safe. Record is std::uint64_t, or
/// HashedValue for hashes with values. Errors of all functions: kSystem.
template <class Record>
class RecordRuns {
 public:
  /// The maximum size of a block: 64 KiB. for_each() has a buffer of one block.
  static constexpr std::size_t kMaxBlockHashes = 65536 / sizeof(Record);

  /// folder: the folder of the file; empty for default_temp_folder(). block_hashes: at most kMaxBlockHashes.
  explicit RecordRuns(std::string folder, std::size_t block_hashes = kMaxBlockHashes) noexcept
      : folder_(std::move(folder)), block_hashes_(block_hashes) {}

  /// Writes a run of at least one hash. buffer_hashes_for() and read() require that each run has distinct, ascending
  /// hashes. After an error or std::bad_alloc, the run is not stored.
  [[nodiscard]] Result<void> append(std::span<const Record> run);

  [[nodiscard]] std::uint64_t size() const noexcept { return kHasFiles ? size_ : 0; }
  /// The size, in memory, of the first hashes and the checksums.
  [[nodiscard]] std::uint64_t index_bytes() const noexcept { return blocks_ * sizeof(Block); }
  /// The buffer size, in hashes, that suffices to read() a range of a single hash.
  [[nodiscard]] std::size_t min_buffer_hashes() const noexcept { return 2 * runs_.size() * block_hashes_; }

  /// The buffer size, in hashes, that read() needs for a range: the size of all blocks that may contain the range.
  [[nodiscard]] std::uint64_t buffer_hashes_for(std::uint64_t first, std::uint64_t last) const noexcept;
  /// Reads the hashes in [first, last], run after run, each run in ascending order. Returns the number of hashes.
  [[nodiscard]] Result<std::size_t> read(std::uint64_t first, std::uint64_t last, std::span<Record> into) const;

  /// Passes all hashes to `use`, in the order of writing, block by block.
  [[nodiscard]] Result<void> for_each(const std::function<Result<void>(std::span<const Record>)>& use) const;
  [[nodiscard]] std::size_t runs() const noexcept { return runs_.size(); }
  /// The same for one run, by its number in the order of writing.
  [[nodiscard]] Result<void> for_each_in(std::size_t run,
                                         const std::function<Result<void>(std::span<const Record>)>& use) const;

  /// For tests that damage the file.
  [[nodiscard]] int descriptor() const noexcept { return file_->descriptor(); }

 private:
  struct Block {
    std::uint64_t first;
    std::uint64_t checksum;
  };
  struct Run {
    std::uint64_t at;  // the number of the run's first hash in the file
    std::size_t hashes;
    std::vector<Block> blocks;
  };
  struct Blocks {  // of a run: [begin, end)
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
