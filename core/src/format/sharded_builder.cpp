// Distributes keys to shards as they arrive, and builds the shards one after the other.
#include "crivo/sharded_builder.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "base/error_text.h"
#include "crivo/builder.h"
#include "crivo/hash.h"
#include "crivo/host/hash_runs.h"
#include "crivo/shard_writer.h"
#include "format/manifest.h"
#include "kinds/registry.h"

namespace crivo {
namespace {

using Hashes = std::vector<std::uint64_t>;

/// The capacity of a shard: its share of the keys plus four standard deviations, but at most `capacity`.
std::uint64_t share_of(std::uint64_t capacity, std::uint32_t shards) {
  if (capacity == 0 || shards == 1) return capacity;
  const double share = static_cast<double>(capacity) / shards;
  return std::min(capacity, static_cast<std::uint64_t>(std::ceil(share + 4 * std::sqrt(share))));
}

/// The number of hashes of a shard that are buffered before they are written as a run.
std::size_t max_buffered(std::uint64_t max_memory, std::uint32_t shards) {
  constexpr std::uint64_t kMaxBytes = std::uint64_t{64} << 20;  // of all shards
  constexpr std::uint64_t kMin = 64;
  const std::uint64_t hashes = std::min(max_memory / 4, kMaxBytes) / shards / sizeof(std::uint64_t);
  return static_cast<std::size_t>(std::clamp<std::uint64_t>(hashes, kMin, HashRuns::kMaxBlockHashes));
}

}  // namespace

class ShardedBuilder::State {
 public:
  State(const FilterSpec& spec, std::uint32_t shards, const BuildOptions& options)
      : spec_(spec),
        options_(options),
        shards_(shards),
        max_buffered_(max_buffered(options.max_memory, shards)),
        file_(options.temp_folder) {
    spec_.capacity = share_of(spec.capacity, shards);
  }

  [[nodiscard]] std::uint64_t seed() const noexcept { return spec_.seed; }
  [[nodiscard]] std::uint64_t keys() const noexcept { return keys_; }

  Result<void> add(std::span<const std::uint64_t> hashes) {
    for (const std::uint64_t hash : hashes) {
      PendingShard& shard = shards_[shard_of(hash, shards())];
      shard.hashes.push_back(hash);
      ++keys_;
      if (shard.hashes.size() < max_buffered_) continue;
      if (auto written = file_.append(shard.hashes); !written) return written;
      shard.runs.push_back(file_.runs() - 1);
      shard.hashes.clear();
    }
    return {};
  }

  Result<Manifest> finish(const std::string& path, BlobForm form) {
    const Result<ShardsLock> lock = ShardsLock::acquire(path);
    if (!lock) return lock.error();
    Manifest manifest{spec_.seed, {}};
    for (std::uint32_t number = 0; number < shards(); ++number) {
      const Result<AnyFilter> filter = build(number);
      if (!filter) return filter.error();
      Result<Shard> written = write_shard(filter->ref(), path, number, form);
      if (!written) return written.error();
      manifest.shards.push_back(*written);
    }
    if (auto written = write_manifest(path, manifest, *lock); !written) return written.error();
    return manifest;
  }

 private:
  struct PendingShard {
    Hashes hashes;
    std::vector<std::size_t> runs;  // numbers of the runs in the file with this shard's hashes
  };

  [[nodiscard]] std::uint32_t shards() const noexcept { return static_cast<std::uint32_t>(shards_.size()); }

  Result<AnyFilter> build(std::uint32_t number) {
    BuildOptions options = options_;
    if (options_.progress) {
      options.progress = [&](double done) { return options_.progress((number + done) / shards()); };
    }
    Result<FilterBuilder> builder = FilterBuilder::create(spec_, options);
    if (!builder) return builder.error();
    const auto add = [&](std::span<const std::uint64_t> hashes) { return builder->add_hashes(hashes); };
    PendingShard& shard = shards_[number];
    for (const std::size_t run : shard.runs) {
      if (auto added = file_.for_each_in(run, add); !added) return added.error();
    }
    if (auto added = add(shard.hashes); !added) return added.error();
    shard = {};
    return builder->finish();
  }

  FilterSpec spec_;  // of a shard
  BuildOptions options_;
  std::vector<PendingShard> shards_;
  std::size_t max_buffered_;
  HashRuns file_;
  std::uint64_t keys_ = 0;
};

ShardedBuilder::ShardedBuilder(std::unique_ptr<State> state) noexcept : state_(std::move(state)) {}
ShardedBuilder::ShardedBuilder(ShardedBuilder&&) noexcept = default;
ShardedBuilder& ShardedBuilder::operator=(ShardedBuilder&&) noexcept = default;
ShardedBuilder::~ShardedBuilder() = default;

Result<ShardedBuilder> ShardedBuilder::create(const FilterSpec& spec, std::uint32_t shards,
                                              const BuildOptions& options) {
  if (auto valid = check_number_of_shards(shards); !valid) return valid.error();
  if (const KindRow* kind = find_kind(spec.kind); kind != nullptr) {
    if (auto valid = check_kind_of_shards(kind->info); !valid) return valid.error();
  }
  FilterSpec shard = spec;
  shard.capacity = share_of(spec.capacity, shards);
  if (auto builder = FilterBuilder::create(shard, options); !builder) return builder.error();  // before keys are read
  return ShardedBuilder(std::make_unique<State>(spec, shards, options));
}

Result<void> ShardedBuilder::add(std::string_view key) {
  const std::uint64_t hash = hash_key(key, state_->seed());
  return state_->add({&hash, 1});
}
Result<void> ShardedBuilder::add_hashes(std::span<const std::uint64_t> key_hashes) { return state_->add(key_hashes); }
std::uint64_t ShardedBuilder::keys() const noexcept { return state_->keys(); }
Result<Manifest> ShardedBuilder::finish(const std::string& path, BlobForm form) { return state_->finish(path, form); }

}  // namespace crivo
