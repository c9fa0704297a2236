// Filters as blobs, and back.
#include "crivo/blob.h"

#include <algorithm>
#include <span>

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

Result<void> check_level(int32_t level) {
  if (level == 0 || (level >= kMinCompressionLevel && level <= kMaxCompressionLevel)) return {};
  return Error{ErrorCode::kBadArgument, "level must lie in [" + std::to_string(kMinCompressionLevel) + ", " +
                                            std::to_string(kMaxCompressionLevel) + "] or be 0, got " +
                                            std::to_string(level)};
}

/// Tells the caller how many bytes a blob has. Errors: kTooLarge.
Result<void> check_room(std::uint64_t bytes, std::span<const std::byte> room, std::uint64_t* written) {
  *written = bytes;
  if (bytes <= room.size()) return {};
  return Error{ErrorCode::kTooLarge,
               "buffer_bytes must be at least " + std::to_string(bytes) + ", got " + std::to_string(room.size())};
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
  if (!is_given(filter)) return 0;
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
    if (auto valid = check_level(level); !valid) return valid;
    const std::span room(static_cast<std::byte*>(buffer), static_cast<std::size_t>(buffer_bytes));
    if (*checked == BlobForm::kRaw) {  // straight into the buffer: the filter may be most of the memory that there is
      const std::uint64_t bytes = kBlobHeaderBytes + (*ref)->payload().size();
      if (auto fits = check_room(bytes, room, written); !fits) return fits;
      write_raw_blob(**ref, room.first(static_cast<std::size_t>(bytes)));
      return {};
    }
    const auto blob = to_blob(**ref, *checked, level == 0 ? kDefaultCompressionLevel : level);
    if (!blob) return blob.error();
    if (auto fits = check_room(blob->size(), room, written); !fits) return fits;
    std::ranges::copy(*blob, room.begin());
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
