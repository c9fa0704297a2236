#include "crivo/blob_writer.h"

#include "base/error_text.h"
#include "crivo/host/raw_blob.h"
#include "format/blob_header.h"
#include "format/blob_sums.h"
#include "format/codec_choice.h"
#include "format/codec_sums.h"

namespace crivo {
namespace {

Error stopped() { return error(ErrorCode::kCancelled, "blob must be taken whole, got a sink that stopped"); }

}  // namespace

Result<std::uint64_t> write_blob(const FilterRef& filter, BlobForm form, const BlobSink& sink, int level) {
  if (auto valid = check_level(level); !valid) return valid.error();
  const std::optional<Codec> codec = choose_codec(filter, form);
  if (codec && is_raw(*codec)) return write_raw_blob(filter, *codec, sink);
  const Result<std::vector<std::byte>> blob = to_blob(filter, form, level);
  if (!blob) return blob.error();
  if (!sink(*blob)) return stopped();
  return std::uint64_t{blob->size()};
}

Result<std::uint64_t> write_raw_blob(const FilterRef& filter, Codec codec, const BlobSink& sink) {
  BlobSums sums(codec);
  sums.add(filter.payload());
  const BlobFrame frame = sums.finish(filter.shape(), filter.facts());
  if (!sink(frame.header) || !sink(filter.payload())) return stopped();
  if (!frame.tail.empty() && !sink(frame.tail)) return stopped();
  return std::uint64_t{frame.header.size() + filter.payload().size() + frame.tail.size()};
}

std::uint64_t blob_frame_bytes(Codec codec, std::uint64_t payload_bytes) noexcept {
  return kBlobHeaderBytes + (codec == Codec::kRawSums ? sums_bytes(payload_bytes) : 0);
}

}  // namespace crivo
