#include "ribbon_fit.h"

#include <algorithm>

#include "kinds/ribbon/layout.h"

namespace crivo::testing {
namespace {

void fit_shape(Shape& shape) {
  shape.k = static_cast<std::uint8_t>(shape.k % (kMaxRibbonColumns + 1));
  const auto width_param = static_cast<std::uint16_t>(shape.param - shape.param % kRibbonShares);
  if (shape.k == kMaxRibbonColumns) shape.param = width_param;
  if (shape.k == 0 && shape.param == width_param) ++shape.param;
}

/// The level at `at`. Reduces its number of blocks so that it fits in `room` words, which must be enough for the
/// smallest level.
RibbonLevelShape fit_level(std::byte* at, const RibbonForm& form, bool base, std::uint64_t room,
                           std::uint64_t least_blocks) {
  std::uint64_t blocks = load_le<std::uint64_t>(at);
  if (blocks < least_blocks || blocks > room || RibbonLevelShape(blocks, form, base).words() > room) {
    blocks = least_blocks + blocks % std::max<std::uint64_t>(1, room / form.most());
    while (RibbonLevelShape(blocks, form, base).words() > room) --blocks;
    store_le(at, blocks);
  }
  const RibbonLevelShape level(blocks, form, base);
  const std::uint64_t used = level.buckets() % 32;
  if (!base && used != 0) {
    std::byte* last = at + 8 * level.threshold_words();
    store_le(last, load_le<std::uint64_t>(last) & ((std::uint64_t{1} << (2 * used)) - 1));
  }
  return level;
}

}  // namespace

std::vector<std::byte> ribbon_words(Shape& shape, std::span<const std::uint8_t> bytes) {
  std::vector<std::byte> payload(bytes.size() / 8 * 8);
  std::transform(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(payload.size()), payload.begin(),
                 [](std::uint8_t byte) { return std::byte{byte}; });
  shape.units = payload.size() / 8;
  return payload;
}

void fit_ribbon(Shape& shape, std::vector<std::byte>& payload, std::uint64_t least_blocks) {
  fit_shape(shape);
  const RibbonForm form(shape);
  const std::uint64_t smallest_base = RibbonLevelShape(least_blocks, form, true).words();
  const std::uint64_t smallest_level = RibbonLevelShape(least_blocks, form, false).words();
  const std::uint64_t words = std::max<std::uint64_t>(payload.size() / 8, 1 + smallest_base);
  payload.resize(8 * words);

  const RibbonHeader header(load_le<std::uint64_t>(payload.data()));
  const unsigned wanted = header.levels - 1 < kMaxRibbonLevels ? header.levels : 1 + header.levels % kMaxRibbonLevels;
  unsigned levels = 1;
  std::uint64_t at = 1;
  for (; levels < wanted && at + smallest_level + smallest_base <= words; ++levels)
    at += fit_level(payload.data() + 8 * at, form, false, words - at - smallest_base, least_blocks).words();
  at += fit_level(payload.data() + 8 * at, form, true, words - at, least_blocks).words();

  payload.resize(8 * at);
  shape.units = at;
  const std::uint64_t keys = std::clamp<std::uint64_t>(header.keys, 1, std::uint64_t{1} << 40);
  store_le(payload.data(), RibbonHeader::word(levels, header.base_seed % (kMaxRibbonSeed + 1), keys));
}

}  // namespace crivo::testing
