#include "kinds/ribbon/ribbon.h"

#include <algorithm>
#include <cmath>

#include "base/bit_array.h"
#include "base/error_text.h"
#include "crivo/sizing.h"
#include "kinds/ribbon/build.h"
#include "layout/ribbon_layout.h"
#include "simd/kernels.h"
#include "sizing/ribbon.h"

namespace crivo {
namespace {

/// The shares of a level's starts that are not bumped: those in lean blocks, and those in rich blocks.
struct KeptStarts {
  double lean = 0;
  double rich = 0;

  explicit KeptStarts(const RibbonLevelView& view) noexcept {
    const auto starts = static_cast<double>(view.level.starts());
    const double lean_starts = view.level.lean_starts() * starts;
    if (view.level.base) {
      lean = lean_starts / starts;
      rich = 1 - lean;
      return;
    }
    for (std::uint64_t bucket = 0; bucket < view.level.buckets(); ++bucket) {
      const double first = static_cast<double>(bucket * kRibbonBucketStarts);
      const double end = std::min(first + kRibbonBucketStarts, starts);
      const double kept_from = std::min(first + view.access.kept_from(bucket), end);
      const double lean_end = std::clamp(lean_starts, kept_from, end);
      lean += (lean_end - kept_from) / starts;
      rich += (end - lean_end) / starts;
    }
  }
};

/// Checks the level that begins at `at` and must end before `end`, and moves `at` past it. Errors: kCorrupt.
Result<void> check_level(const std::byte*& at, const std::byte* end, const RibbonColumns& columns, bool base) {
  const auto words = static_cast<std::uint64_t>(end - at) / 8;
  const std::uint64_t blocks = words == 0 ? 0 : load_le<std::uint64_t>(at);
  if (blocks < kMinRibbonBlocks || blocks > kMaxRibbonBlocks) {
    return error(ErrorCode::kCorrupt, "blocks of a level must lie in [", kMinRibbonBlocks, ", ", kMaxRibbonBlocks,
                 "], got ", blocks);
  }
  const RibbonLevelShape level(blocks, columns, base);
  if (level.words() > words) {
    return error(ErrorCode::kCorrupt, "blocks of a level must fit in the ", words, " words left, got ", blocks);
  }
  const unsigned used = static_cast<unsigned>(level.buckets() % 32);
  if (!base && used != 0) {
    const auto last = load_le<std::uint64_t>(at + 8 * level.threshold_words());
    if (last >> (2 * used) != 0) return error(ErrorCode::kCorrupt, "padding of the thresholds must be 0");
  }
  at += 8 * level.words();
  return {};
}

/// The exact rate, as a mean over all hashes: it follows from the thresholds and the column counts of each level.
double rate_of_layout(const View& view) noexcept {
  const RibbonColumns columns(view.shape);
  const std::byte* at = view.payload + 8;
  double rate = 0;
  double reached = 1;  // the share of hashes that all levels before this one have bumped
  for (unsigned left = RibbonHeader(load_le<std::uint64_t>(view.payload)).levels; left > 0; --left) {
    const RibbonLevelView level(at, columns, left == 1);
    const KeptStarts kept(level);
    rate += reached * (ribbon_level_rate(columns.lean, 1) * kept.lean + ribbon_level_rate(columns.lean, 0) * kept.rich);
    reached *= 1 - kept.lean - kept.rich;
    at = level.end();
  }
  return rate;
}

}  // namespace

Result<Shape> Ribbon::plan(const FilterSpec& spec) {
  const Result<RibbonSize> size = spec.bits_per_key ? size_ribbon_by_bits(spec.capacity, *spec.bits_per_key)
                                                    : size_ribbon(spec.capacity, spec.fp_rate);
  if (!size) return size.error();
  Shape shape;
  shape.kind = kKind;
  shape.seed = spec.seed;
  shape.probes = static_cast<std::uint8_t>(size->columns);
  shape.param = static_cast<std::uint16_t>(size->rich_share);
  shape.units = size->units;
  return shape;
}

Result<std::uint64_t> Ribbon::payload_bytes(const Shape& shape) {
  if (shape.probes > kMaxRibbonColumns) {
    return error(ErrorCode::kCorrupt, "k must lie in [0, ", kMaxRibbonColumns, "], got ", unsigned{shape.probes});
  }
  if (shape.param >= kRibbonShares) {
    return error(ErrorCode::kCorrupt, "kind parameter must be at most ", kRibbonShares - 1, ", got ",
                 unsigned{shape.param});
  }
  if ((shape.probes == 0 && shape.param == 0) || (shape.probes == kMaxRibbonColumns && shape.param != 0)) {
    return error(ErrorCode::kCorrupt, "kind parameter must give more than 0 and at most ", kMaxRibbonColumns,
                 " columns with k = ", unsigned{shape.probes}, ", got ", unsigned{shape.param});
  }
  if (shape.units < 1 || shape.units > kMaxRibbonUnits) {
    return error(ErrorCode::kCorrupt, "number of words must lie in [1, ", kMaxRibbonUnits, "], got ", shape.units);
  }
  return shape.units * 8;
}

Result<void> Ribbon::validate(const View& view) {
  const RibbonHeader header(load_le<std::uint64_t>(view.payload));
  if (header.levels == 0) {
    if (count_bits({view.payload, view.payload_bytes}) == 0) return {};
    return error(ErrorCode::kCorrupt, "payload without levels must be 0, got other words");
  }
  if (header.levels > kMaxRibbonLevels) {
    return error(ErrorCode::kCorrupt, "levels must be at most ", kMaxRibbonLevels, ", got ", header.levels);
  }
  if (header.base_seed > kMaxRibbonSeed) {
    return error(ErrorCode::kCorrupt, "base seed must be at most ", kMaxRibbonSeed, ", got ", header.base_seed);
  }
  if (header.keys < 1 || header.keys > kMaxCapacity) {
    return error(ErrorCode::kCorrupt, "distinct keys must lie in [1, ", kMaxCapacity, "], got ", header.keys);
  }
  const RibbonColumns columns(view.shape);
  const std::byte* at = view.payload + 8;
  const std::byte* end = view.payload + view.payload_bytes;
  for (unsigned left = header.levels; left > 0; --left) {
    if (auto valid = check_level(at, end, columns, left == 1); !valid) return valid;
  }
  if (at != end) {
    return error(ErrorCode::kCorrupt, "levels must fill the payload, got ", static_cast<std::uint64_t>(end - at),
                 " bytes more");
  }
  return {};
}

void Ribbon::prepare(View& view) noexcept { prepare_ribbon(view); }

Probe Ribbon::probe(const Shape&) noexcept { return kernels().ribbon; }

// Stats::bits counts all bits of the payload. The rate follows from the layout, and the number of keys stands in the
// header.
Stats Ribbon::stats(const View& view) noexcept {
  Stats stats;
  stats.bits = view.shape.units * 64;
  stats.bits_set = count_bits({view.payload, view.payload_bytes});
  stats.fp_rate = rate_of_layout(view);
  stats.cardinality = static_cast<double>(RibbonHeader(load_le<std::uint64_t>(view.payload)).keys);
  return stats;
}

// The layout of a ribbon that was built fixes its rate. It differs a little from the planned rate, depending on what
// the levels have bumped: by 0.1% at 10^5 keys.
double Ribbon::predicted_fp_rate(const View& view, double keys) noexcept {
  if (!(keys > 0)) return 0;
  if (!ribbon_is_empty(view)) return rate_of_layout(view);
  const auto planned = static_cast<std::uint64_t>(std::min(std::ceil(keys), 0x1p62));
  return planned_ribbon_rate(planned, ribbon_columns_for(planned, RibbonColumns(view.shape)));
}

double Ribbon::promised_fp_rate(const View& view) noexcept {
  return ribbon_fp_rate(view.shape.probes, view.shape.param);
}

Result<AlignedBytes> Ribbon::build(Shape& shape, std::span<const std::uint64_t> hashes, std::uint64_t max_bytes,
                                   BuildTask& task) {
  if (hashes.empty()) return AlignedBytes(static_cast<std::size_t>(8 * shape.units));  // without keys, no levels
  RibbonColumns columns(shape);
  Result<AlignedBytes> payload = build_ribbon(columns, hashes, max_bytes, task);
  if (!payload) return payload;
  shape.probes = static_cast<std::uint8_t>(columns.lean);
  shape.param = static_cast<std::uint16_t>(columns.share);
  shape.units = payload->size() / 8;
  return payload;
}

}  // namespace crivo
