#include "blob_surgery.h"

#include <algorithm>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace crivo::testing {
namespace {

constexpr std::size_t kSegmentBytes = 4096;

std::uint64_t sum_of_segments(std::span<const std::byte> payload) {
  std::uint64_t sum = 0;
  std::uint64_t number = 0;
  while (!payload.empty()) {
    const auto segment = payload.first(std::min(kSegmentBytes, payload.size()));
    sum += XXH3_64bits_withSeed(segment.data(), segment.size(), ++number);
    payload = payload.subspan(segment.size());
  }
  return sum;
}

/// Repairs the sums of a blob with codec 3 if it has the right length ("Sums" in docs/format.md).
void repair_sums(std::span<std::byte> blob) {
  const std::uint64_t payload_bytes = get(blob, header::kRawBytes);
  const std::uint64_t segments = (payload_bytes + kSegmentBytes - 1) / kSegmentBytes;
  if (blob.size() != header::kBytes + payload_bytes + 8 * segments + 8) return;
  auto payload = blob.subspan(header::kBytes, payload_bytes);
  std::span<std::byte> sums = blob.subspan(header::kBytes + payload_bytes);
  for (std::uint64_t number = 0; number < segments; ++number, sums = sums.subspan(8)) {
    const auto segment = payload.first(std::min(kSegmentBytes, payload.size()));
    put(sums, {"sum", 0, 8}, XXH3_64bits_withSeed(segment.data(), segment.size(), number + 1));
    payload = payload.subspan(segment.size());
  }
  put(sums, {"sum of the header", 0, 8}, XXH3_64bits_withSeed(blob.data(), header::kChecksum.offset, 0));
}

}  // namespace

std::uint64_t get(std::span<const std::byte> bytes, const Field& field) {
  std::uint64_t value = 0;
  for (std::size_t i = field.width; i-- > 0;)
    value = value << 8 | std::to_integer<std::uint64_t>(bytes[field.offset + i]);
  return value;
}

void put(std::span<std::byte> bytes, const Field& field, std::uint64_t value) {
  for (std::size_t i = 0; i < field.width; ++i, value >>= 8) bytes[field.offset + i] = static_cast<std::byte>(value);
}

void repair_blob(std::span<std::byte> blob) {
  if (blob.size() < header::kBytes) return;
  if (get(blob, header::kCodec) == 3) repair_sums(blob);
  const std::uint64_t head = XXH3_64bits_withSeed(blob.data(), header::kChecksum.offset, 0);
  put(blob, header::kChecksum, head + sum_of_segments(blob.subspan(header::kBytes)));
}

void repair_sst_block(std::span<std::byte> block) {
  if (block.size() < trailer::kBytes) return;
  const auto tail = trailer_of(block);
  const std::uint64_t facts = XXH3_64bits_withSeed(tail.data() + 8, trailer::kBytes - 8, 0);
  put(tail, trailer::kChecksum, facts + sum_of_segments(block.first(block.size() - trailer::kBytes)));
}

void repair_chunk(std::span<std::byte> chunk) {
  if (chunk.size() < chunk::kBytes) return;
  const auto checked = chunk.subspan(chunk::kFilterId.offset);
  put(chunk, chunk::kChecksum, XXH3_64bits_withSeed(checked.data(), checked.size(), 0));
}

std::span<std::byte> trailer_of(std::span<std::byte> block) { return block.last(trailer::kBytes); }

Bytes forge(std::span<const std::byte> blob, const Field& field, std::uint64_t value) {
  Bytes forged(blob.begin(), blob.end());
  put(forged, field, value);
  if (field.offset != header::kChecksum.offset) repair_blob(forged);
  return forged;
}

Bytes forge_sst(std::span<const std::byte> block, const Field& field, std::uint64_t value) {
  Bytes forged(block.begin(), block.end());
  put(trailer_of(forged), field, value);
  if (field.offset != trailer::kChecksum.offset) repair_sst_block(forged);
  return forged;
}

Bytes forge_chunk(std::span<const std::byte> chunk, const Field& field, std::uint64_t value) {
  Bytes forged(chunk.begin(), chunk.end());
  put(forged, field, value);
  repair_chunk(forged);
  return forged;
}

Bytes with_payload(std::span<const std::byte> blob, std::span<const std::byte> payload) {
  Bytes made(header::kBytes + payload.size());
  std::copy_n(blob.begin(), header::kBytes, made.begin());
  std::copy(payload.begin(), payload.end(), made.begin() + header::kBytes);
  repair_blob(made);
  return made;
}

}  // namespace crivo::testing
