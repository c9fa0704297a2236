// A level is built in two steps. Banding adds each key's row to a triangular system with one row per slot, by Gaussian
// elimination. A row that becomes zero before it finds a free slot contradicts the stored rows, unless its result is
// zero, too. If a row contradicts them, or finds no slot in the band, the bucket gets a higher threshold, and bumps the
// keys of lower starts. Buckets are filled from left to right, and each from its highest start to its lowest. So the
// bumped starts are those whose slots are occupied by rows of the bucket on the left. Back-substitution then solves
// slot after slot from right to left, all columns at once.
//
// Shards are runs of buckets, and are built from right to left. They bound the memory, and let several threads band a
// shard each. The first bucket of each shard but the leftmost bumps every start below a border. The slots up to the
// border belong to the shard on the left. Rows of the left shard may reach beyond the border, where the solution is
// known when the left shard is solved.
#include "kinds/ribbon/level.h"

#include <algorithm>
#include <array>

#include "base/math128.h"
#include "build/parallel.h"
#include "kinds/isa.h"
#include "kinds/ribbon/band.h"
#include "kinds/ribbon/kernels.h"

namespace crivo {
namespace {

/// A band of 790 KB, or 1 MB for a map. A border leaves about 19 slots empty.
constexpr std::uint64_t kShardStarts = std::uint64_t{1} << 16;
constexpr unsigned kBorderThreshold = 2;

/// A level's input and output, which its shards share. Banding a shard writes only its own thresholds, without a lock.
struct LevelBuild {
  RibbonLevelShape shape;
  unsigned columns;
  unsigned value_bits;
  std::uint64_t fingerprint_factor;
  std::byte* thresholds;
  std::byte* solution;

  [[nodiscard]] std::uint64_t bucket_of(std::uint64_t hash) const noexcept {
    return shape.bucket_of(mulhi(hash, shape.starts()));
  }
  [[nodiscard]] std::uint64_t first_start_of(std::uint64_t bucket) const noexcept {
    return bucket * ribbon_bucket_starts(shape.width);
  }
  /// The lowest hash of a bucket.
  [[nodiscard]] std::uint64_t first_hash_of(std::uint64_t bucket) const noexcept {
    return least_with_mulhi(first_start_of(bucket), shape.starts());
  }
};

/// Each column of the solution at the 64 leftmost solved slots, with a slot's bit at its number modulo 64.
using Window = std::array<std::uint64_t, kMaxMapColumns>;

RibbonBumped add_bucket(RibbonBand& band, const RibbonBucket& bucket) noexcept {
  return kernels_in_use<RibbonKernels>().ribbon_add_bucket(band, bucket);
}
RibbonBumped add_bucket(RecordBand<HashedValue>& band, const RecordBucket<HashedValue>& bucket) noexcept {
  return kernels_in_use<RibbonKernels>().map_add_bucket(band, bucket);
}

/// Solves the slots of a block (RibbonKernels::ribbon_solve).
void solve_block(const std::uint64_t* rows, const std::uint32_t* results, std::size_t slots, unsigned columns,
                 Window& window) noexcept {
  kernels_in_use<RibbonKernels>().ribbon_solve(rows, results, slots, columns, window.data());
}
/// The kernel solves at most 32 columns, so more columns of a map, up to 64, are solved in two parts.
void solve_block(const std::uint64_t* rows, const std::uint64_t* results, std::size_t slots, unsigned columns,
                 Window& window) noexcept {
  std::array<std::uint32_t, kRibbonBlockSlots> half;
  for (unsigned first = 0; first < columns; first += kMaxRibbonColumns) {
    for (std::size_t slot = 0; slot < slots; ++slot) half[slot] = static_cast<std::uint32_t>(results[slot] >> first);
    kernels_in_use<RibbonKernels>().ribbon_solve(rows, half.data(), slots, std::min(columns - first, kMaxRibbonColumns),
                                                 window.data() + first);
  }
}

/// A run of consecutive buckets, banded by one thread.
template <class Record>
class Shard {
 public:
  Shard(const LevelBuild& level, std::pmr::memory_resource* memory) : level_(level), band_(memory), bumped_(memory) {}

  /// Resets the shard to other buckets.
  void reset(std::uint64_t from, std::uint64_t to, std::span<const Record> hashes) noexcept {
    from_ = from;
    to_ = to;
    hashes_ = hashes;
  }
  [[nodiscard]] std::span<const Record> hashes() const noexcept { return hashes_; }
  [[nodiscard]] std::span<const Record> bumped() const noexcept { return bumped_; }

  void band() {
    bumped_.clear();
    const std::uint64_t border = level_.first_start_of(to_) + ribbon_kept_from(kBorderThreshold, level_.shape.width);
    band_.reset(level_.first_start_of(from_), is_last() ? level_.shape.slots() : border);
    std::size_t at = 0;
    for (std::uint64_t bucket = from_; bucket < to_; ++bucket) {
      const std::size_t end = end_of(bucket, at);
      const unsigned threshold = add(bucket, hashes_.subspan(at, end - at));
      if (!level_.shape.base) level_.thresholds[bucket / 4] |= static_cast<std::byte>(threshold << (2 * (bucket % 4)));
      at = end;
    }
  }

