// The scalable Bloom filter, for an unknown number of keys: a series of layers, each a blocked filter. Keys are added
// to the newest layer. When this layer is full, a new layer is added. Its capacity is larger by the growth factor, and
// its rate is lower. A key is in the filter if any layer has it. The rates decrease so fast that their sum stays below
// the promised rate for any number of layers.
// Paper: Almeida, Baquero, Preguica & Hutchison 2007, "Scalable Bloom filters".
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/error_text.h"
#include "base/portable.h"
#include "crivo/host/sizing.h"
#include "kinds/bloom/block_stats.h"
#include "kinds/bloom/kernels.h"
#include "kinds/bloom/layers.h"
#include "kinds/bloom/shape.h"
#include "kinds/bloom/sizes.h"
#include "kinds/checks.h"
#include "kinds/isa.h"
#include "kinds/kind.h"
#include "kinds/probe_key.h"

namespace crivo {
namespace {

constexpr unsigned kMinGrowth = 2;
constexpr unsigned kMaxGrowth = 16;
constexpr unsigned kMaxBitsPerKeyRatio = 16;  // of a layer's bits per key to those of the layer before
constexpr std::size_t kAhead = 8;             // keys between a key's prefetch and its addition
constexpr std::size_t kBatch = 128;           // hashes per query of a layer

bool contains(const View& view, std::uint64_t hash) noexcept {
  const auto in_layer = kernels_in_use<BlockedKernels>().blocked.contains;
  for (NewestFirst walk(view); walk.next();) {
    if (in_layer(walk.layer(), hash)) return true;
  }
  return false;
}

void prefetch(const View& view, std::uint64_t hash) noexcept {
  for (NewestFirst walk(view); walk.next();) {
    __builtin_prefetch(walk.layer().payload + mulhi(hash, walk.layer().shape.units) * kBlockBytes);
  }
}

// Queries layer by layer, so that each layer's batch kernel can prefetch. Hashes that a layer has are not looked up in
// older layers.
void contains_batch(const View& view, std::span<const std::uint64_t> hashes, bool* hits) noexcept {
  std::array<std::uint64_t, kBatch> open_hashes;
  std::array<std::size_t, kBatch> open_indexes;
  std::array<bool, kBatch> found;
  std::size_t open = hashes.size();
  for (std::size_t i = 0; i < open; ++i) {
    open_hashes[i] = hashes[i];
    open_indexes[i] = i;
    hits[i] = false;
  }
  for (NewestFirst walk(view); open != 0 && walk.next();) {
    kernels_in_use<BlockedKernels>().blocked.contains_batch(walk.layer(), open_hashes.data(), open, found.data());
    std::size_t left = 0;
    for (std::size_t i = 0; i < open; ++i) {
      hits[open_indexes[i]] = found[i];
      if (found[i]) continue;
      open_hashes[left] = open_hashes[i];
      open_indexes[left++] = open_indexes[i];
    }
    open = left;
  }
}

void contains_batch(const View& view, const std::uint64_t* hashes, std::size_t count, bool* hits) noexcept {
  for (std::size_t from = 0; from < count; from += kBatch) {
    contains_batch(view, {hashes + from, std::min(kBatch, count - from)}, hits + from);
  }
}

AlignedBytes blank_payload(std::uint64_t blocks) {
  return AlignedBytes(static_cast<std::size_t>(blocks * kBlockBytes));
}

/// Adds a layer. Errors: kFull or kTooLarge, with the filter unchanged.
Result<void> grow(Store store, std::uint64_t max_bytes) {
  const LayerSeries series = read_series(store.payload.data());
  const Layer newest = read_layer(store.payload.data(), series.layers - 1);
  const Result<FilterSize> size =
      size_layer(series.fp_rate, series.first_capacity, store.shape.param, series.layers, newest.blocks);
  if (!size) return size.error();
  const Layer next{0, size->units, size->probes};
  // Only a forged table gives a larger ratio. Without this check, it could request terabytes.
  if (const std::uint64_t most = newest.blocks * store.shape.param * kMaxBitsPerKeyRatio; next.blocks > most) {
    return error(ErrorCode::kFull, "number of blocks of a new layer must be at most ", most, ", got ", next.blocks);
  }

  const std::uint64_t old_table = table_blocks(series.layers);
  const std::uint64_t new_table = table_blocks(series.layers + 1);
  const std::uint64_t blocks = store.shape.units - old_table + new_table + next.blocks;
  if (blocks > kMaxBlocks) {
    return error(ErrorCode::kFull, "number of blocks must be at most ", kMaxBlocks, ", got ", blocks);
  }
  if (const std::uint64_t needed = blocks * kBlockBytes; needed > max_bytes) {
    return limit_error(ErrorCode::kTooLarge, needed, "payload with a new layer must be at most the limit of ",
                       max_bytes, " bytes, got ", needed);
  }
  AlignedBytes grown = blank_payload(blocks);
  const auto old_layers = store.payload.begin() + static_cast<std::ptrdiff_t>(old_table * kBlockBytes);
  std::copy(store.payload.begin(), old_layers, grown.begin());
  std::copy(old_layers, store.payload.end(), grown.begin() + static_cast<std::ptrdiff_t>(new_table * kBlockBytes));
  write_series(grown.data(), {series.fp_rate, series.first_capacity, series.layers + 1});
  write_layer(grown.data(), series.layers, next);
  store.payload.swap(grown);
  store.shape.units = blocks;
  return {};
}

/// Adds a key that no layer has. Errors: as grow.
Result<void> add_new(Store store, std::uint64_t hash, std::uint64_t max_bytes) {
  LayerSeries series = read_series(store.payload.data());
  Layer newest = read_layer(store.payload.data(), series.layers - 1);
  if (newest.keys == layer_capacity(series.first_capacity, store.shape.param, series.layers - 1)) {
    if (auto grown = grow(store, max_bytes); !grown) return grown;
    newest = read_layer(store.payload.data(), series.layers++);
  }
  // Happens only in a forged payload, because each key has set at least one bit.
  if (const std::uint64_t bits = newest.blocks * kBlockBits; newest.keys == bits) {
    return error(ErrorCode::kFull, "keys in the newest layer must be at most its ", bits, " bits, got ", bits + 1);
  }
  ++newest.keys;
  write_layer(store.payload.data(), series.layers - 1, newest);
  Shape layer = store.shape;
  layer.units = newest.blocks;
  layer.k = static_cast<std::uint8_t>(newest.probes);
  std::byte* blocks = store.payload.data() + store.payload.size() - newest.blocks * kBlockBytes;
  kernels_in_use<BlockedKernels>().blocked_add(layer, blocks, &hash, 1);
  return {};
}

struct Scalable {
  static constexpr Kind kKind = Kind::kScalable;
  static constexpr std::string_view kName = "scalable";
  static constexpr const char* kUnitName = "number of blocks";
  static constexpr std::string_view kOption = "growth: 2 to 16";
  static unsigned option_of(const Shape& shape) noexcept { return shape.param; }
  static bool set_option(FilterSpec& spec, std::string_view text) {
    return read_option(spec.growth, FilterSpec().growth, text);
  }
  static std::string option_text(const FilterSpec& spec) { return std::to_string(spec.growth); }

