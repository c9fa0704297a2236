// Reads and writes blobs: the header, the checksum and the codec of the payload. docs/format.md is the specification.
// All untrusted bytes enter here, so each field is checked before it is used, and each size before memory is taken.
#include "crivo/blob.h"

#include <algorithm>
#include <optional>

#include "base/bytes.h"
#include "base/error_text.h"
#include "filter/registry.h"
#include "format/codec_choice.h"
#include "format/codec_gap.h"
#include "format/codec_zstd.h"
#include "hash/checksum.h"

namespace crivo {
namespace {

constexpr std::byte kMagic[4] = {std::byte{0xC3}, std::byte{'R'}, std::byte{'V'}, std::byte{'O'}};
constexpr std::uint8_t kFormatVersion = 1;
constexpr std::size_t kChecksumOffset = 56;

struct Header {
  Shape shape;
  Facts facts;
  Codec codec = Codec::kRaw;
  std::uint64_t raw_bytes = 0;
};

Error corrupt(const auto&... parts) { return error(ErrorCode::kCorrupt, parts...); }

Header read_fields(std::span<const std::byte> blob) {
  ByteReader reader(blob.subspan(sizeof kMagic + 1));
  Header header;
  header.shape.kind = static_cast<Kind>(reader.read<std::uint8_t>());
  header.codec = static_cast<Codec>(reader.read<std::uint8_t>());
  (void)reader.read<std::uint8_t>();  // flags, checked by check_fields
  header.shape.hash_id = static_cast<HashId>(reader.read<std::uint8_t>());
  header.shape.probes = reader.read<std::uint8_t>();
  header.shape.param = reader.read<std::uint16_t>();
  header.raw_bytes = reader.read_u48();
  header.facts.capacity = reader.read_u48();
  header.shape.seed = reader.read<std::uint64_t>();
  header.facts.keys = reader.read<std::uint64_t>();
  header.facts.fp_rate = reader.read_f64();
  header.shape.units = reader.read<std::uint64_t>();
  header.facts.pinned_raw = header.codec == Codec::kRaw;
  return header;
}

/// The error for a checksum that does not match. The likeliest reason is a file that was cut off. A raw blob shows
/// that, because its header states the payload's size; the header of a compressed one does not state how many bytes are
/// stored.
Error wrong_checksum(std::span<const std::byte> blob, std::uint64_t stored) {
  const Header header = read_fields(blob);
  const std::size_t payload_bytes = blob.size() - kBlobHeaderBytes;
  if (header.codec == Codec::kRaw && payload_bytes < header.raw_bytes) {
    return corrupt("blob must be whole, with the ", header.raw_bytes, " bytes of payload that its header states, got ",
                   payload_bytes, ": it is truncated");
  }
  return corrupt("checksum must match the contents, got ", stored, ": they were changed or truncated");
}

Result<void> check_envelope(std::span<const std::byte> blob) {
  if (blob.size() < kBlobHeaderBytes) {
    return corrupt("blob size must be at least ", kBlobHeaderBytes, " bytes, got ", blob.size(),
                   ": it is truncated or no filter");
  }
  if (!std::equal(std::begin(kMagic), std::end(kMagic), blob.begin())) {
    return corrupt("magic must be C3 52 56 4F: these bytes are not a filter");
  }
  const auto version = std::to_integer<unsigned>(blob[4]);
  if (version != kFormatVersion) {
    return corrupt("format version must be ", unsigned{kFormatVersion}, ", got ", version);
  }
  const std::uint64_t stored = load_le<std::uint64_t>(blob.data() + kChecksumOffset);
  if (stored != checksum(blob.first(kChecksumOffset), blob.subspan(kBlobHeaderBytes))) {
    return wrong_checksum(blob, stored);
  }
  return {};
}

Result<void> check_fields(const Header& header, unsigned flags, const ReadLimits& limits) {
  if (flags != 0) return corrupt("flags must be 0, got ", flags);
  const KindRow* row = find_kind(header.shape.kind);
  if (row == nullptr) return corrupt("kind must be known, got ", static_cast<unsigned>(header.shape.kind));
  const Result<std::uint64_t> expected = row->payload_bytes(header.shape);
  if (!expected) return expected.error();
  if (header.raw_bytes != *expected) {
    return corrupt("raw payload bytes must be ", *expected, " for this shape, got ", header.raw_bytes);
  }
  if (header.raw_bytes > limits.max_raw_bytes) {
    return error(ErrorCode::kTooLarge, "raw payload bytes must be at most the limit of ", limits.max_raw_bytes,
                 ", got ", header.raw_bytes);
  }
  return {};
}

void write_header(const FilterRef& filter, Codec codec, std::span<std::byte> blob) {
  const Shape& shape = filter.shape();
  const Facts& facts = filter.facts();
  std::copy(std::begin(kMagic), std::end(kMagic), blob.begin());
  ByteWriter writer(blob.subspan(sizeof kMagic));
  writer.write(kFormatVersion);
  writer.write(static_cast<std::uint8_t>(shape.kind));
  writer.write(static_cast<std::uint8_t>(codec));
  writer.write(std::uint8_t{0});  // flags
  writer.write(static_cast<std::uint8_t>(shape.hash_id));
  writer.write(shape.probes);
  writer.write(shape.param);
  writer.write_u48(filter.payload().size());
  writer.write_u48(facts.capacity);
  writer.write(shape.seed);
  writer.write(facts.keys);
  writer.write_f64(facts.fp_rate);
  writer.write(shape.units);
  writer.write(checksum(blob.first(kChecksumOffset), blob.subspan(kBlobHeaderBytes)));
}

Result<AlignedBytes> decode(const Header& header, std::span<const std::byte> stored) {
  if (header.codec == Codec::kZstd) return decompress_zstd(stored, header.raw_bytes);
  if (header.codec == Codec::kGapZstd) return decompress_gap(stored, header.raw_bytes);
  return corrupt("codec must be 0 (raw), 1 (zstd) or 2 (gap+zstd), got ", static_cast<unsigned>(header.codec));
}

std::vector<std::byte> raw_blob(const FilterRef& filter) {
  std::vector<std::byte> blob(kBlobHeaderBytes);
  blob.reserve(kBlobHeaderBytes + filter.payload().size());
  blob.insert(blob.end(), filter.payload().begin(), filter.payload().end());
  write_header(filter, Codec::kRaw, blob);
  return blob;
}

/// The blob with codec gap+zstd; no value if the payload has no gap coding (codec_gap.h).
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

/// The blob with this codec. Where gap coding is asked for and the payload has none, as its bits form a pattern, the
/// codec is zstd.
std::vector<std::byte> blob_with(Codec codec, const FilterRef& filter, int level) {
  if (codec == Codec::kRaw) return raw_blob(filter);
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

}  // namespace

std::string_view codec_name(Codec codec) noexcept {
  switch (codec) {
    case Codec::kRaw:
      return "raw";
    case Codec::kZstd:
      return "zstd";
    case Codec::kGapZstd:
      return "gap+zstd";
  }
  return "unknown";
}

AnyFilter OpenedBlob::into_filter() && {
  if (decoded_.empty()) return AnyFilter::copy_of(ref_, max_raw_bytes_);
  return *AnyFilter::adopt(ref_.shape(), ref_.facts(), std::move(decoded_), max_raw_bytes_);
}

Result<OpenedBlob> parse_blob(std::span<const std::byte> blob, const ReadLimits& limits) {
  if (auto valid = check_envelope(blob); !valid) return valid.error();
  const Header header = read_fields(blob);
  if (auto valid = check_fields(header, std::to_integer<unsigned>(blob[7]), limits); !valid) return valid.error();

  const auto stored = blob.subspan(kBlobHeaderBytes);
  AlignedBytes decoded;
  std::span<const std::byte> payload = stored;
  if (header.codec != Codec::kRaw) {
    Result<AlignedBytes> bytes = decode(header, stored);
    if (!bytes) return bytes.error();
    decoded = *std::move(bytes);
    payload = decoded;
  }
  const Result<FilterRef> ref = FilterRef::open(header.shape, header.facts, payload);
  if (!ref) return ref.error();
  return OpenedBlob(*ref, std::move(decoded), header.codec, blob.size(), limits.max_raw_bytes);
}

Result<std::vector<std::byte>> to_blob(const FilterRef& filter, BlobForm form, int level) {
  if (level < kMinCompressionLevel || level > kMaxCompressionLevel) {
    return error(ErrorCode::kBadArgument, "level must lie in [", kMinCompressionLevel, ", ", kMaxCompressionLevel,
                 "], got ", level);
  }
  switch (form) {
    case BlobForm::kRaw:
      return raw_blob(filter);
    case BlobForm::kAuto:
      return blob_with(choose_codec(filter), filter, level);
    case BlobForm::kSmallest:
      break;
  }
  return smallest_blob(filter, level);
}

}  // namespace crivo