  /// On entry, `window` is the window of the shard on the right; on return, the window of this shard.
  void solve(Window& window) const noexcept {
    for (std::size_t end = band_.size(); end > 0;) {
      const std::size_t block = (end - 1) / kRibbonBlockSlots;
      const std::size_t first = block * kRibbonBlockSlots;
      solve_block(band_.rows() + first, band_.results() + first, end - first, level_.columns, window);
      write(band_.from() / kRibbonBlockSlots + block, window);
      end = first;
    }
  }

 private:
  /// The end of a bucket's keys, which begin at `at`. Advances by 16 keys first, then by single keys.
  [[nodiscard]] std::size_t end_of(std::uint64_t bucket, std::size_t at) const noexcept {
    for (const std::size_t step : {std::size_t{16}, std::size_t{1}}) {
      while (at + step <= hashes_.size() && level_.bucket_of(hash_of(hashes_[at + step - 1])) == bucket) at += step;
    }
    return at;
  }
  [[nodiscard]] bool is_last() const noexcept { return to_ == level_.shape.buckets(); }

  /// Adds a bucket's keys, and returns its threshold.
  unsigned add(std::uint64_t bucket, std::span<const Record> hashes) {
    const RecordBucket<Record> keys{
        .width = level_.shape.width,
        .first_start = level_.first_start_of(bucket),
        .hashes = hashes,
        .starts = level_.shape.starts(),
        .fingerprint_factor = level_.fingerprint_factor,
        .result_mask = static_cast<RecordResult<Record>>(UINT64_MAX >> (64 - level_.columns)),
        .value_bits = level_.value_bits,
        .threshold = bucket == from_ && from_ != 0 ? kBorderThreshold : 0};
    const RibbonBumped result = add_bucket(band_, keys);
    for (const Record& key : hashes.first(result.bumped)) bumped_.push_back(at_next_level(key));
    return result.threshold;
  }

  void write(std::uint64_t block, const Window& window) const noexcept {
    std::byte* words = level_.solution + 8 * level_.shape.words_before(block);
    const unsigned columns = level_.shape.columns_of(block);
    for (unsigned column = 0; column < columns; ++column) {
      if (level_.shape.width == kWideRibbon) {
        store_le(words + 8 * column, window[column]);
      } else {
        store_le(words + 4 * column, static_cast<std::uint32_t>(window[column]));
        store_le(words + 4 * (columns + column), static_cast<std::uint32_t>(window[column] >> 32));
      }
    }
  }

  const LevelBuild& level_;
  RecordBand<Record> band_;
  std::pmr::vector<Record> bumped_;
  std::uint64_t from_ = 0;
  std::uint64_t to_ = 0;
  std::span<const Record> hashes_;
};

/// Removes the keys of this bucket and of all later buckets from the end of `hashes`, and returns these keys.
template <class Record>
std::span<const Record> split_at(const LevelBuild& level, std::uint64_t bucket,
                                 std::span<const Record>& hashes) noexcept {
  const auto first = std::partition_point(hashes.begin(), hashes.end(),
                                          [&](const Record& key) { return level.bucket_of(hash_of(key)) < bucket; });
  const auto taken = hashes.subspan(static_cast<std::size_t>(first - hashes.begin()));
  hashes = hashes.first(hashes.size() - taken.size());
  return taken;
}

}  // namespace

template <class Record>
Result<void> build_ribbon_level(const RibbonLevelShape& shape, unsigned columns, const RibbonKeys<Record>& keys,
                                std::byte* at, RecordCollector<Record>& bumped, RibbonProgress& progress) {
  store_le(at, shape.blocks);
  std::byte* thresholds = at + 8;
  const LevelBuild level{
      shape, columns, keys.value_bits, keys.fingerprint_factor, thresholds, thresholds + 8 * shape.threshold_words()};
  const std::uint64_t buckets_each = shape.base ? shape.buckets() : kShardStarts / ribbon_bucket_starts(shape.width);
  const std::uint64_t count = (shape.buckets() + buckets_each - 1) / buckets_each;
  BuildTask& task = progress.task();
  std::pmr::vector<Shard<Record>> shards(task.memory());
  shards.reserve(std::min<std::size_t>(task.threads(), count));
  while (shards.size() < shards.capacity()) shards.emplace_back(level, task.memory());

  Window window{};
  for (std::uint64_t next = count; next > 0;) {
    const std::span<Shard<Record>> wave = std::span(shards).first(std::min<std::size_t>(shards.size(), next));
    const auto taken = keys.hashes.take_from(level.first_hash_of((next - wave.size()) * buckets_each));
    if (!taken) return taken.error();
    std::span<const Record> left = *taken;
    for (Shard<Record>& shard : wave) {
      const std::uint64_t from = --next * buckets_each;
      shard.reset(from, std::min(shape.buckets(), from + buckets_each), split_at(level, from, left));
    }
    parallel_for(task.threads(), wave.size(), [&](std::size_t i) { wave[i].band(); });
    std::size_t done = 0;
    for (Shard<Record>& shard : wave) {
      shard.solve(window);
      if (auto added = bumped.add(shard.bumped()); !added) return added;
      done += shard.hashes().size();
    }
    if (auto wanted = progress.add(done); !wanted) return wanted;
  }
  return {};
}

template Result<void> build_ribbon_level(const RibbonLevelShape&, unsigned, const RibbonKeys<std::uint64_t>&,
                                         std::byte*, HashCollector&, RibbonProgress&);
template Result<void> build_ribbon_level(const RibbonLevelShape&, unsigned, const RibbonKeys<HashedValue>&, std::byte*,
                                         RecordCollector<HashedValue>&, RibbonProgress&);

}  // namespace crivo
