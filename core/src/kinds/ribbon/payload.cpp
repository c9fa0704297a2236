#include "kinds/ribbon/payload.h"

#include <algorithm>

#include "base/error_text.h"
#include "crivo/host/bytes.h"
#include "kinds/ribbon/layout.h"
#include "kinds/ribbon/sizes.h"

namespace crivo {
namespace {

constexpr std::uint64_t kBucketsPerWord = 32;  // of thresholds

/// The sum of the 32 two-bit numbers in a word.
std::uint64_t sum_of_pairs(std::uint64_t word) noexcept {
  const std::uint64_t fours = (word & 0x3333333333333333) + (word >> 2 & 0x3333333333333333);
  const std::uint64_t bytes = (fours & 0x0F0F0F0F0F0F0F0F) + (fours >> 4 & 0x0F0F0F0F0F0F0F0F);
  return bytes * 0x0101010101010101 >> 56;
}

/// The number of starts that are kept (not bumped) in 32 buckets with these thresholds.
std::uint64_t kept_starts(std::uint64_t thresholds, unsigned width) noexcept {
  static_assert(kRibbonKeptFrom[0] == 0 && kRibbonKeptFrom[2] == 2 * kRibbonKeptFrom[1]);
  const unsigned step = ribbon_kept_from(1, width);
  const std::uint64_t threes = thresholds & thresholds >> 1 & 0x5555555555555555;
  const std::uint64_t bumped =
      step * sum_of_pairs(thresholds) + (ribbon_kept_from(3, width) - 3 * step) * sum_of_pairs(threes);
  return kBucketsPerWord * ribbon_bucket_starts(width) - bumped;
}

/// The number of a level's starts before `end` that are kept. Processes whole words of thresholds, because a small blob
/// can decode to billions of buckets.
std::uint64_t kept_before(const RibbonAccess& level, std::uint64_t end) noexcept {
  std::uint64_t kept = 0;
  const unsigned bucket_starts = ribbon_bucket_starts(level.width);
  const std::uint64_t words = end / (kBucketsPerWord * bucket_starts);
  for (std::uint64_t word = 0; word < words; ++word) {
    kept += kept_starts(load_le<std::uint64_t>(level.thresholds + 8 * word), level.width);
  }
  for (std::uint64_t bucket = words * kBucketsPerWord; bucket * bucket_starts < end; ++bucket) {
    const std::uint64_t first = bucket * bucket_starts;
    const std::uint64_t bucket_end = std::min(first + bucket_starts, end);
    kept += bucket_end - std::min(first + level.kept_from(bucket), bucket_end);
  }
  return kept;
}

/// The shares of a level's starts that are kept, in lean and in rich blocks.
struct KeptStarts {
  double lean;
  double rich;

