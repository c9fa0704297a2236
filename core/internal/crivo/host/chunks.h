// A blob in pieces, for links and stores that take only small messages: docs/format.md, "Chunks". Each chunk says which
// blob it is a piece of and where it belongs, and has a checksum. So chunks may come in any order and more than once,
// and a missing, foreign or damaged one is noticed and named.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "crivo/blob.h"
#include "crivo/result.h"

namespace crivo {

/// Every chunk starts with a header of this many bytes.
inline constexpr std::size_t kChunkHeaderBytes = 40;

/// The sizes that a chunk may be asked to have, in bytes and with its header.
inline constexpr std::size_t kMinChunkBytes = 64;
inline constexpr std::size_t kMaxChunkBytes = std::size_t{1} << 30;
inline constexpr std::size_t kDefaultChunkBytes = std::size_t{1} << 16;

/// Cuts a blob into chunks. It borrows the blob, which must outlive it. Any number of threads may use it at the same
/// time.
class ChunkWriter {
 public:
  /// `chunk_bytes` is the size of every chunk but the last, which may be smaller. The blob is not checked: give it only
  /// what to_blob made or parse_blob accepts. Errors: kBadArgument for a size outside kMinChunkBytes to kMaxChunkBytes,
  /// or so small that there would be more than 2^32 chunks; kCorrupt for bytes that cannot be a blob.
  [[nodiscard]] static Result<ChunkWriter> create(std::span<const std::byte> blob,
                                                  std::size_t chunk_bytes = kDefaultChunkBytes);

  /// The number of chunks, 1 to 2^32.
  [[nodiscard]] std::uint64_t chunks() const noexcept;
  /// Chunk `seq`, which must be below chunks(). The same blob and size always give the same bytes.
  [[nodiscard]] std::vector<std::byte> chunk(std::uint64_t seq) const;

 private:
  ChunkWriter(std::span<const std::byte> blob, std::uint32_t data_bytes) noexcept
      : blob_(blob), data_bytes_(data_bytes) {}

  std::span<const std::byte> blob_;
  std::uint32_t data_bytes_;
};

/// Puts a blob together from its chunks. It takes memory for the chunks that came, and not for what they say is still
/// to come. One thread at a time may use it.
class ChunkReader {
 public:
  /// Refuses the chunks of a blob larger than max_bytes.
  explicit ChunkReader(std::uint64_t max_bytes = kBlobHeaderBytes + kDefaultMaxBytes) noexcept
      : max_bytes_(max_bytes) {}

  /// Takes a chunk. The first one says which blob it is. A chunk that came before changes nothing. `seq` names the
  /// chunk in errors and must be its number; without it that number is read from the chunk. Errors, with nothing
  /// changed: kCorrupt for a chunk that is damaged, or has another number; kIncompatible for one of another blob, or
  /// one that was cut in another size; kTooLarge.
  Result<void> add(std::span<const std::byte> chunk, std::optional<std::uint64_t> seq = std::nullopt);

  /// The number of chunks that the blob has; 0 before the first one came.
  [[nodiscard]] std::uint64_t chunks() const noexcept;
  /// The smallest number of a chunk that did not come; no value if all came.
  [[nodiscard]] std::optional<std::uint64_t> first_missing() const noexcept;

  /// The blob, which parse_blob has still to check. Errors: kNotFound naming the first chunk that is missing; kCorrupt
  /// if the chunks make another blob than they say.
  [[nodiscard]] Result<std::vector<std::byte>> finish() &&;

 private:
  /// What all chunks of a blob have in common.
  struct Series {
    std::uint64_t id = 0;
    std::uint64_t blob_bytes = 0;
    std::uint32_t data_bytes = 0;
  };
  struct Header;
  [[nodiscard]] Result<Header> read_header(std::span<const std::byte> chunk) const;
  [[nodiscard]] Result<void> check_series(const Header& header) const;
  [[nodiscard]] Result<void> take(std::uint64_t seq, std::span<const std::byte> data);

  std::uint64_t max_bytes_;
  std::optional<Series> series_;
  std::uint64_t joined_ = 0;                                 // the chunks that lie in blob_
  std::vector<std::byte> blob_;                              // chunks 0 to joined_ - 1
  std::map<std::uint64_t, std::vector<std::byte>> waiting_;  // later chunks, without their headers
};

}  // namespace crivo