  static Result<Shape> plan(const FilterSpec& spec) {
    const unsigned growth = spec.growth;
    if (growth < kMinGrowth || growth > kMaxGrowth) {
      return bad_argument("growth must be in [", kMinGrowth, ", ", kMaxGrowth, "], got ", growth);
    }
    FilterSpec first = spec;
    Result<Shape> shape = plan_by_size(first, kKind, kBlockBits, &size_blocked, &best_blocked_probes);
    if (!shape) return shape;
    if (spec.bits_per_key) {
      shape->units = std::max(table_blocks(1) + 1, shape->units);  // the table is part of these bits
    } else {
      first.fp_rate = scalable_layer_rate(spec.fp_rate, 0);
      shape = plan_by_size(first, kKind, kBlockBits, &size_blocked, &best_blocked_probes);
      if (!shape) return bad_argument("fp_rate of the first layer, a quarter of fp_rate: ", shape.error().message);
      shape->units += table_blocks(1);
    }
    shape->param = static_cast<std::uint16_t>(growth);
    return shape;
  }

  static Result<std::uint64_t> payload_bytes(const Shape& shape) {
    if (shape.param < kMinGrowth || shape.param > kMaxGrowth) {
      return corrupt("kind parameter (growth) must be in [", kMinGrowth, ", ", kMaxGrowth, "], got ", shape.param);
    }
    Shape without_growth = shape;
    without_growth.param = 0;
    if (auto valid = check_shape(without_growth, kMaxBlockedProbes, kMaxBlocks, kUnitName); !valid)
      return valid.error();
    if (shape.units <= table_blocks(1)) {
      return corrupt("number of blocks must be above ", table_blocks(1), ", got ", shape.units);
    }
    return shape.units * kBlockBytes;
  }

  static Result<void> validate(const View& view) { return check_layers(view); }
  static Probe probe(const Shape&) noexcept { return kProbeOf<&contains, &contains_batch>; }

  static bool admit_open(const View& view, ByteGate& gate) {
    constexpr std::uint64_t kLargestTable = table_blocks(255) * kBlockBytes;  // the number of layers is one byte
    return gate.freeze(0, std::min<std::uint64_t>(kLargestTable, view.payload_bytes));
  }

