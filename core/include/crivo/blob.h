// A filter as a string of bytes, and back: the one door for untrusted bytes. docs/format.md is the specification.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "crivo/filter.h"
#include "crivo/result.h"

namespace crivo {

/// The most bytes that a decoded payload may take unless the caller sets another limit: 1 GiB, which a filter of 860
/// million keys at 1% fits in. There are valid blobs of a few bytes that decode to any size which the limit allows.
inline constexpr std::uint64_t kDefaultMaxBytes = std::uint64_t{1} << 30;

/// What a reader allows before anything is allocated.
struct ReadLimits {
  std::uint64_t max_bytes = kDefaultMaxBytes;  // most bytes of the decoded payload; raise it for files that you trust
};

/// A filter that was read from a blob. A raw payload (with or without sums) stays in the blob, which must then outlive
/// this object; a decoded one is owned by it. A copy of ref() stays valid when it is moved. to_filter makes a copy.
class OpenedBlob {
 public:
  OpenedBlob(OpenedBlob&&) noexcept = default;
  OpenedBlob& operator=(OpenedBlob&&) noexcept = default;
  ~OpenedBlob() = default;

  [[nodiscard]] const FilterRef& ref() const noexcept { return ref_; }
  [[nodiscard]] Codec codec() const noexcept { return codec_; }
  [[nodiscard]] std::size_t blob_bytes() const noexcept { return blob_bytes_; }
  /// A filter that owns a copy of the payload. It may grow up to the max_bytes that the blob was read with.
  [[nodiscard]] AnyFilter to_filter() const&;
  /// The same, which takes the payload instead of copying it if it was decoded.
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

/// Reads a blob of any form. Errors: kCorrupt naming the field, the value and what is allowed; kTooLarge when the
/// decoded payload is over the limit, before anything is allocated.
[[nodiscard]] Result<OpenedBlob> parse_blob(std::span<const std::byte> blob, const ReadLimits& limits = {});

/// Writes a blob. `level` is zstd's compression level, for codec kZstd; gap coding has no levels. Errors: kBadArgument
/// for a level outside 1..22.
[[nodiscard]] Result<std::vector<std::byte>> to_blob(const FilterRef& filter, BlobForm form = BlobForm::kAuto,
                                                     int level = kDefaultCompressionLevel);

}  // namespace crivo
