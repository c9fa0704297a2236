// The ribbon kind in portable code. Tests compare all other kernels with these.
#include <algorithm>
#include <bit>
#include <span>
#include <type_traits>

#include "crivo/host/bytes.h"
#include "kinds/isa.h"
#include "kinds/probe_key.h"
#include "kinds/ribbon/kernels.h"
#include "kinds/ribbon/layout.h"

#define CRIVO_TARGET CRIVO_TARGET_SCALAR

namespace crivo {
namespace {

#include "kinds/ribbon/simd/holds_portable.inl.h"

// Adds the rows one by one. Each row moves from its start to higher slots until it finds a free slot.
template <class Band>
bool eliminate(Band& band, const RibbonRows& rows) noexcept {
  for (std::size_t i = 0; i < rows.count; ++i) {
    std::size_t slot = rows.block * kRibbonBlockSlots + rows.shift[i];
    std::uint64_t row = rows.bits[i];
    auto result = static_cast<typename Band::Result>(rows.result[i]);
    for (; row != 0; row ^= band.rows()[slot], result ^= band.results()[slot]) {
      slot += static_cast<unsigned>(std::countr_zero(std::rotr(row, static_cast<int>(slot % kRibbonBlockSlots))));
      if (band.rows()[slot] == 0) break;
    }
    if (row != 0) {
      band.store(slot, row, result);
    } else if (result != 0) {
      return false;  // the row has become zero: its result contradicts the stored rows
    }
  }
  return true;
}

#include "kinds/ribbon/simd/add_bucket.inl.h"
#include "kinds/ribbon/simd/solve_portable.inl.h"

template <unsigned kWidth>
bool contains(const View& view, std::uint64_t hash) noexcept {
  if (!is_prepared_ribbon(view))
    return !ribbon_is_empty(view) && holds_by_column<kWidth>(find_ribbon_equation(view, kWidth, hash));
  const RibbonAccess first = prepared_ribbon(view, kWidth);
  const std::uint64_t start = first.start_of(hash);
  return holds_by_column<kWidth>(first.bumped(start) ? find_ribbon_equation(view, kWidth, hash)
                                                     : first.equation(start, hash, hash));
}

template <unsigned kWidth>
void contains_batch(const View& view, const std::uint64_t* hashes, std::size_t count, bool* hits) noexcept {
  for (std::size_t i = 0; i < count; ++i) hits[i] = contains<kWidth>(view, hashes[i]);
}

std::uint64_t columns_of(const RibbonEquation& equation) noexcept { return columns_one_by_one(equation); }

#include "kinds/ribbon/simd/values.inl.h"

}  // namespace

const RibbonKernels RibbonKernels::kScalar = {
    .ribbon = kProbeOf<&contains<kWideRibbon>, &contains_batch<kWideRibbon>>,
    .narrow_ribbon = kProbeOf<&contains<kNarrowRibbon>, &contains_batch<kNarrowRibbon>>,
    .map = kMapProbe,
    .ribbon_add_bucket = &add_bucket<std::uint64_t>,
    .map_add_bucket = &add_bucket<HashedValue>,
    .ribbon_solve = &solve};

}  // namespace crivo