  static bool admit_query(const View& view, std::uint64_t hash, ByteGate& gate) {
    const auto in_layer = kernels_in_use<BlockedKernels>().blocked.contains;
    for (NewestFirst walk(view); walk.next();) {
      const View& layer = walk.layer();
      const std::uint64_t block = mulhi(hash, layer.shape.units);
      const auto offset = static_cast<std::uint64_t>(layer.payload - view.payload) + block * kBlockBytes;
      if (!gate.admit(offset, kBlockBytes)) return false;
      if (in_layer(layer, hash)) return true;  // older layers are not queried
    }
    return true;
  }

  static Stats stats(const View& view) noexcept {
    Stats total;
    total.cardinality = 0;
    double log_missed = 0;  // the log of the probability that all layers miss; a log resolves rates of 1e-17
    for (NewestFirst walk(view); walk.next();) {
      const Stats layer = stats_of_bit_blocks(walk.layer());
      total.bits += layer.bits;
      total.bits_set += layer.bits_set;
      log_missed += portable::log1p(-layer.current_fp_rate);
      total.cardinality = total.cardinality && layer.cardinality
                              ? std::optional(*total.cardinality + *layer.cardinality)
                              : std::nullopt;
    }
    total.current_fp_rate = -portable::expm1(log_missed);
    return total;
  }

  // Keys fill the layers in order. Layers that do not exist yet are sized for their capacities and rates.
  // NOLINTNEXTLINE(bugprone-exception-escape): the one Result is tested before its value is used
  static double predicted_fp_rate(const View& view, double keys) noexcept {
    const LayerSeries series = read_series(view.payload);
    double log_missed = 0;
    for (unsigned i = 0; keys > 0; ++i) {
      const std::uint64_t capacity = layer_capacity(series.first_capacity, view.shape.param, i);
      if (capacity == 0) return 1;  // the filter cannot grow to hold this many keys
      Layer layer = read_layer(view.payload, std::min(i, series.layers - 1));
      if (i >= series.layers) {
        const Result<FilterSize> size = size_blocked(capacity, scalable_layer_rate(series.fp_rate, i));
        if (!size) return 1;
        layer.blocks = size->units;
        layer.probes = size->probes;
      }
      const double in_layer = std::min(keys, static_cast<double>(capacity));
      log_missed += portable::log1p(-blocked_fp_rate(static_cast<double>(layer.blocks), in_layer, layer.probes));
      keys -= in_layer;
    }
    return -portable::expm1(log_missed);
  }

  static double promised_fp_rate(const View& view) noexcept { return read_series(view.payload).fp_rate; }

  static void start(Store store, const FilterSpec& spec) {
    const std::uint64_t blocks = store.shape.units - table_blocks(1);
    double promise = spec.fp_rate;
    if (spec.bits_per_key) {  // the bits determine the first layer's rate; the promise is the sum of the series
      const double first =
          blocked_fp_rate(static_cast<double>(blocks), static_cast<double>(spec.capacity), store.shape.k);
      constexpr double kMin = std::numeric_limits<double>::min();
      promise = std::clamp(first / scalable_layer_rate(1, 0), kMin, 1 - std::numeric_limits<double>::epsilon());
    }
    write_series(store.payload.data(), {promise, spec.capacity, 1});
    write_layer(store.payload.data(), 0, {0, blocks, store.shape.k});
  }

  static void clear(Store store) {
    LayerSeries series = read_series(store.payload.data());
    Layer first = read_layer(store.payload.data(), 0);
    first.keys = 0;
    series.layers = 1;
    const std::uint64_t blocks = table_blocks(1) + first.blocks;
    AlignedBytes cleared = blank_payload(blocks);
    write_series(cleared.data(), series);
    write_layer(cleared.data(), 0, first);
    store.payload.swap(cleared);
    store.shape.units = blocks;
  }

  static std::vector<LayerInfo> layers(const View& view) {
    const LayerSeries series = read_series(view.payload);
    std::vector<LayerInfo> layers(series.layers);
    unsigned i = series.layers;
    for (NewestFirst walk(view); walk.next();) {
      --i;
      Stats stats = stats_of_bit_blocks(walk.layer());
      stats.current_fp_rate = with_collisions(stats.current_fp_rate, stats.cardinality.value_or(0));
      layers[i] = {layer_capacity(series.first_capacity, view.shape.param, i), read_layer(view.payload, i).keys,
                   walk.layer().shape.k, scalable_layer_rate(series.fp_rate, i), stats};
    }
    return layers;
  }

  static Result<void> add_and_grow(Store store, std::span<const std::uint64_t> hashes, std::uint64_t& added,
                                   std::uint64_t max_bytes) {
    for (std::size_t i = 0; i < hashes.size(); ++i) {
      if (i + kAhead < hashes.size()) prefetch(store.view(), hashes[i + kAhead]);
      if (!contains(store.view(), hashes[i])) {
        if (auto added_new = add_new(store, hashes[i], max_bytes); !added_new) return added_new;
      }
      ++added;
    }
    return {};
  }
};

}  // namespace

constinit const KindRow kScalable = make_row<Scalable>();

}  // namespace crivo
