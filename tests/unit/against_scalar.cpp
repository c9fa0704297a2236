#include "against_scalar.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <memory>
#include <sstream>

#include "base/math128.h"
#include "crivo/host/sizing.h"

namespace crivo::testing {
namespace {

using Window = std::array<std::uint64_t, kMaxRibbonColumns>;

template <class... Parts>
std::string text_of(const Parts&... parts) {
  std::ostringstream text;
  (text << ... << parts);
  return text.str();
}

/// The payload of an empty filter after these hashes were added.
std::unique_ptr<std::byte[]> added_by(const Kernels& kernels, const Shape& shape, std::span<const std::uint64_t> hashes,
                                      std::size_t shift) {
  auto memory = std::make_unique<std::byte[]>(shift + shape.units * (kBlockBits / 8));
  kernels.blocked_add(shape, memory.get() + shift, hashes.data(), hashes.size());
  return memory;
}

}  // namespace

Asking asking_ribbon(const Shape& shape) noexcept {
  return RibbonForm(shape).width == kWideRibbon ? &Kernels::ribbon : &Kernels::narrow_ribbon;
}

std::string difference_in_answers(const Kernels& kernels, Asking asking, const View& view,
                                  std::span<const std::uint64_t> hashes) {
  View prepared = view;
  if (view.shape.kind == Kind::kRibbon) prepare_ribbon(prepared);
  const auto exact = std::make_unique<std::uint64_t[]>(hashes.size());
  std::ranges::copy(hashes, exact.get());
  for (const View& asked : {view, prepared}) {
    const auto hits = std::make_unique<bool[]>(hashes.size());
    (kernels.*asking).contains_batch(asked, exact.get(), hashes.size(), hits.get());
    for (std::size_t i = 0; i < hashes.size(); ++i) {
      const bool expected = (available_kernels().front().*asking).contains(view, hashes[i]);
      if ((kernels.*asking).contains(asked, hashes[i]) != expected || hits[i] != expected) {
        return text_of(kernels.isa, ": hash ", hashes[i], ", ", i, " of ", hashes.size(), ", k ",
                       unsigned{view.shape.k}, ", units ", view.shape.units);
      }
    }
  }
  return "";
}

std::string difference_in_additions(const Kernels& kernels, const Shape& shape, std::span<const std::uint64_t> hashes,
                                    std::size_t shift) {
  const auto expected = added_by(available_kernels().front(), shape, hashes, 0);
  const auto added = added_by(kernels, shape, hashes, shift);
  for (std::size_t i = 0; i < shape.units * (kBlockBits / 8); ++i) {
    if (added[shift + i] != expected[i]) {
      return text_of(kernels.isa, ": byte ", i, ", k ", unsigned{shape.k}, ", units ", shape.units);
    }
  }
  return "";
}

std::vector<RibbonBumped> band_with(const Kernels& kernels, const Shard& shard, RibbonBand& band) {
  const RibbonLevelShape level(shard.blocks, {shard.width, kRibbonShares}, false);
  const unsigned bucket_starts = ribbon_bucket_starts(shard.width);
  band.reset(shard.first_bucket * bucket_starts, shard.end_slot);
  std::vector<RibbonBumped> results;
  const auto first_key_of = [&](std::uint64_t bucket) {
    return std::partition_point(shard.hashes.begin(), shard.hashes.end(), [&](std::uint64_t hash) {
      return level.bucket_of(mulhi(hash, level.starts())) < bucket;
    });
  };
  for (std::uint64_t bucket = shard.first_bucket; bucket < shard.end_bucket; ++bucket) {
    const std::span<const std::uint64_t> keys(first_key_of(bucket), first_key_of(bucket + 1));
    results.push_back(kernels.ribbon_add_bucket(band, {.width = shard.width,
                                                       .first_start = bucket * bucket_starts,
                                                       .hashes = keys,
                                                       .starts = level.starts(),
                                                       .fingerprint_factor = kRibbonFingerprint,
                                                       .result_mask = shard.fingerprint_mask,
                                                       .value_bits = 0,
                                                       .threshold = shard.thresholds[bucket - shard.first_bucket]}));
  }
  return results;
}

std::string difference_in_banding(const Kernels& kernels, const Shard& shard) {
  RibbonBand band(std::pmr::new_delete_resource());
  RibbonBand expected_band(std::pmr::new_delete_resource());
  const auto results = band_with(kernels, shard, band);
  const auto expected = band_with(available_kernels().front(), shard, expected_band);
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (results[i].threshold != expected[i].threshold || results[i].bumped != expected[i].bumped) {
      return text_of(kernels.isa, ": bucket ", shard.first_bucket + i, " bumped ", results[i].bumped);
    }
  }
  const auto columns = static_cast<unsigned>(std::bit_width(shard.fingerprint_mask));
  Window window;  // the slots to the right of the shard
  for (unsigned column = 0; column < kMaxRibbonColumns; ++column) window[column] = ribbon_row(column + 1, kWideRibbon);
  Window expected_window = window;
  for (std::size_t end = band.size(); end > 0;) {
    const std::size_t first = (end - 1) / kRibbonBlockSlots * kRibbonBlockSlots;
    kernels.ribbon_solve(band.rows() + first, band.results() + first, end - first, columns, window.data());
    available_kernels().front().ribbon_solve(expected_band.rows() + first, expected_band.results() + first, end - first,
                                             columns, expected_window.data());
    if (!std::equal(window.begin(), window.begin() + columns, expected_window.begin())) {
      return text_of(kernels.isa, ": solution from slot ", first, " on");
    }
    end = first;
  }
  return "";
}

}  // namespace crivo::testing
