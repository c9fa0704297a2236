// Converts filters to blobs, and blobs to filters.
#include <algorithm>
#include <span>

#include "arguments.h"
#include "boundary.h"
#include "crivo/blob.h"
#include "crivo/host/raw_blob.h"
#include "handle.h"

namespace crivo::c {
namespace {

/// Sets *written to the size of a blob. Errors: kTooLarge if the buffer is smaller.
Result<void> check_buffer(std::uint64_t bytes, std::span<const std::byte> buffer, std::uint64_t* written) {
  *written = bytes;
  if (bytes <= buffer.size()) return {};
  return Error{ErrorCode::kTooLarge,
               "buffer_bytes must be at least " + std::to_string(bytes) + ", got " + std::to_string(buffer.size())};
}

/// Writes a raw blob without a second copy of the payload, because the payload may take most of the memory.
Result<void> write_raw(const FilterRef& filter, BlobForm form, std::span<std::byte> buffer, std::uint64_t* written) {
  const Codec codec = form == BlobForm::kRaw ? Codec::kRaw : Codec::kRawSums;
  const std::uint64_t bytes = filter.payload().size() + blob_frame_bytes(codec, filter.payload().size());
  if (auto fits = check_buffer(bytes, buffer, written); !fits) return fits;
  const auto copied = write_raw_blob(filter, codec, [at = buffer.begin()](std::span<const std::byte> part) mutable {
    at = std::ranges::copy(part, at).out;
    return true;
  });
  return copied.has_value() ? Result<void>() : copied.error();
}

Result<void> write(const FilterRef& filter, const Form& how, std::span<std::byte> buffer, std::uint64_t* written) {
  if (how.form == BlobForm::kRaw || how.form == BlobForm::kMappable)
    return write_raw(filter, how.form, buffer, written);
  const auto blob = to_blob(filter, how.form, how.level);
  if (!blob) return blob.error();
  if (auto fits = check_buffer(blob->size(), buffer, written); !fits) return fits;
  std::ranges::copy(*blob, buffer.begin());
  return {};
}

Result<OpenedBlob> open_blob(const void* blob, uint64_t blob_bytes, const crivo_limits* limits) {
  check_array("blob", blob, blob_bytes, 1, 1);
  return parse_blob({static_cast<const std::byte*>(blob), static_cast<std::size_t>(blob_bytes)}, read_limits(limits));
}

}  // namespace
}  // namespace crivo::c

using namespace crivo;
using namespace crivo::c;

uint64_t crivo_blob_bound(const crivo_filter* filter) {
  if (!is_given(filter)) return 0;
  const std::uint64_t payload = filter->ref != nullptr
                                    ? filter->ref->payload().size()
                                    : filter->query_file([](const auto& file) { return file.payload_bytes(); });
  // The worst case for incompressible bytes according to zstd.h, plus the overhead of the frame and of other codecs.
  return kBlobHeaderBytes + payload + payload / 256 + 512;
}

crivo_status crivo_write(const crivo_filter* filter, int32_t form, int32_t level, void* buffer, uint64_t buffer_bytes,
                         uint64_t* written, crivo_error* error) {
  return guarded(error, [&]() -> Result<void> {
    check_given("written", written);
    check_array("buffer", buffer, buffer_bytes, 1, 1);
    check_given("filter", filter);
    const Form how = checked_form(form, level, BlobForm::kAuto);
    const std::span into(static_cast<std::byte*>(buffer), static_cast<std::size_t>(buffer_bytes));
    std::uint64_t bytes = 0;
    auto done = read_whole(filter, "filter", [&](const FilterRef& ref) { return write(ref, how, into, &bytes); });
    if (done || done.error().code == ErrorCode::kTooLarge) *written = bytes;
    return done;
  });
}

crivo_status crivo_read(const void* blob, uint64_t blob_bytes, const crivo_limits* limits, crivo_filter** filter,
                        crivo_error* error) {
  return hand_out("filter", filter, error,
                  [&]() -> Result<AnyFilter> { return unwrap(open_blob(blob, blob_bytes, limits)).into_filter(); });
}

crivo_status crivo_borrow(const void* blob, uint64_t blob_bytes, const crivo_limits* limits, crivo_filter** filter,
                          crivo_error* error) {
  return hand_out("filter", filter, error, [&] { return open_blob(blob, blob_bytes, limits); });
}
