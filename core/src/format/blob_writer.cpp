#include "crivo/blob_writer.h"

#include "crivo/host/raw_blob.h"
#include "format/blob_header.h"
#include "format/codec_choice.h"

namespace crivo {

Result<std::uint64_t> write_blob(const FilterRef& filter, BlobForm form, const BlobSink& sink, int level) {
  if (auto valid = check_level(level); !valid) return valid.error();
  const std::optional<Codec> codec = choose_codec(filter, form);
  if (codec && is_raw(*codec)) return write_raw_blob(filter, *codec, sink);
  const Result<std::vector<std::byte>> blob = to_blob(filter, form, level);
  if (!blob) return blob.error();
  if (!sink(*blob)) return blob_was_stopped();
  return std::uint64_t{blob->size()};
}

}  // namespace crivo
