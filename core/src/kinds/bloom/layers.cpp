#include "kinds/bloom/layers.h"

#include <algorithm>

#include "base/error_text.h"
#include "crivo/types.h"
#include "kinds/bloom/sizes.h"

namespace crivo {
namespace {

constexpr std::size_t kSlotBytes = 16;
constexpr std::size_t kReservedOffset = 15;

const std::byte* slot_of(const std::byte* payload, unsigned index) noexcept {
  return payload + (index + std::size_t{1}) * kSlotBytes;
}

Result<void> check_series(const LayerSeries& series, unsigned growth) {
  if (!(series.fp_rate > 0 && series.fp_rate < 1)) {
    return corrupt("promised rate of the layers must be in (0, 1), got ", series.fp_rate);
  }
  if (series.first_capacity < 1 || series.first_capacity > kMaxCapacity) {
    return corrupt("capacity of the first layer must be in [1, ", kMaxCapacity, "], got ", series.first_capacity);
  }
  if (series.layers < 1 || layer_capacity(series.first_capacity, growth, series.layers - 1) == 0) {
    return corrupt("number of layers must be at least 1 and keep capacities at most ", kMaxCapacity, ", got ",
                   series.layers);
  }
  return {};
}

Result<void> check_layer(const Layer& layer, const Layer& before, unsigned index, bool is_newest,
                         std::uint64_t capacity) {
  if (layer.probes < 1 || layer.probes > kMaxBlockedProbes) {
    return corrupt("k of layer ", index, " must be in [1, ", kMaxBlockedProbes, "], got ", layer.probes);
  }
  if (layer.blocks < 1 || layer.blocks < before.blocks) {
    return corrupt("number of blocks of layer ", index, " must be at least ", std::max<std::uint64_t>(1, before.blocks),
                   ", the number of the layer before, got ", layer.blocks);
  }
  const std::uint64_t fewest = is_newest ? (index == 0 ? 0 : 1) : capacity;
  const std::uint64_t most = std::min(capacity, layer.blocks * kBlockBits);  // each key has set at least one bit
  if (layer.keys < fewest || layer.keys > most) {
    return corrupt("keys in layer ", index, " must be in [", fewest, ", ", most, "], got ", layer.keys);
  }
  return {};
}

Result<void> check_unused(const View& view, unsigned layers) {
  for (unsigned slot = 0; slot <= layers; ++slot) {
    if (view.payload[slot * kSlotBytes + kReservedOffset] != std::byte{0}) {
      return corrupt("reserved byte of layer table slot ", slot, " must be 0");
    }
  }
  const std::size_t end = static_cast<std::size_t>(table_blocks(layers)) * kBlockBytes;
  for (std::size_t i = (layers + std::size_t{1}) * kSlotBytes; i < end; ++i) {
    if (view.payload[i] != std::byte{0}) return corrupt("padding of the layer table must be 0");
  }
  return {};
}

}  // namespace

LayerSeries read_series(const std::byte* payload) noexcept {
  ByteReader reader({payload, kSlotBytes});
  LayerSeries series;
  series.fp_rate = reader.read_f64();
  series.first_capacity = reader.read_u48();
  series.layers = reader.read<std::uint8_t>();
  return series;
}

Layer read_layer(const std::byte* payload, unsigned index) noexcept {
  ByteReader reader({slot_of(payload, index), kSlotBytes});
  Layer layer;
  layer.keys = reader.read<std::uint64_t>();
  layer.blocks = reader.read_u48();
  layer.probes = reader.read<std::uint8_t>();
  return layer;
}

void write_series(std::byte* payload, const LayerSeries& series) noexcept {
  ByteWriter writer({payload, kSlotBytes});
  writer.write_f64(series.fp_rate);
  writer.write_u48(series.first_capacity);
  writer.write(static_cast<std::uint8_t>(series.layers));
}

void write_layer(std::byte* payload, unsigned index, const Layer& layer) noexcept {
  ByteWriter writer({payload + (index + std::size_t{1}) * kSlotBytes, kSlotBytes});
  writer.write(layer.keys);
  writer.write_u48(layer.blocks);
  writer.write(static_cast<std::uint8_t>(layer.probes));
}

std::uint64_t layer_capacity(std::uint64_t first_capacity, unsigned growth, unsigned index) noexcept {
  std::uint64_t capacity = first_capacity;
  for (unsigned i = 0; i < index; ++i) {
    capacity *= growth;
    if (capacity > kMaxCapacity) return 0;
  }
  return capacity;
}

Result<FilterSize> size_layer(double fp_rate, std::uint64_t first_capacity, unsigned growth, unsigned index,
                              std::uint64_t blocks_before) {
  const std::uint64_t capacity = layer_capacity(first_capacity, growth, index);
  if (capacity == 0) {
    return error(ErrorCode::kFull, "capacity of a new layer must be at most ", kMaxCapacity, ", got ", growth,
                 " times the newest layer's capacity");
  }
  Result<FilterSize> size = size_blocked(capacity, scalable_layer_rate(fp_rate, index));
  if (!size) return error(ErrorCode::kFull, "new layer: ", size.error().message);
  size->units = std::max(size->units, blocks_before);
  return size;
}

Result<void> check_layers(const View& view) {
  const LayerSeries series = read_series(view.payload);
  const unsigned growth = view.shape.param;
  if (auto valid = check_series(series, growth); !valid) return valid;
  std::uint64_t blocks = table_blocks(series.layers);
  if (blocks > view.shape.units) {
    return corrupt("number of layers must fit in ", view.shape.units, " blocks, got ", series.layers);
  }
  if (auto valid = check_unused(view, series.layers); !valid) return valid;
  Layer before;
  for (unsigned i = 0; i < series.layers; ++i) {
    const Layer layer = read_layer(view.payload, i);
    const std::uint64_t capacity = layer_capacity(series.first_capacity, growth, i);
    if (auto valid = check_layer(layer, before, i, i + 1 == series.layers, capacity); !valid) return valid;
    blocks += layer.blocks;  // at most 41 layers of less than 2^48 blocks
    before = layer;
  }
  if (blocks != view.shape.units) {
    return corrupt("number of blocks must be that of the table and its layers, ", blocks, ", got ", view.shape.units);
  }
  const unsigned first_probes = read_layer(view.payload, 0).probes;
  if (view.shape.k != first_probes) {
    return corrupt("k must be that of the first layer, ", first_probes, ", got ", unsigned{view.shape.k});
  }
  return {};
}

}  // namespace crivo
