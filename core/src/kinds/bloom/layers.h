// The layer table of a scalable filter (docs/format.md, "scalable"). The layers are blocked filters. They follow the
// table, oldest first.
#pragma once

#include <cstddef>
#include <cstdint>

#include "crivo/detail/view.h"
#include "crivo/host/bytes.h"
#include "crivo/result.h"
#include "kinds/bloom/block.h"

namespace crivo {

/// A layer's slot in the table.
struct Layer {
  std::uint64_t keys = 0;
  std::uint64_t blocks = 0;
  unsigned probes = 0;
};

/// The head of the table.
struct LayerSeries {
  double fp_rate = 0;                // promised for all layers together
  std::uint64_t first_capacity = 0;  // of the oldest layer
  unsigned layers = 0;
};

/// The number of blocks of a table with this many layers. The table has 16 bytes for the head and 16 per layer.
[[nodiscard]] constexpr std::uint64_t table_blocks(unsigned layers) noexcept { return (layers + 1 + 3) / 4; }

[[nodiscard]] LayerSeries read_series(const std::byte* payload) noexcept;
[[nodiscard]] Layer read_layer(const std::byte* payload, unsigned index) noexcept;
void write_series(std::byte* payload, const LayerSeries& series) noexcept;
void write_layer(std::byte* payload, unsigned index, const Layer& layer) noexcept;

/// The capacity of layer `index`: first_capacity * growth^index, or 0 if that exceeds kMaxCapacity.
[[nodiscard]] std::uint64_t layer_capacity(std::uint64_t first_capacity, unsigned growth, unsigned index) noexcept;

/// The size of layer `index`. It has at least `blocks_before` blocks, as many as the previous layer. Errors: kFull.
[[nodiscard]] Result<FilterSize> size_layer(double fp_rate, std::uint64_t first_capacity, unsigned growth,
                                            unsigned index, std::uint64_t blocks_before);

/// Validates the table as docs/format.md requires. The payload must have shape.units blocks. Errors: kCorrupt, naming
/// the field.
Result<void> check_layers(const View& view);

/// Iterates over the layers of a validated payload as blocked filters, from the newest to the oldest.
class NewestFirst {
 public:
  explicit NewestFirst(const View& view) noexcept
      : table_(view.payload), left_(read_series(view.payload).layers), layer_(view) {
    layer_.shape.kind = Kind::kBlocked;
    layer_.shape.param = 0;
    layer_.payload += view.payload_bytes;
  }
  [[nodiscard]] bool next() noexcept {
    if (left_ == 0) return false;
    const Layer layer = read_layer(table_, --left_);
    layer_.shape.units = layer.blocks;
    layer_.shape.k = static_cast<std::uint8_t>(layer.probes);
    layer_.payload_bytes = static_cast<std::size_t>(layer.blocks * kBlockBytes);
    layer_.payload -= layer_.payload_bytes;
    return true;
  }
  /// The current layer.
  [[nodiscard]] const View& layer() const noexcept { return layer_; }

 private:
  const std::byte* table_;
  unsigned left_;
  View layer_;
};

}  // namespace crivo
