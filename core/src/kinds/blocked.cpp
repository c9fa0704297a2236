#include "kinds/blocked.h"

#include "bit_array.h"
#include "crivo/sizing.h"
#include "kinds/block.h"
#include "kinds/block_stats.h"
#include "kinds/plan.h"
#include "simd/kernels.h"

namespace crivo {

Result<Shape> Blocked::plan(const FilterSpec& spec) {
  return plan_by_size(spec, kKind, kBlockBits, &size_blocked, &best_blocked_probes);
}

Result<std::uint64_t> Blocked::payload_bytes(const Shape& shape) {
  if (auto valid = check_shape(shape, kMaxBlockedProbes, kMaxBlocks, "number of blocks"); !valid) return valid.error();
  return shape.units * kBlockBytes;
}

Result<void> Blocked::validate(const View&) { return {}; }

Probe Blocked::probe(const Shape&) noexcept { return kernels().blocked; }

Stats Blocked::stats(const View& view) noexcept {
  return stats_of_blocks(view.shape, [&view](std::uint64_t block) {
    return count_bits({view.payload + block * kBlockBytes, kBlockBytes});
  });
}

double Blocked::predicted_fp_rate(const Shape& shape, double keys) noexcept {
  return blocked_fp_rate(static_cast<double>(shape.units), keys, shape.probes);
}

bool Blocked::compresses(const View& view, const Facts&) noexcept {
  return is_sparse(count_bits({view.payload, view.payload_bytes}), view.shape.units * kBlockBits);
}

Result<void> Blocked::add(Store store, std::span<const std::uint64_t> hashes, std::uint64_t& added) {
  kernels().blocked_add(store.shape, store.payload.data(), hashes.data(), hashes.size());
  added += hashes.size();
  return {};
}

void Blocked::unite(Store into, const View& other) noexcept { or_into(into.payload, other.payload); }
void Blocked::intersect(Store into, const View& other) noexcept { and_into(into.payload, other.payload); }

}  // namespace crivo
