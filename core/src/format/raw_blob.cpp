#include "crivo/host/raw_blob.h"

#include "base/error_text.h"
#include "format/blob_header.h"
#include "format/blob_sums.h"
#include "format/codec_sums.h"

namespace crivo {

Result<std::uint64_t> write_raw_blob(const FilterRef& filter, Codec codec,
                                     const std::function<bool(std::span<const std::byte>)>& sink) {
  BlobSums sums(codec);
  sums.add(filter.payload());
  const BlobFrame frame = sums.finish(filter.shape(), filter.facts());
  if (!sink(frame.header) || !sink(filter.payload())) return blob_was_stopped();
  if (!frame.tail.empty() && !sink(frame.tail)) return blob_was_stopped();
  return std::uint64_t{frame.header.size() + filter.payload().size() + frame.tail.size()};
}

std::uint64_t blob_frame_bytes(Codec codec, std::uint64_t payload_bytes) noexcept {
  return kBlobHeaderBytes + (codec == Codec::kRawSums ? sums_bytes(payload_bytes) : 0);
}

Error blob_was_stopped() { return error(ErrorCode::kCancelled, "cancelled by the sink"); }

}  // namespace crivo
