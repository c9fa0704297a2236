#include "crivo/host/sst_block.h"

#include <algorithm>
#include <cassert>
#include <optional>

#include "base/error_text.h"
#include "crivo/host/bytes.h"
#include "hash/checksum.h"

namespace crivo {
namespace {

constexpr std::uint8_t kFormatVersion = 1;
constexpr std::size_t kChecksumBytes = 8;
constexpr std::size_t kMarkerFromEnd = 5;
constexpr std::size_t kNameBytesFromEnd = 2;
constexpr std::byte kZero{0};

using Block = std::span<const std::byte>;

std::uint64_t block_checksum(Block block) noexcept {
  return checksum(block.last(kSstTrailerBytes - kChecksumBytes), block.first(block.size() - kSstTrailerBytes));
}

/// The bytes between the payload and the trailer. No value unless they are empty, or a name of the stated length,
/// padded with zeros. The block must have a trailer.
std::optional<Block> name_section(Block block) noexcept {
  const auto length = std::to_integer<std::size_t>(block[block.size() - kNameBytesFromEnd]);
  const std::size_t bytes = sst_tail_bytes(length) - kSstTrailerBytes;
  if (bytes > block.size() - kSstTrailerBytes) return std::nullopt;
  const Block section = block.last(kSstTrailerBytes + bytes).first(bytes);
  const std::string_view name(reinterpret_cast<const char*>(section.data()), length);
  const bool is_name = length == 0 || is_key_transform_name(name);
  const bool has_zero_padding =
      std::ranges::all_of(section.subspan(length), [](std::byte byte) { return byte == kZero; });
  return is_name && has_zero_padding ? std::optional(section) : std::nullopt;
}

/// The name without the padding.
std::string_view name_in(Block section) noexcept {
  const std::string_view text(reinterpret_cast<const char*>(section.data()), section.size());
  return text.substr(0, text.find('\0'));
}

std::string_view or_none(std::string_view key_transform) noexcept {
  return key_transform.empty() ? "none" : key_transform;
}

/// Reads the trailer of a block whose checksum was verified.
Result<FilterRef> open_trailer(Block block, Block payload) {
  ByteReader reader(block.last(kSstTrailerBytes - kChecksumBytes));
  Shape shape;
  shape.seed = reader.read<std::uint64_t>();
  shape.units = reader.read_u48();
  const auto version = reader.read<std::uint8_t>();
  shape.kind = static_cast<Kind>(reader.read<std::uint8_t>());
  shape.hash_id = static_cast<HashId>(reader.read<std::uint8_t>());
  shape.k = reader.read<std::uint8_t>();
  const auto reserved = reader.read<std::uint8_t>();
  (void)reader.read<std::uint8_t>();  // the marker, checked by is_sst_block
  shape.param = reader.read<std::uint16_t>();
  (void)reader.read<std::uint8_t>();  // the length of the key transform's name
  const auto reserved_tail = reader.read<std::uint8_t>();
  if (version != kFormatVersion) {
    return corrupt("format version must be ", unsigned{kFormatVersion}, ", got ", unsigned{version});
  }
  if (reserved != 0 || reserved_tail != 0) return corrupt("reserved bytes must be 0");
  constexpr Facts kNoPromise{.capacity = 1, .fp_rate = 1};  // a block does not store what its filter was sized for
  return FilterRef::open(shape, kNoPromise, payload);
}

}  // namespace

bool is_sst_block(std::span<const std::byte> block) noexcept {
  return block.size() >= kMarkerFromEnd &&
         block[block.size() - kMarkerFromEnd] == static_cast<std::byte>(static_cast<std::uint8_t>(kSstMarker));
}

bool is_key_transform_name(std::string_view name) noexcept {
  return !name.empty() && name.size() <= kMaxKeyTransformName &&
         std::ranges::all_of(name, [](char byte) { return byte > ' ' && byte <= '~'; });
}

void seal_sst_block(const Shape& shape, std::span<std::byte> block, std::string_view key_transform) noexcept {
  assert(key_transform.empty() || is_key_transform_name(key_transform));
  const auto tail = block.last(sst_tail_bytes(key_transform.size()));
  std::ranges::fill(tail, kZero);
  std::ranges::copy(std::as_bytes(std::span(key_transform)), tail.begin());
  const auto trailer = block.last(kSstTrailerBytes);
  ByteWriter writer(trailer.subspan(kChecksumBytes));
  writer.write(shape.seed);
  writer.write_u48(shape.units);
  writer.write(kFormatVersion);
  writer.write(static_cast<std::uint8_t>(shape.kind));
  writer.write(static_cast<std::uint8_t>(shape.hash_id));
  writer.write(shape.k);
  writer.write(std::uint8_t{0});
  writer.write(static_cast<std::uint8_t>(kSstMarker));
  writer.write(shape.param);
  writer.write(static_cast<std::uint8_t>(key_transform.size()));
  writer.write(std::uint8_t{0});
  store_le(trailer.data(), block_checksum(block));
}

std::string_view sst_key_transform(std::span<const std::byte> block) noexcept {
  if (block.size() < kSstTrailerBytes || !is_sst_block(block)) return {};
  const auto section = name_section(block);
  return section ? name_in(*section) : std::string_view();
}

std::uint64_t sst_checksum(std::span<const std::byte> block) noexcept {
  return load_le<std::uint64_t>(block.last(kSstTrailerBytes).data());
}

Result<FilterRef> open_sst_block(std::span<const std::byte> block, std::string_view key_transform, bool is_verified) {
  if (block.size() < kSstTrailerBytes) {
    return corrupt("block size must be at least ", kSstTrailerBytes, ", got ", block.size());
  }
  if (!is_sst_block(block)) return corrupt("marker must be ", int{kSstMarker});
  if (!is_verified && sst_checksum(block) != block_checksum(block)) return corrupt("checksum must match the contents");
  const auto section = name_section(block);
  if (!section) return corrupt("key transform's section must be a name padded with zeros");
  auto filter = open_trailer(block, block.first(block.size() - kSstTrailerBytes - section->size()));
  if (!filter || name_in(*section) == key_transform) return filter;
  return bad_argument("key transform must be ", or_none(name_in(*section)), ", got ", or_none(key_transform));
}

}  // namespace crivo
