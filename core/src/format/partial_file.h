// A filter file that lies elsewhere, of which only some bytes are here. It says which others a question needs, and is
// given them, as often as that takes; who fetches them, and how, is not its business.
//
// It is a file with sums whose memory is filled piece by piece: the gate of mapped files, which names each byte before
// a question reads it, says here what is missing. What a question needs is mostly known before the first of its bytes
// is here, as a hash says where it reads; so the gate lets questions go on where bytes are missing, over whatever is
// there, to find what else they need. What they then answer is not used. crivo/remote_filter.h says what is promised.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/byte_gate.h"
#include "base/lazy_memory.h"
#include "crivo/blob.h"
#include "crivo/filter.h"
#include "crivo/memory.h"
#include "crivo/view.h"
#include "format/blob_header.h"
#include "format/codec_sums.h"
#include "format/mapped_segments.h"

namespace crivo {

/// Bytes of a file.
struct ByteRange {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};
using MissingBytes = std::vector<ByteRange>;

/// To be used by one thread at a time.
class PartialFile {
 public:
  /// `file_bytes` is 0 where the size is not known. Without `verify` it needs only the cache lines that a question
  /// reads, and believes them. A file whose parts cannot be verified, or not be read, by themselves is needed as a
  /// whole, if it has at most max_whole_bytes.
  PartialFile(std::uint64_t file_bytes, bool verify, std::uint64_t max_whole_bytes) noexcept
      : known_bytes_(file_bytes), verify_(verify), max_whole_bytes_(max_whole_bytes), file_bytes_(file_bytes) {}

  // Each adds what is missing, and if that is nothing, it has done its work. Errors: kCorrupt, after which nothing is
  // here any more, as it may have been damaged on its way; kTooLarge.
  /// Then ref() may be asked; or it is a manifest().
  Result<void> open(MissingBytes& missing);
  /// Then questions about these hashes may be asked. The file must be open.
  Result<void> need_hashes(std::span<const std::uint64_t> hashes, MissingBytes& missing);
  /// Then a question about this range.
  Result<void> need_range(std::uint64_t low, std::uint64_t high, MissingBytes& missing);

  /// Takes bytes that were missing; fewer than were asked for where the file ends. What is here already stays as it is.
  /// Errors: kCorrupt where it ends too soon, and where the version is not that of all that came before.
  Result<void> supply(const ByteRange& asked, std::span<const std::byte> bytes, const std::string& version);
  /// Gives up all bytes; those that come later must be of the same file.
  void forget();

  [[nodiscard]] bool is_open() const noexcept { return ref_ || is_manifest_; }
  [[nodiscard]] const FilterRef& ref() const noexcept { return *ref_; }
  /// The whole file, if it is the manifest of a filter in parts; else nothing.
  [[nodiscard]] std::span<const std::byte> manifest() const noexcept {
    return is_manifest_ ? std::span<const std::byte>(start_) : std::span<const std::byte>();
  }
  [[nodiscard]] std::uint64_t file_bytes() const noexcept { return file_bytes_; }
  /// That of the header.
  [[nodiscard]] std::uint64_t checksum() const noexcept;
  /// What it takes of the process's memory, without map_bytes(). Where pages are not given back, all of the file
  /// counts.
  [[nodiscard]] std::uint64_t memory_bytes() const noexcept;
  /// Of what says which bytes are here.
  [[nodiscard]] std::uint64_t map_bytes() const noexcept { return sizeof(std::uint64_t) * here_.size(); }
  /// What open() will take at once beside that.
  [[nodiscard]] std::uint64_t bytes_to_open() const;
  /// Whether it was fetched as a whole.
  [[nodiscard]] bool is_whole() const noexcept { return whole_.has_value(); }

 private:
  class Gate;
  template <class Admit>
  Result<void> need(const Admit& admit, MissingBytes& missing);
  Result<void> take(const ByteRange& asked, std::span<const std::byte> bytes);
  [[nodiscard]] Result<void> step(MissingBytes& missing);
  [[nodiscard]] Result<void> read_start(MissingBytes& missing);
  [[nodiscard]] Result<void> start_pieces();
  [[nodiscard]] Result<void> open_whole(MissingBytes& missing);
  [[nodiscard]] Result<void> open_pieces(MissingBytes& missing);
  [[nodiscard]] Result<void> set_file_bytes(std::uint64_t bytes);
  [[nodiscard]] bool want(std::uint64_t begin, std::uint64_t end, MissingBytes& missing) const;
  [[nodiscard]] bool want_segments(std::uint64_t first, std::uint64_t last, MissingBytes& missing) const;
  [[nodiscard]] Result<void> verify_segment(std::uint64_t number);

  std::uint64_t known_bytes_;
  bool verify_;
  std::uint64_t max_whole_bytes_;
  std::optional<std::array<std::byte, kBlobHeaderBytes>> opened_header_;  // stays whatever is forgotten
  std::optional<std::string> version_;                                    // likewise, once it is open
  std::uint64_t file_bytes_;
  AlignedBytes start_;  // of the file: the header, and what came with it; or all of it
  bool start_ends_ = false;
  int restarts_ = 0;  // while it is opened: as often as it was replaced
  Header header_;
  bool is_manifest_ = false;
  LazyMemory memory_;  // for the whole file
  bool in_pieces_ = false;
  // For each page, which of its 64 lines are here; and the number of pages in which there is one.
  using Lines = std::vector<std::uint64_t, CacheAlignedAllocator<std::uint64_t>>;
  Lines here_;
  std::uint64_t pages_ = 0;
  std::unique_ptr<VerifiedSegments> verified_;
  std::optional<OpenedBlob> whole_;
  std::optional<FilterRef> ref_;
};

/// Joins ranges that touch, or nearly so, and sorts them.
void join_ranges(MissingBytes& ranges);
/// The most memory that a range takes once it is here, which comes in whole pages.
[[nodiscard]] std::uint64_t memory_for(const ByteRange& range) noexcept;

}  // namespace crivo
