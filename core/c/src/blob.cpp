// Filters as blobs, and back.
#include "crivo/blob.h"

#include <cstring>
#include <vector>

#include "arguments.h"
#include "boundary.h"
#include "handle.h"

namespace crivo::c {
namespace {

Result<BlobForm> checked_form(int32_t form) {
  switch (form) {
    case CRIVO_FORM_AUTO:
      return BlobForm::kAuto;
    case CRIVO_FORM_RAW:
      return BlobForm::kRaw;
    case CRIVO_FORM_SMALLEST:
      return BlobForm::kSmallest;
    default:
      return Error{ErrorCode::kBadArgument,
                   "form must be CRIVO_FORM_AUTO (0), _RAW (1) or _SMALLEST (2), got " + std::to_string(form)};
  }
}

Result<OpenedBlob> open_blob(const void* blob, uint64_t blob_bytes, const crivo_limits* limits) {
  if (auto given = check_array("blob", blob, blob_bytes, 1, 1); !given) return given.error();
  const Result<ReadLimits> allowed = read_limits(limits);
  if (!allowed) return allowed.error();
  return parse_blob({static_cast<const std::byte*>(blob), static_cast<std::size_t>(blob_bytes)}, *allowed);
}

}  // namespace
}  // namespace crivo::c

using namespace crivo;
using namespace crivo::c;

uint64_t crivo_blob_bound(const crivo_filter* filter) {
  if (filter == nullptr) return 0;
  // What zstd may add to bytes that it cannot compress, by the bound in its own header, with room for frame and codec.
  const std::uint64_t payload = filter->ref->payload().size();
  return kBlobHeaderBytes + payload + payload / 256 + 512;
}

crivo_status crivo_write(const crivo_filter* filter, int32_t form, int32_t level, void* buffer, uint64_t buffer_bytes,
                         uint64_t* written, crivo_error* error) {
  return guarded(error, [&]() -> Result<void> {
    if (auto given = check_given("written", written); !given) return given;
    if (auto given = check_array("buffer", buffer, buffer_bytes, 1, 1); !given) return given;
    const Result<const FilterRef*> ref = to_ask(filter);
    if (!ref) return ref.error();
    const Result<BlobForm> checked = checked_form(form);
    if (!checked) return checked.error();
    const auto blob = to_blob(**ref, *checked, level == 0 ? kDefaultCompressionLevel : level);
    if (!blob) return blob.error();
    *written = blob->size();
    if (blob->size() > buffer_bytes) {
      return Error{ErrorCode::kTooLarge, "buffer_bytes must be at least " + std::to_string(blob->size()) + ", got " +
                                             std::to_string(buffer_bytes)};
    }
    std::memcpy(buffer, blob->data(), blob->size());
    return {};
  });
}

crivo_status crivo_read(const void* blob, uint64_t blob_bytes, const crivo_limits* limits, crivo_filter** filter,
                        crivo_error* error) {
  return guarded(error, [&]() -> Result<void> {
    if (auto given = check_given("filter", filter); !given) return given;
    Result<OpenedBlob> opened = open_blob(blob, blob_bytes, limits);
    if (!opened) return opened.error();
    return hand_out(Result<AnyFilter>((*std::move(opened)).into_filter()), filter);
  });
}

crivo_status crivo_borrow(const void* blob, uint64_t blob_bytes, const crivo_limits* limits, crivo_filter** filter,
                          crivo_error* error) {
  return guarded(error, [&]() -> Result<void> {
    if (auto given = check_given("filter", filter); !given) return given;
    return hand_out(open_blob(blob, blob_bytes, limits), filter);
  });
}
