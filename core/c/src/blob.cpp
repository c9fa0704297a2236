// Filters as blobs, and back.
#include "crivo/blob.h"

#include <cstring>
#include <vector>

#include "arguments.h"
#include "boundary.h"
#include "form.h"
#include "handle.h"

namespace crivo::c {
namespace {

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
  const bool in_file = filter->ref == nullptr;
  const std::uint64_t payload = in_file ? filter->file().payload_bytes() : filter->ref->payload().size();
  // What zstd may add to bytes that it cannot compress, by the bound in its own header, with room for frame and codec.
  return kBlobHeaderBytes + payload + payload / 256 + 512;
}

crivo_status crivo_write(const crivo_filter* filter, int32_t form, int32_t level, void* buffer, uint64_t buffer_bytes,
                         uint64_t* written, crivo_error* error) {
  return guarded(error, [&]() -> Result<void> {
    if (auto given = check_given("written", written); !given) return given;
    if (auto given = check_array("buffer", buffer, buffer_bytes, 1, 1); !given) return given;
    const Result<FilterRef> ref = to_read(filter);
    if (!ref) return ref.error();
    const Result<Form> how = checked_form(form, level, BlobForm::kAuto);
    if (!how) return how.error();
    const auto blob = to_blob(*ref, how->form, how->level);
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
