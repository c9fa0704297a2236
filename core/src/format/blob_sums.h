// The header and the checksums of a raw blob whose payload comes in pieces, so that whoever writes a filter of many
// gigabytes need not hold it in memory. write_blob (blob_writer.h) writes a filter that is in memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "crivo/types.h"

namespace crivo {

/// What stands around the payload of a raw blob: the blob is the header, the payload, and the tail.
struct BlobFrame {
  std::array<std::byte, kBlobHeaderBytes> header;
  std::vector<std::byte> tail;  // 0.2% of the payload for Codec::kRawSums, nothing for Codec::kRaw
};

/// Sees the payload pass by, from its first byte to its last.
class BlobSums {
 public:
  /// codec: kRaw or kRawSums (docs/format.md, "Codecs").
  explicit BlobSums(Codec codec) : codec_(codec) {}

  /// The next bytes of the payload; pieces may have any size. A piece that ends on a multiple of 4096 bytes of the
  /// payload costs no copy.
  void add(std::span<const std::byte> piece);
  /// The frame of the payload that was added, which must be the whole payload of a filter of this shape. Call it once.
  [[nodiscard]] BlobFrame finish(const Shape& shape, const Facts& facts);

 private:
  void add_stored(std::span<const std::byte> piece);

  Codec codec_;
  std::uint64_t payload_bytes_ = 0;
  std::uint64_t segments_ = 0;         // whole segments that were hashed
  std::uint64_t sum_ = 0;              // of their hashes
  std::vector<std::byte> partial_;     // the bytes of the segment that is not whole yet
  std::vector<std::uint64_t> hashes_;  // of the whole segments, for kRawSums
};

}  // namespace crivo
