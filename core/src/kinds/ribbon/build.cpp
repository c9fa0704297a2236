// Builds a ribbon's levels in order. Each level gets the keys that the previous level bumped, until few enough remain
// for the base level. If the base has no solution, other seeds are tried, then more blocks.
#include "kinds/ribbon/build.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/error_text.h"
#include "build/hash_collector.h"
#include "kinds/checks.h"
#include "kinds/ribbon/level.h"
#include "kinds/ribbon/sizes.h"

namespace crivo {
namespace {

constexpr unsigned kSeedsPerSize = 16;  // seeds tried before the base gets more blocks

/// The multiplicative inverse of an odd number modulo 2^64, by Newton's method. An odd number is its own inverse in the
/// lowest 3 bits, and each step doubles the number of correct bits.
constexpr std::uint64_t inverse(std::uint64_t odd) noexcept {
  std::uint64_t result = odd;
  for (int i = 0; i < 5; ++i) result *= 2 - odd * result;
  return result;
}
constexpr std::uint64_t kPreviousLevel = inverse(kRibbonNextLevel);
static_assert(kPreviousLevel * kRibbonNextLevel == 1);

template <class Record>
class RibbonBuilder {
 public:
  RibbonBuilder(const RibbonForm& form, unsigned value_bits, std::uint64_t keys, AlignedBytes payload, BuildTask& task)
      : form_(form),
        value_bits_(value_bits),
        all_keys_(keys),
        task_(task),
        progress_(task, keys),
        payload_(std::move(payload)),
        begin_(payload_.size()) {
    payload_.reserve(begin_ + static_cast<std::size_t>(8 * ribbon_words(keys, form)));
    payload_.resize(begin_ + 8);
  }

  Result<AlignedBytes> build(std::unique_ptr<RecordSource<Record>> hashes) && {
    std::uint64_t fingerprint_factor = kRibbonFingerprint;
    while (hashes->size() > ribbon_base_keys(form_.width) && levels_ + 1 < kMaxRibbonLevels) {
      const RibbonLevelShape level(ribbon_level_blocks(hashes->size()), form_, false);
      RecordCollector<Record> bumped(ribbon_keys_after(hashes->size(), level), task_);
      if (auto built = append(level, {*hashes, fingerprint_factor, value_bits_}, bumped); !built) return built.error();
      auto left = std::move(bumped).sorted();
      if (!left) return left.error();
      hashes = *std::move(left);
      fingerprint_factor *= kPreviousLevel;
    }
    if (auto built = append_base(*hashes, fingerprint_factor); !built) return built.error();
    store_le(payload_.data() + begin_, RibbonHeader::word(levels_, base_seed_, all_keys_));
    return std::move(payload_);
  }

 private:
  Result<void> append(const RibbonLevelShape& level, const RibbonKeys<Record>& keys, RecordCollector<Record>& bumped) {
    const std::size_t at = payload_.size();
    payload_.resize(at + static_cast<std::size_t>(8 * level.words()));
    ++levels_;
    return build_ribbon_level(level, form_.most(), keys, payload_.data() + at, bumped, progress_);
  }

  Result<void> append_base(RecordSource<Record>& left, std::uint64_t left_factor) {
    const std::size_t at = payload_.size();
    const auto keys = left.take_from(0);
    if (!keys) return keys.error();
    const std::uint64_t most_blocks = 4 * ribbon_base_blocks(keys->size(), form_.width);
    for (std::uint64_t blocks = ribbon_base_blocks(keys->size(), form_.width); blocks <= most_blocks;
         blocks += 1 + blocks / 32) {
      std::pmr::vector<Record> hashes(keys->begin(), keys->end(), task_.memory());
      std::uint64_t fingerprint_factor = left_factor;
      for (base_seed_ = 0; base_seed_ < kSeedsPerSize; ++base_seed_) {
        RecordCollector<Record> bumped(0, task_);
        const auto source = source_of(std::span<const Record>(hashes), task_);
        if (!source) return source.error();
        const RibbonLevelShape level(blocks, form_, true);
        if (auto built = append(level, {**source, fingerprint_factor, value_bits_}, bumped); !built) return built;
        if (bumped.empty()) return {};
        std::fill(payload_.begin() + static_cast<std::ptrdiff_t>(at), payload_.end(), std::byte{0});
        payload_.resize(at);
        --levels_;
        for (Record& key : hashes) key = at_next_level(key);
        fingerprint_factor *= kPreviousLevel;
      }
    }
    return bad_argument("hashes must be random, as hash_key returns them, got a set for which no ribbon exists");
  }

  RibbonForm form_;
  unsigned value_bits_;
  std::uint64_t all_keys_;
  BuildTask& task_;
  RibbonProgress progress_;
  AlignedBytes payload_;
  std::size_t begin_;  // in payload_
  unsigned levels_ = 0;
  unsigned base_seed_ = 0;
};

}  // namespace

Result<AlignedBytes> build_ribbon(RibbonForm& form, std::unique_ptr<HashSource> hashes, std::uint64_t max_bytes,
                                  AlignedBytes payload, BuildTask& task) {
  const std::uint64_t keys = hashes->size();
  form = ribbon_form_for(keys, form);
  const std::uint64_t planned = payload.size() + 8 * ribbon_words(keys, form);
  if (planned > max_bytes) return keys_too_large(max_bytes, keys, planned);
  return RibbonBuilder<std::uint64_t>(form, 0, keys, std::move(payload), task).build(std::move(hashes));
}

Result<AlignedBytes> build_map(const RibbonForm& form, unsigned value_bits,
                               std::unique_ptr<RecordSource<HashedValue>> keys, std::uint64_t max_bytes,
                               AlignedBytes payload, BuildTask& task) {
  const std::uint64_t count = keys->size();
  const std::uint64_t planned = payload.size() + 8 * ribbon_words(count, form);
  if (planned > max_bytes) return keys_too_large(max_bytes, count, planned);
  return RibbonBuilder<HashedValue>(form, value_bits, count, std::move(payload), task).build(std::move(keys));
}

}  // namespace crivo
