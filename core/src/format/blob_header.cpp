#include "format/blob_header.h"

#include <algorithm>

#include "base/error_text.h"
#include "crivo/host/bytes.h"
#include "hash/checksum.h"
#include "kinds/registry.h"

namespace crivo {
namespace {

constexpr std::byte kMagic[4] = {std::byte{0xC3}, std::byte{'R'}, std::byte{'V'}, std::byte{'O'}};
constexpr std::uint8_t kFormatVersion = 1;

/// The error for a wrong checksum. A raw blob shorter than its header states is reported as truncated.
Error wrong_checksum(std::span<const std::byte> blob, std::uint64_t stored) {
  const Header header = read_fields(blob);
  const std::size_t stored_bytes = blob.size() - kBlobHeaderBytes;
  if (is_raw(header.codec) && stored_bytes < header.raw_bytes) {
    return corrupt("blob must be complete, with the ", header.raw_bytes, " payload bytes that its header states, got ",
                   stored_bytes, ": it is truncated");
  }
  return corrupt("checksum must match the contents, got ", stored, ": they were changed or truncated");
}

}  // namespace

Result<void> check_start(std::span<const std::byte> blob) {
  if (blob.size() < kBlobHeaderBytes) {
    return corrupt("blob size must be at least ", kBlobHeaderBytes, " bytes, got ", blob.size(),
                   ": it is truncated or not a filter");
  }
  if (!std::equal(std::begin(kMagic), std::end(kMagic), blob.begin())) {
    return corrupt("magic must be C3 52 56 4F: these bytes are not a filter");
  }
  const auto version = std::to_integer<unsigned>(blob[4]);
  if (version != kFormatVersion) return corrupt("format version must be ", unsigned{kFormatVersion}, ", got ", version);
  return {};
}

Header read_fields(std::span<const std::byte> blob) {
  ByteReader reader(blob.subspan(sizeof kMagic + 1));
  Header header;
  header.shape.kind = static_cast<Kind>(reader.read<std::uint8_t>());
  header.codec = static_cast<Codec>(reader.read<std::uint8_t>());
  header.flags = reader.read<std::uint8_t>();
  header.shape.hash_id = static_cast<HashId>(reader.read<std::uint8_t>());
  header.shape.k = reader.read<std::uint8_t>();
  header.shape.param = reader.read<std::uint16_t>();
  header.raw_bytes = reader.read_u48();
  header.facts.capacity = reader.read_u48();
  header.shape.seed = reader.read<std::uint64_t>();
  header.facts.keys = reader.read<std::uint64_t>();
  header.facts.fp_rate = reader.read_f64();
  header.shape.units = reader.read<std::uint64_t>();
  header.facts.pinned_raw = is_raw(header.codec);
  return header;
}

Result<void> check_envelope(std::span<const std::byte> blob) {
  if (auto valid = check_start(blob); !valid) return valid.error();
  if (read_fields(blob).codec == Codec::kRawSums) return {};  // verified by check_sums, in one pass with the segments
  const std::uint64_t stored = load_le<std::uint64_t>(blob.data() + kChecksumOffset);
  if (stored != checksum(blob.first(kChecksumOffset), blob.subspan(kBlobHeaderBytes))) {
    return wrong_checksum(blob, stored);
  }
  return {};
}

Result<void> check_fields(const Header& header, std::uint64_t max_bytes) {
  if (header.flags != 0) return corrupt("flags must be 0, got ", header.flags);
  if (header.shape.kind == Kind::kSketch) {
    return corrupt("kind must be that of a filter, got sketch");
  }
  if (header.shape.kind == Kind::kSharded) {
    return corrupt("kind must be that of a filter in one file, got the manifest of a sharded filter");
  }
  const KindRow* row = find_kind(header.shape.kind);
  if (row == nullptr) return corrupt("kind must be known, got ", static_cast<unsigned>(header.shape.kind));
  const Result<std::uint64_t> expected = row->payload_bytes(header.shape);
  if (!expected.has_value()) return expected.error();
  if (header.raw_bytes != *expected) {
    return corrupt("raw payload bytes must be ", *expected, " for this shape, got ", header.raw_bytes);
  }
  if (header.raw_bytes > max_bytes) {
    return limit_error(ErrorCode::kTooLarge, header.raw_bytes, "raw payload bytes must be at most the limit of ",
                       max_bytes, ", got ", header.raw_bytes);
  }
  return {};
}

std::string_view codec_name(Codec codec) noexcept {
  switch (codec) {
    case Codec::kRaw:
      return "raw";
    case Codec::kZstd:
      return "zstd";
    case Codec::kGapZstd:
      return "gap+zstd";
    case Codec::kRawSums:
      return "raw+sums";
  }
  return "unknown";
}

void write_fields(const Header& header, std::span<std::byte> blob) {
  std::copy(std::begin(kMagic), std::end(kMagic), blob.begin());
  ByteWriter writer(blob.subspan(sizeof kMagic));
  writer.write(kFormatVersion);
  writer.write(static_cast<std::uint8_t>(header.shape.kind));
  writer.write(static_cast<std::uint8_t>(header.codec));
  writer.write(static_cast<std::uint8_t>(header.flags));
  writer.write(static_cast<std::uint8_t>(header.shape.hash_id));
  writer.write(header.shape.k);
  writer.write(header.shape.param);
  writer.write_u48(header.raw_bytes);
  writer.write_u48(header.facts.capacity);
  writer.write(header.shape.seed);
  writer.write(header.facts.keys);
  writer.write_f64(header.facts.fp_rate);
  writer.write(header.shape.units);
}

}  // namespace crivo
