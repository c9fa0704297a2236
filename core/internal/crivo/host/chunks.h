// Splits a blob into chunks, for links and stores with a small maximum message size (docs/format.md, "Chunks"). A chunk
// states its blob and its number, and has a checksum. So chunks may arrive in any order and repeatedly, and a missing,
// foreign or damaged chunk is detected and named.
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

inline constexpr std::size_t kChunkHeaderBytes = 40;

/// The allowed chunk sizes, including the header.
inline constexpr std::size_t kMinChunkBytes = 64;
inline constexpr std::size_t kMaxChunkBytes = std::size_t{1} << 30;
inline constexpr std::size_t kDefaultChunkBytes = std::size_t{1} << 16;

/// Splits a blob, which must outlive this object. Thread-safe.
class ChunkWriter {
 public:
  /// `chunk_bytes` is the size of all chunks except the last, which may be smaller. The blob is not validated: pass
  /// only a blob that to_blob returned or parse_blob accepts. Errors: kBadArgument for a size outside kMinChunkBytes to
  /// kMaxChunkBytes, or if there would be more than 2^32 chunks; kCorrupt for bytes that cannot be a blob.
  [[nodiscard]] static Result<ChunkWriter> create(std::span<const std::byte> blob,
                                                  std::size_t chunk_bytes = kDefaultChunkBytes);

  /// The number of chunks, 1 to 2^32.
  [[nodiscard]] std::uint64_t chunks() const noexcept;
  /// Chunk number `seq`, below chunks(). Deterministic.
  [[nodiscard]] std::vector<std::byte> chunk(std::uint64_t seq) const;

 private:
  ChunkWriter(std::span<const std::byte> blob, std::uint32_t data_bytes) noexcept
      : blob_(blob), data_bytes_(data_bytes) {}

  std::span<const std::byte> blob_;
  std::uint32_t data_bytes_;
};

/// Reassembles a blob. Memory is proportional to the received chunks, not to the claimed size. Not thread-safe.
class ChunkReader {
 public:
  /// Rejects chunks of a blob larger than max_bytes.
  explicit ChunkReader(std::uint64_t max_bytes = kBlobHeaderBytes + kDefaultMaxBytes) noexcept
      : max_bytes_(max_bytes) {}

  /// Adds a chunk. The first chunk determines the blob; repeated chunks are ignored. `seq`, if given, must be the
  /// chunk's number, and appears in errors. Errors, with nothing changed: kCorrupt for a damaged chunk, or for a number
  /// other than `seq`; kIncompatible for a chunk of another blob or of another size, and for a repeated chunk with
  /// other contents; kTooLarge.
  Result<void> add(std::span<const std::byte> chunk, std::optional<std::uint64_t> seq = std::nullopt);

  /// The number of chunks of the blob; 0 before the first chunk was added.
  [[nodiscard]] std::uint64_t chunks() const noexcept;
  /// The lowest missing chunk number; no value if complete.
  [[nodiscard]] std::optional<std::uint64_t> first_missing() const noexcept;

  /// The blob, which is not validated yet: use parse_blob. Errors: kNotFound naming the first missing chunk; kCorrupt
  /// if the blob's checksum is not the one that the chunks state.
  [[nodiscard]] Result<std::vector<std::byte>> finish() &&;

 private:
  /// The header fields that are equal in all chunks of a blob.
  struct Series {
    std::uint64_t id = 0;
    std::uint64_t blob_bytes = 0;
    std::uint32_t data_bytes = 0;
  };
  struct Header;
  [[nodiscard]] Result<Header> read_header(std::span<const std::byte> chunk) const;
  [[nodiscard]] Result<void> check_series(const Header& header) const;
  [[nodiscard]] Result<void> store(std::uint64_t seq, std::span<const std::byte> data);

  std::uint64_t max_bytes_;
  std::optional<Series> series_;
  std::uint64_t joined_ = 0;                                 // chunks in blob_
  std::vector<std::byte> blob_;                              // chunks 0 to joined_ - 1
  std::map<std::uint64_t, std::vector<std::byte>> pending_;  // later chunks, without their headers
};

}  // namespace crivo
