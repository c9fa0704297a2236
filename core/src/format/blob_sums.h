// Computes the header and the checksums of a raw blob whose payload arrives piece by piece, for writers that do not
// have the whole payload in memory. For a filter in memory, use write_blob (crivo/blob.h).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "crivo/types.h"

namespace crivo {

/// The parts of a raw blob before and after the payload.
struct BlobFrame {
  std::array<std::byte, kBlobHeaderBytes> header;
  std::vector<std::byte> tail;  // 0.2% of the payload for Codec::kRawSums, empty for Codec::kRaw
};

/// Computes the checksums of a payload that is passed in order.
class BlobSums {
 public:
  /// codec: kRaw or kRawSums (docs/format.md, "Codecs").
  explicit BlobSums(Codec codec) : codec_(codec) {}

  /// Adds the next piece of the payload, of any size. Copies nothing if all pieces end at multiples of 4096 bytes.
  void add(std::span<const std::byte> piece);
  /// Returns the frame of the complete payload, which must have this shape. Call finish() once.
  [[nodiscard]] BlobFrame finish(const Shape& shape, const Facts& facts);

 private:
  void add_stored(std::span<const std::byte> piece);

  Codec codec_;
  std::uint64_t payload_bytes_ = 0;
  std::uint64_t segments_ = 0;         // complete segments
  std::uint64_t sum_ = 0;              // of the segments' hashes
  std::vector<std::byte> partial_;     // the incomplete segment
  std::vector<std::uint64_t> hashes_;  // of the complete segments, for kRawSums
};

}  // namespace crivo
