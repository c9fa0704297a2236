#include "zstd_frame.h"

namespace crivo::testing {
namespace {

void append(Bytes& bytes, std::uint64_t value, std::size_t width) {
  for (std::size_t i = 0; i < width; ++i, value >>= 8) bytes.push_back(static_cast<std::byte>(value));
}

/// RFC 8878, 3.1.1.2: bit 0 is the last-block flag, bits 1 and 2 are the type, and the others are the size.
Bytes block(std::uint32_t type, std::uint32_t size, bool is_last) {
  Bytes bytes;
  append(bytes, (is_last ? 1U : 0U) | type << 1 | size << 3, 3);
  return bytes;
}

}  // namespace

Bytes encode(const ZstdFrame& frame) {
  Bytes bytes;
  append(bytes, 0xFD2FB528, 4);
  const unsigned size_flag = frame.content_size ? 3 : 0;  // the content size has eight bytes
  const unsigned single_segment = frame.window_descriptor ? 0 : 1;
  append(bytes, size_flag << 6 | single_segment << 5 | (frame.dictionary_id ? 3U : 0U), 1);
  if (frame.window_descriptor) append(bytes, *frame.window_descriptor, 1);
  if (frame.dictionary_id) append(bytes, *frame.dictionary_id, 4);
  if (frame.content_size) append(bytes, *frame.content_size, 8);
  return bytes + frame.blocks;
}

Bytes raw_block(std::span<const std::byte> content, bool is_last) {
  return block(0, static_cast<std::uint32_t>(content.size()), is_last) + Bytes(content.begin(), content.end());
}

Bytes rle_block(std::byte value, std::uint32_t count, bool is_last) { return block(1, count, is_last) + Bytes{value}; }

Bytes skippable_frame() {
  Bytes bytes;
  append(bytes, 0x184D2A50, 4);
  append(bytes, 3, 4);
  append(bytes, 0xABCDEF, 3);
  return bytes;
}

Bytes operator+(Bytes first, const Bytes& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

}  // namespace crivo::testing
