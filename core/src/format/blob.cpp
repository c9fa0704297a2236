// Reads and writes blobs. Validates each field before its use, and each size before memory is allocated.
#include "crivo/blob.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "base/bit_array.h"
#include "base/error_text.h"
#include "crivo/host/bytes.h"
#include "crivo/host/raw_blob.h"
#include "filter/view_of.h"
#include "format/blob_header.h"
#include "format/codec_gap.h"
#include "format/codec_sums.h"
#include "format/codec_zstd.h"
#include "hash/checksum.h"
#include "kinds/registry.h"

namespace crivo {
namespace {

void write_header(const FilterRef& filter, Codec codec, std::span<std::byte> blob) {
  write_fields({filter.shape(), filter.facts(), codec, filter.payload().size()}, blob);
  store_le(blob.data() + kChecksumOffset, checksum(blob.first(kChecksumOffset), blob.subspan(kBlobHeaderBytes)));
}

Result<AlignedBytes> decode(const Header& header, std::span<const std::byte> stored) {
  if (header.codec == Codec::kZstd) return decompress_zstd(stored, header.raw_bytes);
  if (header.codec == Codec::kGapZstd) return decompress_gap(stored, header.raw_bytes);
  return corrupt("codec must be 0 (raw), 1 (zstd), 2 (gap+zstd) or 3 (raw+sums), got ",
                 static_cast<unsigned>(header.codec));
}

std::vector<std::byte> raw_blob(const FilterRef& filter, Codec codec = Codec::kRaw) {
  std::vector<std::byte> blob;
  const std::size_t payload = filter.payload().size();
  blob.reserve(static_cast<std::size_t>(payload + blob_frame_bytes(codec, payload)));
  (void)write_raw_blob(filter, codec, [&blob](std::span<const std::byte> part) {
    blob.insert(blob.end(), part.begin(), part.end());
    return true;
  });
  return blob;
}

/// The blob with codec gap+zstd; no value if the payload cannot be gap coded (codec_gap.h).
std::optional<std::vector<std::byte>> gap_blob(const FilterRef& filter) {
  std::optional<std::vector<std::byte>> blob = compress_gap(filter.payload(), kBlobHeaderBytes);
  if (blob) write_header(filter, Codec::kGapZstd, *blob);
  return blob;
}

std::vector<std::byte> zstd_blob(const FilterRef& filter, int level) {
  std::vector<std::byte> blob = compress_zstd(filter.payload(), level, kBlobHeaderBytes);
  write_header(filter, Codec::kZstd, blob);
  return blob;
}

/// The blob with this codec, or with zstd if the payload cannot be gap coded.
std::vector<std::byte> blob_with(Codec codec, const FilterRef& filter, int level) {
  if (is_raw(codec)) return raw_blob(filter, codec);
  if (codec == Codec::kGapZstd) {
    if (std::optional<std::vector<std::byte>> gap = gap_blob(filter)) return *std::move(gap);
  }
  return zstd_blob(filter, level);
}

std::vector<std::byte> smallest_blob(const FilterRef& filter, int level) {
  std::optional<std::vector<std::byte>> gap = gap_blob(filter);
  std::vector<std::byte> zstd = zstd_blob(filter, level);
  std::vector<std::byte>& smaller = gap && gap->size() < zstd.size() ? *gap : zstd;
  if (smaller.size() < kBlobHeaderBytes + filter.payload().size()) return std::move(smaller);
  return raw_blob(filter);
}

/// A payload of at most this size is read quickly as a whole, so its file needs no checksums per segment.
constexpr std::uint64_t kReadAsAWhole = 65536;

Codec choose_automatically(const FilterRef& filter) noexcept {
  if (filter.facts().pinned_raw) return Codec::kRaw;
  const KindRow& row = *find_kind(filter.shape().kind);
  if (row.bit_array_bits == nullptr) return filter.facts().keys == 0 ? Codec::kZstd : Codec::kRaw;
  return is_sparse(count_bits(filter.payload()), row.bit_array_bits(filter.shape())) ? Codec::kGapZstd : Codec::kRaw;
}

/// The codec that to_blob tries first for this form (docs/format.md, "Which codec"); no value if to_blob tries all
/// codecs. kAuto and kFile read the whole bit array of a filter that is not pinned.
std::optional<Codec> choose_codec(const FilterRef& filter, BlobForm form) noexcept {
  if (form == BlobForm::kSmallest) return std::nullopt;
  if (form == BlobForm::kRaw) return Codec::kRaw;
  if (form == BlobForm::kMappable) return Codec::kRawSums;
  const Codec codec = choose_automatically(filter);
  const bool with_sums = form == BlobForm::kFile && codec == Codec::kRaw && filter.payload().size() > kReadAsAWhole;
  return with_sums ? Codec::kRawSums : codec;
}

Result<void> check_level(int level) {
  if (level >= kMinCompressionLevel && level <= kMaxCompressionLevel) return {};
  return bad_argument("level must be in [", kMinCompressionLevel, ", ", kMaxCompressionLevel, "], got ", level);
}

}  // namespace

AnyFilter OpenedBlob::to_filter() const& { return AnyFilter::copy_of(ref_, max_bytes_); }

AnyFilter OpenedBlob::into_filter() && {
  if (decoded_.empty()) return to_filter();
  return *AnyFilter::adopt(ref_.shape(), ref_.facts(), std::move(decoded_), max_bytes_);
}

Result<OpenedBlob> parse_blob(std::span<const std::byte> blob, const ReadLimits& limits) {
  if (auto valid = check_envelope(blob); !valid) return valid.error();
  const Header header = read_fields(blob);
  const auto max_bytes = std::min<std::uint64_t>(limits.max_bytes, std::numeric_limits<std::size_t>::max());
  if (auto valid = check_fields(header, max_bytes); !valid) return valid.error();

  const auto stored = blob.subspan(kBlobHeaderBytes);
  AlignedBytes decoded;
  std::span<const std::byte> payload = stored;
  if (header.codec == Codec::kRawSums) {
    if (auto valid = check_sums(blob.first(kBlobHeaderBytes), stored, header.raw_bytes); !valid) return valid.error();
    payload = stored.first(static_cast<std::size_t>(header.raw_bytes));
  } else if (header.codec != Codec::kRaw) {
    Result<AlignedBytes> bytes = decode(header, stored);
    if (!bytes) return bytes.error();
    decoded = *std::move(bytes);
    payload = decoded;
  }
  const Result<FilterRef> ref = FilterRef::open(header.shape, header.facts, payload);
  if (!ref) return ref.error();
  if (auto valid = check_whole(ViewOf::filter(*ref)); !valid) return valid.error();
  return OpenedBlob(*ref, std::move(decoded), header.codec, blob.size(), max_bytes);
}

Result<std::vector<std::byte>> to_blob(const FilterRef& filter, BlobForm form, int level) {
  if (auto valid = check_level(level); !valid) return valid.error();
  const std::optional<Codec> codec = choose_codec(filter, form);
  return codec ? blob_with(*codec, filter, level) : smallest_blob(filter, level);
}

Result<std::uint64_t> write_blob(const FilterRef& filter, BlobForm form, const BlobSink& sink, int level) {
  if (auto valid = check_level(level); !valid) return valid.error();
  const std::optional<Codec> codec = choose_codec(filter, form);
  if (codec && is_raw(*codec)) return write_raw_blob(filter, *codec, sink);
  const std::vector<std::byte> blob = codec ? blob_with(*codec, filter, level) : smallest_blob(filter, level);
  if (!sink(blob)) return blob_was_stopped();
  return std::uint64_t{blob.size()};
}

}  // namespace crivo
