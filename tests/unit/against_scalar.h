// Compares one instruction set's kernels with the portable ones, bit for bit. The unit tests and the fuzzers both use
// it: each function returns a text about what differs, or "".
#pragma once

#include <cstdint>
#include <string>

#include "crivo/filter.h"
#include "kernels.h"
#include "kinds/ribbon/band.h"

namespace crivo::testing {

/// How filters of a kind are asked.
using Asking = Probe Kernels::*;

/// How a ribbon of this shape is asked.
[[nodiscard]] Asking asking_ribbon(const Shape& shape) noexcept;

/// Asks for each hash, and for all of them in a batch, and of a ribbon both as it is and prepared. Neither hashes nor
/// hits have a byte to spare that sanitizers would not see being touched.
[[nodiscard]] std::string difference_in_answers(const Kernels& kernels, Asking asking, const View& view,
                                                std::span<const std::uint64_t> hashes);

/// Adds the hashes to an empty blocked filter whose payload starts `shift` bytes into its memory.
[[nodiscard]] std::string difference_in_additions(const Kernels& kernels, const Shape& shape,
                                                  std::span<const std::uint64_t> hashes, std::size_t shift = 0);

/// A shard of a ribbon level that is to be banded and solved.
struct Shard {
  unsigned width;              // of the ribbon
  std::uint64_t blocks;        // the blocks of the level
  std::uint64_t first_bucket;  // the first bucket of the shard
  std::uint64_t end_bucket;
  std::uint64_t end_slot;             // no row is stored from here on
  std::uint32_t fingerprint_mask;     // columns
  std::vector<unsigned> thresholds;   // one per bucket: at least
  std::vector<std::uint64_t> hashes;  // the level's hashes, ascending; only those in the shard's buckets are added
};

/// What became of each bucket's keys.
std::vector<RibbonBumped> band_with(const Kernels& kernels, const Shard& shard, RibbonBand& band);

[[nodiscard]] std::string difference_in_banding(const Kernels& kernels, const Shard& shard);

}  // namespace crivo::testing
