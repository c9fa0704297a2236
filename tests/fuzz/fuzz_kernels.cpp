// Compares the kernels of every instruction set with the scalar ones, for sizes, probes and hashes from the input.

#include "against_scalar.h"
#include "crivo/types.h"
#include "fuzz_body.h"
#include "input.h"
#include "kinds/bloom/block.h"
#include "kinds/ribbon/layout.h"
#include "require.h"
#include "ribbon_fit.h"

namespace crivo::testing {
namespace {

void require_same(const std::string& difference) { require(difference.empty(), difference.c_str()); }

/// Copies the payload to memory of its exact size, so that sanitizers detect a read after its end.
void ask(Asking asking, const Shape& shape, std::span<const std::byte> payload,
         const std::vector<std::uint64_t>& hashes) {
  const std::vector<std::byte> memory(payload.begin(), payload.end());
  for (const Kernels& kernels : available_kernels())
    require_same(difference_in_answers(kernels, asking, {shape, memory.data(), memory.size()}, hashes));
}

/// The rest of the input, repeated. Each byte is XORed with `flip`, so that a payload can have nearly all ones or
/// zeros.
std::vector<std::byte> payload_from(Input& input, std::size_t size) {
  const auto flip = input.take<std::uint8_t>();
  const auto bytes = input.left();
  std::vector<std::byte> payload(size, std::byte{flip});
  for (std::size_t i = 0; i < size && !bytes.empty(); ++i) payload[i] ^= std::byte{bytes[i % bytes.size()]};
  return payload;
}

void check_blocks(Input& input) {
  const bool counting = input.take_below(2) != 0;
  const Shape shape{.kind = counting ? Kind::kCounting : Kind::kBlocked,
                    .k = static_cast<std::uint8_t>(1 + input.take_below(kMaxBlockedProbes)),
                    .units = std::uint64_t{1} + input.take_below(16)};
  const std::size_t shift = input.take_below(64);
  const auto hashes = take_hashes(input);
  if (counting) {
    ask(&Kernels::counting, shape, payload_from(input, shape.units * (kBlockBits / 2)), hashes);
    return;
  }
  for (const Kernels& kernels : available_kernels())
    require_same(difference_in_additions(kernels, shape, hashes, shift));
  auto payload = payload_from(input, shape.units * (kBlockBits / 8));
  ask(&Kernels::blocked, shape, payload, hashes);
  available_kernels().front().blocked_add(shape, payload.data(), hashes.data(), hashes.size() / 2);
  ask(&Kernels::blocked, shape, payload, hashes);
}

void check_ribbon_answers(Input& input) {
  Shape shape{.kind = Kind::kRibbon, .k = input.take<std::uint8_t>(), .param = input.take<std::uint16_t>()};
  const auto hashes = take_hashes(input);
  std::vector<std::byte> payload = ribbon_words(shape, input.left());
  fit_ribbon(shape, payload, kMinRibbonBlocks);
  ask(asking_ribbon(shape), shape, payload, hashes);
}

/// A level of up to 8 or 16 buckets, or a shard of it. The slots of a shard without the level's last bucket end at the
/// border in the next bucket (kinds/ribbon/level.cpp).
void check_banding(Input& input) {
  Shard shard;
  shard.width = input.take_below(2) == 0 ? kWideRibbon : kNarrowRibbon;
  shard.blocks = kMinRibbonBlocks + input.take_below(15);
  const auto buckets = static_cast<unsigned>(RibbonLevelShape(shard.blocks, {shard.width, 1}, false).buckets());
  shard.first_bucket = input.take_below(buckets);
  shard.end_bucket = shard.first_bucket + 1 + input.take_below(buckets - static_cast<unsigned>(shard.first_bucket));
  shard.end_slot = shard.end_bucket == buckets
                       ? shard.blocks * kRibbonBlockSlots
                       : shard.end_bucket * ribbon_bucket_starts(shard.width) + ribbon_kept_from(2, shard.width);
  shard.fingerprint_mask =
      static_cast<std::uint32_t>((std::uint64_t{1} << (1 + input.take_below(kMaxRibbonColumns))) - 1);
  shard.thresholds.resize(shard.end_bucket - shard.first_bucket);
  for (unsigned& threshold : shard.thresholds) threshold = input.take_below(4);
  shard.hashes = take_hashes(input);
  std::ranges::sort(shard.hashes);
  shard.hashes.erase(std::unique(shard.hashes.begin(), shard.hashes.end()), shard.hashes.end());
  for (const Kernels& kernels : available_kernels()) require_same(difference_in_banding(kernels, shard));
}

}  // namespace

void fuzz_kernels(std::span<const std::uint8_t> bytes) {
  Input input(bytes);
  constexpr void (*kChecks[])(Input&) = {check_blocks, check_ribbon_answers, check_banding};
  kChecks[input.take_below(static_cast<unsigned>(std::size(kChecks)))](input);
}

}  // namespace crivo::testing
