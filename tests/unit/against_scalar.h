// Compares one instruction set's kernels with the portable ones, bit for bit, for the unit tests and the fuzzers. Each
// function that compares returns a text that describes the difference, or "".
#pragma once

#include <cstdint>
#include <string>

#include "crivo/filter.h"
#include "kernels.h"
#include "kinds/ribbon/band.h"

namespace crivo::testing {

/// The lookup functions that an instruction set has for a kind.
using Asking = Probe Kernels::*;

/// The lookup functions for a ribbon of this shape.
[[nodiscard]] Asking asking_ribbon(const Shape& shape) noexcept;

/// Looks up each hash alone and all hashes in a batch; in a ribbon, before and after it is prepared. Neither `hashes`
/// nor `hits` has spare bytes at its end, so that sanitizers see every access outside them.
[[nodiscard]] std::string difference_in_answers(const Kernels& kernels, Asking asking, const View& view,
                                                std::span<const std::uint64_t> hashes);

/// Adds the hashes to an empty blocked filter whose payload starts `shift` bytes into its memory.
[[nodiscard]] std::string difference_in_additions(const Kernels& kernels, const Shape& shape,
                                                  std::span<const std::uint64_t> hashes, std::size_t shift = 0);

/// A shard of a ribbon level that is to be banded and solved.
struct Shard {
  unsigned width;        // of the ribbon's rows, in bits
  std::uint64_t blocks;  // of the level
  std::uint64_t first_bucket;
  std::uint64_t end_bucket;
  std::uint64_t end_slot;             // rows are stored only before this slot
  std::uint32_t fingerprint_mask;     // a bit for each column
  std::vector<unsigned> thresholds;   // at least one per bucket
  std::vector<std::uint64_t> hashes;  // the level's hashes, ascending; only the hashes in the shard's buckets are added
};

/// Bands the shard. Returns which keys of each bucket were bumped.
std::vector<RibbonBumped> band_with(const Kernels& kernels, const Shard& shard, RibbonBand& band);

[[nodiscard]] std::string difference_in_banding(const Kernels& kernels, const Shard& shard);

}  // namespace crivo::testing
