// The libFuzzer driver for gap coding. Run: fuzz_gap -max_total_time=60. The first two bytes are the payload's size,
// and the rest is a gap coding without header and checksum. A decoded payload must survive being coded again.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "format/codec_gap.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::uint64_t raw_bytes = data[0] + 256U * data[1];
  const auto payload = crivo::decompress_gap(std::as_bytes(std::span(data + 2, size - 2)), raw_bytes);
  if (!payload) return 0;
  if (payload->size() != raw_bytes) std::abort();
  const auto stored = crivo::compress_gap(*payload, 0);
  if (!stored) return 0;  // a pattern that zstd alone compresses further than gap coding
  const auto again = crivo::decompress_gap(*stored, raw_bytes);
  if (!again || !std::ranges::equal(*again, *payload)) std::abort();
  return 0;
}