  explicit KeptStarts(const RibbonLevelView& view) noexcept {
    if (view.level.base) {
      lean = view.level.lean_share();
      rich = 1 - lean;
      return;
    }
    const std::uint64_t starts = view.level.starts();
    const std::uint64_t in_lean = kept_before(view.access, view.level.lean_starts());
    lean = static_cast<double>(in_lean) / static_cast<double>(starts);
    rich = static_cast<double>(kept_before(view.access, starts) - in_lean) / static_cast<double>(starts);
  }
};

/// Validates the level at `at`, which must end at `end` or before, and moves `at` past the level. Errors: kCorrupt.
Result<void> check_level(const std::byte*& at, const std::byte* end, const RibbonForm& form, bool base) {
  const auto words = static_cast<std::uint64_t>(end - at) / 8;
  const std::uint64_t blocks = words == 0 ? 0 : load_le<std::uint64_t>(at);
  if (blocks < kMinRibbonBlocks || blocks > kMaxRibbonBlocks) {
    return corrupt("blocks of a level must be in [", kMinRibbonBlocks, ", ", kMaxRibbonBlocks, "], got ", blocks);
  }
  const RibbonLevelShape level(blocks, form, base);
  if (level.words() > words) return corrupt("blocks of a level must fit in the ", words, " words left, got ", blocks);
  const unsigned used = static_cast<unsigned>(level.buckets() % 32);
  if (!base && used != 0) {
    const auto last = load_le<std::uint64_t>(at + 8 * level.threshold_words());
    if (last >> (2 * used) != 0) return corrupt("padding of the thresholds must be 0");
  }
  at += 8 * level.words();
  return {};
}

}  // namespace

Result<std::uint64_t> ribbon_payload_bytes(const Shape& shape) {
  if (shape.units >= 1 && shape.units <= kMaxRibbonUnits) return shape.units * 8;
  return corrupt("number of words must be in [1, ", kMaxRibbonUnits, "], got ", shape.units);
}

Result<void> validate_ribbon(const View& view) {
  const RibbonHeader header(load_le<std::uint64_t>(view.payload));
  if (header.levels == 0) {
    if (count_bits({view.payload, view.payload_bytes}) == 0) return {};
    return corrupt("payload without levels must be all zeros, got nonzero words");
  }
  if (header.levels > kMaxRibbonLevels) {
    return corrupt("levels must be at most ", kMaxRibbonLevels, ", got ", header.levels);
  }
  if (header.base_seed > kMaxRibbonSeed) {
    return corrupt("base seed must be at most ", kMaxRibbonSeed, ", got ", header.base_seed);
  }
  if (header.keys < 1 || header.keys > kMaxCapacity) {
    return corrupt("distinct keys must be in [1, ", kMaxCapacity, "], got ", header.keys);
  }
  const RibbonForm form(view.shape);
  const std::byte* at = view.payload + 8;
  const std::byte* end = view.payload + view.payload_bytes;
  for (unsigned left = header.levels; left > 0; --left) {
    if (auto valid = check_level(at, end, form, left == 1); !valid) return valid;
  }
  if (at != end) {
    return corrupt("levels must fill the payload, got ", static_cast<std::uint64_t>(end - at), " bytes more");
  }
  return {};
}

// Admits the reads of validate_ribbon(), and stops where validate_ribbon() will report an error. Freezes word 0 and the
// number of blocks of each level, which determine where queries read.
bool admit_ribbon_open(const View& view, ByteGate& gate) {
  if (!gate.freeze(0, 8)) return false;
  const RibbonHeader header(load_le<std::uint64_t>(view.payload));
  if (header.levels == 0) return gate.admit(0, view.payload_bytes);
  if (header.levels > kMaxRibbonLevels) return true;
  const RibbonForm form(view.shape);
  std::uint64_t word = 1;
  for (unsigned left = header.levels; left > 0 && word < view.shape.units; --left) {
    if (!gate.freeze(8 * word, 8)) return false;
    const auto blocks = load_le<std::uint64_t>(view.payload + 8 * word);
    if (blocks < kMinRibbonBlocks || blocks > kMaxRibbonBlocks) return true;
    const RibbonLevelShape level(blocks, form, left == 1);
    if (level.words() > view.shape.units - word) return true;
    if (!gate.admit(8 * (word + level.threshold_words()), 8)) return false;
    word += level.words();
  }
  return true;
}

// Admits what a query of this hash reads. A batch kernel reads a key's equation at the first level even if that level
// bumped the key.
bool admit_ribbon_query(const View& view, std::uint64_t hash, ByteGate& gate) {
  const auto offset_of = [&view](const std::byte* at) { return static_cast<std::uint64_t>(at - view.payload); };
  const auto admit_equation = [&](const RibbonAccess& level, std::uint64_t start) {
    const RibbonEquation equation = level.equation(start, hash, hash);
    const std::uint64_t bytes = 2 * equation.columns * (level.width / 8);
    return bytes == 0 || gate.admit(offset_of(equation.words), bytes);  // a block without columns lets all keys pass
  };
  const RibbonHeader header(load_le<std::uint64_t>(view.payload));
  if (header.levels == 0) return true;
  const RibbonForm form(view.shape);
  const std::byte* at = view.payload + 8;
  std::uint64_t level_hash = hash;
  for (unsigned left = header.levels; left > 1; --left) {
    const RibbonLevelView level(at, form, false);
    const std::uint64_t start = level.access.start_of(level_hash);
    if (!gate.admit(offset_of(level.access.thresholds) + level.level.bucket_of(start) / 4, 1)) return false;
    const bool bumped = level.access.bumped(start);
    if ((!bumped || left == header.levels) && !admit_equation(level.access, start)) return false;
    if (!bumped) return true;
    level_hash *= kRibbonNextLevel;
    at = level.end();
  }
  for (unsigned i = 0; i < header.base_seed; ++i) level_hash *= kRibbonNextLevel;
  const RibbonLevelView base(at, form, true);
  return admit_equation(base.access, base.access.start_of(level_hash));
}

double rate_of_ribbon(const View& view) noexcept {
  const RibbonForm form(view.shape);
  const std::byte* at = view.payload + 8;
  double rate = 0;
  double reached = 1;  // the share of hashes that all earlier levels bumped
  for (unsigned left = RibbonHeader(load_le<std::uint64_t>(view.payload)).levels; left > 0; --left) {
    const RibbonLevelView level(at, form, left == 1);
    const KeptStarts kept(level);
    rate += reached * (ribbon_level_rate(form.lean, 1) * kept.lean + ribbon_level_rate(form.lean, 0) * kept.rich);
    reached *= std::max(0.0, 1 - kept.lean - kept.rich);  // rounding may make the sum exceed 1
    at = level.end();
  }
  return std::min(rate, 1.0);
}

}  // namespace crivo
