// Filters as byte strings. parse_blob validates untrusted blobs. docs/format.md specifies the bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "crivo/filter.h"
#include "crivo/result.h"

namespace crivo {

/// The default limit of a decoded payload: 1 GiB, enough for a blocked filter of 860 million keys at a rate of 1%. A
/// valid blob of about 100 bytes can decode to any size below the limit.
inline constexpr std::uint64_t kDefaultMaxBytes = std::uint64_t{1} << 30;

/// Limits of a reader, checked before anything is allocated.
struct ReadLimits {
  /// The maximum size of the decoded payload. Raise the limit for files that you trust.
  std::uint64_t max_bytes = kDefaultMaxBytes;
};

/// A filter that was read from a blob. A raw payload stays in the blob, which must outlive this object. This object
/// owns a decoded payload. Copies of ref() stay valid when this object is moved. to_filter makes an independent copy.
class OpenedBlob {
 public:
  OpenedBlob(OpenedBlob&&) noexcept = default;
  OpenedBlob& operator=(OpenedBlob&&) noexcept = default;
  ~OpenedBlob() = default;

  [[nodiscard]] const FilterRef& ref() const noexcept { return ref_; }
  [[nodiscard]] Codec codec() const noexcept { return codec_; }
  [[nodiscard]] std::size_t blob_bytes() const noexcept { return blob_bytes_; }
  /// A copy that owns its payload and may grow up to the max_bytes that the blob was read with.
  [[nodiscard]] AnyFilter to_filter() const&;
  /// The same filter. Moves the payload instead of copying it if the payload was decoded.
  [[nodiscard]] AnyFilter into_filter() &&;

 private:
  friend Result<OpenedBlob> parse_blob(std::span<const std::byte> blob, const ReadLimits& limits);
  OpenedBlob(FilterRef ref, AlignedBytes decoded, Codec codec, std::size_t blob_bytes, std::uint64_t max_bytes)
      : ref_(ref), decoded_(std::move(decoded)), codec_(codec), blob_bytes_(blob_bytes), max_bytes_(max_bytes) {}

  FilterRef ref_;
  AlignedBytes decoded_;
  Codec codec_;
  std::size_t blob_bytes_;
  std::uint64_t max_bytes_;
};

/// Reads a blob of any form. Errors: kCorrupt naming the field, the value and the range; kTooLarge, before anything is
/// allocated, if the decoded payload exceeds the limit.
[[nodiscard]] Result<OpenedBlob> parse_blob(std::span<const std::byte> blob, const ReadLimits& limits = {});

/// Writes a blob. `level` is the compression level of codec kZstd, 1 to 22. Errors: kBadArgument for any other level.
[[nodiscard]] Result<std::vector<std::byte>> to_blob(const FilterRef& filter, BlobForm form = BlobForm::kAuto,
                                                     int level = kDefaultCompressionLevel);

/// Receives the next bytes of the blob, which are valid during the call. Returns false to stop.
using BlobSink = std::function<bool(std::span<const std::byte>)>;

/// Passes the bytes of to_blob(filter, form, level) to the sink, in order. A raw payload is passed in one call without
/// a copy. A compressed payload is encoded in memory first. Returns the number of bytes. Errors: kBadArgument for a
/// level outside 1..22; kCancelled if the sink returned false.
[[nodiscard]] Result<std::uint64_t> write_blob(const FilterRef& filter, BlobForm form, const BlobSink& sink,
                                               int level = kDefaultCompressionLevel);

}  // namespace crivo
