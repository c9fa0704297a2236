// The second framing of a filter, for RocksDB's SST files: a trailer behind the payload instead of a header in front of
// it, since RocksDB expects its metadata at the end. docs/format.md, "The SST framing", specifies it.
#include "crivo/sst_block.h"

#include "base/bytes.h"
#include "base/error_text.h"
#include "hash/checksum.h"

namespace crivo {
namespace {

constexpr std::uint8_t kFormatVersion = 1;
constexpr std::size_t kChecksumBytes = 8;
constexpr std::size_t kMarkerFromEnd = 5;

std::uint64_t block_checksum(std::span<const std::byte> block) noexcept {
  return checksum(block.last(kSstTrailerBytes - kChecksumBytes), block.first(block.size() - kSstTrailerBytes));
}

}  // namespace

bool is_sst_block(std::span<const std::byte> block) noexcept {
  return block.size() >= kMarkerFromEnd &&
         block[block.size() - kMarkerFromEnd] == static_cast<std::byte>(static_cast<std::uint8_t>(kSstMarker));
}

void seal_sst_block(const Shape& shape, std::span<std::byte> block) noexcept {
  const auto trailer = block.last(kSstTrailerBytes);
  ByteWriter writer(trailer.subspan(kChecksumBytes));
  writer.write(shape.seed);
  writer.write_u48(shape.units);
  writer.write(kFormatVersion);
  writer.write(static_cast<std::uint8_t>(shape.kind));
  writer.write(static_cast<std::uint8_t>(shape.hash_id));
  writer.write(shape.probes);
  writer.write(std::uint8_t{0});
  writer.write(static_cast<std::uint8_t>(kSstMarker));
  writer.write(shape.param);
  writer.write(std::uint16_t{0});
  store_le(trailer.data(), block_checksum(block));
}

Result<FilterRef> open_sst_block(std::span<const std::byte> block) {
  if (block.size() < kSstTrailerBytes) {
    return error(ErrorCode::kCorrupt, "block size must be at least ", kSstTrailerBytes, ", got ", block.size());
  }
  if (!is_sst_block(block)) return error(ErrorCode::kCorrupt, "marker must be ", int{kSstMarker});
  ByteReader reader(block.last(kSstTrailerBytes));
  const auto stored_checksum = reader.read<std::uint64_t>();
  if (stored_checksum != block_checksum(block)) return error(ErrorCode::kCorrupt, "checksum must match the contents");

  Shape shape;
  shape.seed = reader.read<std::uint64_t>();
  shape.units = reader.read_u48();
  const auto version = reader.read<std::uint8_t>();
  shape.kind = static_cast<Kind>(reader.read<std::uint8_t>());
  shape.hash_id = static_cast<HashId>(reader.read<std::uint8_t>());
  shape.probes = reader.read<std::uint8_t>();
  const auto reserved = reader.read<std::uint8_t>();
  (void)reader.read<std::uint8_t>();  // the marker, which is_sst_block has checked
  shape.param = reader.read<std::uint16_t>();
  const auto reserved_tail = reader.read<std::uint16_t>();
  if (version != kFormatVersion) {
    return error(ErrorCode::kCorrupt, "format version must be ", unsigned{kFormatVersion}, ", got ", unsigned{version});
  }
  if (reserved != 0 || reserved_tail != 0) return error(ErrorCode::kCorrupt, "reserved bytes must be 0");
  constexpr Facts kNoPromise{.capacity = 1, .fp_rate = 1};  // a block does not say what its filter was sized for
  return FilterRef::open(shape, kNoPromise, block.first(block.size() - kSstTrailerBytes));
}

}  // namespace crivo
