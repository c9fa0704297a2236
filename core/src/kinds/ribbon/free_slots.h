// The free slots of a ribbon, chosen so that few of some known keys pass which it does not have.
//
// Where a level has more slots than keys, some slots are left free by all equations, and any solution there keeps every
// key. Each free slot of a block doubles the number of solutions for the block, and every one of them lets a different
// half of the keys that start there pass, column by column. So the best of 2^d solutions is taken: of M keys it lets
// about M / 2 - E_d sqrt(M) / 2 pass, where E_d is the expected largest of 2^d standard normal numbers (1.8 for d = 4),
// and it costs d slots. For a filter with a known universe (exact_layout.h) that is worth far more than the slots.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "build/build_task.h"
#include "build/hash_source.h"
#include "crivo/result.h"
#include "kinds/ribbon/layout.h"

namespace crivo {

/// The most free slots of a block that are chosen; others are 0.
inline constexpr unsigned kMostChosenSlots = 10;
/// The most keys of a block that count, which bounds the memory. Of more keys the choice gains little.
inline constexpr std::size_t kMostChoosingKeys = std::size_t{1} << 15;

/// The expected largest of 2^slots independent standard normal numbers.
[[nodiscard]] double expected_largest(unsigned slots) noexcept;

class FreeSlots {
 public:
  /// `keys` are by their hashes at this level, whose thresholds the shards write; those of the value 0 shall not pass.
  FreeSlots(const RibbonLevelShape& shape, const std::byte* thresholds, std::uint64_t fingerprint_factor,
            RecordSource<HashedValue>& keys, BuildTask& task);

  /// Changes the solution of a block, all of whose rows are given by slot, where that helps: for each column, `window`
  /// has this block's slots, and `behind` those of the next one. Blocks must come from the last to the first. Errors:
  /// kCancelled; those of the keys.
  [[nodiscard]] Result<void> choose(std::uint64_t block, const std::uint64_t* rows,
                                    std::span<const std::uint64_t> behind, std::span<std::uint64_t> window);

 private:
  /// A key that passed so far. The row's bits stand at the slots' numbers modulo 64; those below the start are in the
  /// next block.
  struct Passing {
    std::uint64_t row;
    std::uint64_t below_start;
    std::uint32_t fingerprint;
  };

  [[nodiscard]] Result<void> take_keys_of(std::uint64_t block);
  void choose_column(unsigned column, std::span<const std::uint64_t> changes, std::uint64_t behind,
                     std::uint64_t& solution);

  RibbonLevelShape shape_;
  RibbonAccess access_;
  std::uint64_t fingerprint_factor_;
  RecordSource<HashedValue>& keys_;
  BuildTask& task_;
  std::span<const HashedValue> left_;  // keys that were taken, and belong to this block or to those before it
  bool ended_ = false;
  std::pmr::vector<Passing> passing_;  // those of the block
  std::pmr::vector<std::uint64_t> bits_;
};

}  // namespace crivo
