// The layout of a window's payload (docs/format.md, "window").
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/math128.h"
#include "crivo/types.h"
#include "kinds/bloom/block.h"

namespace crivo {

inline constexpr std::size_t kWindowFieldBytes = 24;   // the fields before the blocks, without padding
inline constexpr std::size_t kWindowHeaderBytes = 64;  // with padding

class PaneLayout {
 public:
  explicit PaneLayout(const Shape& shape) noexcept
      : blocks_(shape.units), stored_panes_(shape.param + 1U), page_(std::max(1U, kBlocksInPage / stored_panes_)) {
    if (page_ > 1) reciprocal_ = UINT64_MAX / page_ + 1;
  }

  /// A block's offset in the first pane, and the distance between its offsets in consecutive panes.
  struct Place {
    std::uint64_t offset;
    std::uint64_t stride;
    [[nodiscard]] std::uint64_t in(std::uint64_t pane) const noexcept { return offset + pane * stride; }
  };
  // The division is exact: the reciprocal exceeds 2^64 / page_ by less than 1, and a block times page_ is below 2^64.
  [[nodiscard]] Place place_of(std::uint64_t block) const noexcept {
    const std::uint64_t page = page_ > 1 ? mulhi(block, reciprocal_) : block;
    const std::uint64_t first = page * page_;
    const std::uint64_t in_page = std::min<std::uint64_t>(page_, blocks_ - first);
    return {kWindowHeaderBytes + (first * stored_panes_ + (block - first)) * kBlockBytes, in_page * kBlockBytes};
  }
  /// The panes of the window plus one.
  [[nodiscard]] std::uint32_t stored_panes() const noexcept { return stored_panes_; }
  [[nodiscard]] std::uint64_t payload_bytes() const noexcept {
    return kWindowHeaderBytes + blocks_ * stored_panes_ * kBlockBytes;
  }

 private:
  // The number of blocks of all panes together that fit in a row of a 4096-byte SQLite page.
  static constexpr std::uint32_t kBlocksInPage = 63;

  std::uint64_t blocks_;
  std::uint64_t reciprocal_ = 0;  // 2^64 / page_, rounded up
  std::uint32_t stored_panes_;
  std::uint32_t page_;  // blocks per pane in a page
};

}  // namespace crivo
