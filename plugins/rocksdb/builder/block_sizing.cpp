#include "builder/block_sizing.h"

#include <algorithm>
#include <cmath>

#include "crivo/host/sizing.h"
#include "crivo/host/text.h"

namespace crivo::plugin {
namespace {

constexpr std::size_t kBlockBytes = kBlockBits / 8;
constexpr std::size_t kWordBytes = 8;

/// fp_rate, but at least the lowest rate that a ribbon of this many keys can promise: the rate of 32 columns plus that
/// of colliding hashes. This bound is slightly raised, so that rounding cannot make the result too low.
double attainable_rate(double fp_rate, std::uint64_t keys) noexcept {
  return std::max(fp_rate, (0x1p-32 + static_cast<double>(keys) * 0x1p-64) * (1 + 0x1p-40));
}

/// Throws BadResult if the core rejects the spec. The settings were validated, so that is a bug.
RibbonSize ribbon_size(const FilterSpec& spec) {
  return *(spec.bits_per_key ? size_ribbon_by_bits(spec.capacity, *spec.bits_per_key)
                             : size_ribbon(spec.capacity, attainable_rate(spec.fp_rate, spec.capacity)));
}

std::size_t payload_bytes(const FilterSpec& spec) {
  if (spec.kind == Kind::kRibbon) return ribbon_size(spec).units * kWordBytes;
  const double blocks = std::ceil(static_cast<double>(spec.capacity) * spec.bits_per_key.value() / kBlockBits);
  return static_cast<std::size_t>(std::max(blocks, 1.0)) * kBlockBytes;
}

std::string stamp_of(const LevelSpec& spec, std::size_t max_filter_bytes) {
  constexpr int kDigits = 4;
  std::string stamp(kind_name(spec.kind));
  const bool by_bits = spec.kind == Kind::kBlocked;
  stamp.append(by_bits ? ":" : ":fp_rate:").append(number_text(by_bits ? spec.bits_per_key : spec.fp_rate, kDigits));
  if (max_filter_bytes != SIZE_MAX) stamp.append(":max_filter_bytes:").append(std::to_string(max_filter_bytes));
  return stamp;
}

}  // namespace

BlockSizing BlockSizing::within(std::size_t max_payload) const noexcept {
  return BlockSizing(level_, blocked_if_few_, std::clamp(max_payload, kBlockBytes, max_payload_), tail_);
}

std::optional<BlockSizing> BlockSizing::for_next(std::size_t keys, std::size_t used,
                                                 std::size_t max_filter_bytes) const {
  const std::size_t wanted = bytes(keys);
  const std::size_t half = max_filter_bytes / 2;
  const std::size_t left = max_filter_bytes - std::min(used, max_filter_bytes);
  const std::size_t least = within(0).max_payload() + tail_;
  if (left < least) return std::nullopt;
  const double share = used == 0 ? 1 : std::min(1.0, static_cast<double>(left) / static_cast<double>(half + 1));
  const auto fair = static_cast<std::size_t>(static_cast<double>(wanted) * share);
  // A ribbon, or a blocked filter that replaces it, may exceed its planned size, but never `left`.
  const std::size_t allowance = wanted <= fair ? left : std::clamp(fair, least, left);
  return within(allowance - tail_);
}

BlockSizing BlockSizing::as_blocked() const noexcept {
  LevelSpec blocked = level_;
  blocked.kind = Kind::kBlocked;
  return BlockSizing(blocked, blocked_if_few_, max_payload_, tail_);
}

FilterSpec BlockSizing::wanted(std::size_t keys) const {
  const std::uint64_t capacity = std::clamp<std::uint64_t>(keys, 1, kMaxCapacity);
  const FilterSpec blocked{.kind = Kind::kBlocked, .capacity = capacity, .bits_per_key = level_.bits_per_key};
  if (level_.kind == Kind::kBlocked) return blocked;
  const FilterSpec ribbon{
      .kind = Kind::kRibbon, .capacity = capacity, .fp_rate = attainable_rate(level_.fp_rate, capacity)};
  return blocked_if_few_ && payload_bytes(ribbon) > payload_bytes(blocked) / 8 * 7 ? blocked : ribbon;
}

FilterSpec BlockSizing::spec(std::size_t keys) const {
  FilterSpec spec = wanted(keys);
  std::size_t most = most_planned(spec.kind);
  if (payload_bytes(spec) <= most) return spec;
  // A ribbon of few keys can be larger than a blocked filter.
  const FilterSpec blocked = as_blocked().wanted(keys);
  if (payload_bytes(blocked) <= most_planned(blocked.kind)) return blocked;
  // Below one bit per key, a ribbon is no better than a blocked filter, and may not fit.
  if (most < spec.capacity / 8) {
    spec.kind = Kind::kBlocked;
    most = most_planned(spec.kind);
  }
  // The division may round up, and one block too many means no filter. So step down to a size that fits.
  double bits_per_key = std::min(8.0 * static_cast<double>(most) / static_cast<double>(spec.capacity), kMaxBitsPerKey);
  do {
    spec.bits_per_key = bits_per_key;
    bits_per_key = std::nextafter(bits_per_key, 0.0);
  } while (payload_bytes(spec) > most);
  return spec;
}

std::size_t BlockSizing::most_planned(Kind kind) const noexcept {
  // A ribbon may slightly exceed its planned size (PredictsItsSizes in tests/rocksdb has the figures).
  return kind == Kind::kRibbon ? max_payload_ - max_payload_ / 64 : max_payload_ / kBlockBytes * kBlockBytes;
}

std::size_t BlockSizing::bytes(std::size_t keys) const { return payload_bytes(spec(keys)) + tail_; }

std::size_t BlockSizing::keys(std::size_t bytes) const {
  if (bytes < tail_) return 0;
  const std::size_t allowance = std::min(bytes - tail_, most_planned(level_.kind));
  std::size_t enough = 0;  // bisection: the sizes of these two key counts bracket `allowance`
  std::size_t too_many = kMaxCapacity + 1;
  while (too_many - enough > 1) {
    const std::size_t middle = enough + (too_many - enough) / 2;
    (payload_bytes(wanted(middle)) <= allowance ? enough : too_many) = middle;
  }
  return enough;
}

double BlockSizing::fp_rate(std::size_t keys, std::size_t bytes) const {
  if (keys == 0) return 0;
  if (bytes < this->bytes(1)) return 1;
  const std::size_t payload = bytes - tail_;
  const auto count = static_cast<double>(keys);
  if (FilterSpec spec = wanted(keys); spec.kind == Kind::kRibbon) {
    spec.bits_per_key = std::min(8.0 * static_cast<double>(payload) / count, kMaxBitsPerKey);
    const RibbonSize size = ribbon_size(spec);
    return ribbon_fp_rate(size.columns, size.rich_share);
  }
  const std::size_t whole_blocks = payload / kBlockBytes;
  const auto blocks = static_cast<double>(whole_blocks);
  return blocked_fp_rate(blocks, count, best_blocked_probes(blocks * kBlockBits / count));
}

FileSizing sizing_of(const PolicyInfo& policy, const Settings& settings, const LevelSpec& spec, std::size_t max_bytes) {
  const std::size_t limit = std::min(limit_of(settings.max_filter_bytes), max_bytes);
  return {BlockSizing(spec, /*blocked_if_few=*/!policy.kind, kMaxPayloadBytes,
                      sst_tail_bytes(name_of(settings.key_transform).size())),
          limit, stamp_of(spec, limit)};
}

}  // namespace crivo::plugin
