#include "format/blob_sums.h"

#include <algorithm>
#include <cassert>

#include "crivo/host/bytes.h"
#include "format/blob_header.h"
#include "format/codec_sums.h"
#include "hash/checksum.h"

namespace crivo {

void BlobSums::add(std::span<const std::byte> piece) {
  payload_bytes_ += piece.size();
  add_stored(piece);
}

void BlobSums::add_stored(std::span<const std::byte> piece) {
  while (!piece.empty()) {
    const auto rest = piece.first(std::min(piece.size(), kChecksumSegmentBytes - partial_.size()));
    piece = piece.subspan(rest.size());
    std::span<const std::byte> segment = rest;
    if (rest.size() < kChecksumSegmentBytes) {
      partial_.insert(partial_.end(), rest.begin(), rest.end());
      if (partial_.size() < kChecksumSegmentBytes) return;
      segment = partial_;
    }
    const std::uint64_t hash = segment_checksum(segments_, segment);
    sum_ += hash;
    if (codec_ == Codec::kRawSums) hashes_.push_back(hash);
    partial_.clear();
    ++segments_;
  }
}

BlobFrame BlobSums::finish(const Shape& shape, const Facts& facts) {
  assert(codec_ == Codec::kRaw || codec_ == Codec::kRawSums);
  BlobFrame frame{};
  write_fields({shape, facts, codec_, payload_bytes_}, frame.header);
  const auto fields = std::span<const std::byte>(frame.header).first(kChecksumOffset);
  if (codec_ == Codec::kRawSums) {
    if (!partial_.empty()) hashes_.push_back(segment_checksum(segments_, partial_));
    hashes_.push_back(header_checksum(fields));
    frame.tail.resize(8 * hashes_.size());
    ByteWriter writer(frame.tail);
    for (const std::uint64_t hash : hashes_) writer.write(hash);
    add_stored(frame.tail);
  }
  if (!partial_.empty()) sum_ += segment_checksum(segments_, partial_);
  store_le(frame.header.data() + kChecksumOffset, header_checksum(fields) + sum_);
  return frame;
}

}  // namespace crivo
