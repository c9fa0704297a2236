// Building in shards: keys are divided as they come, and the shards are built one after the other.
#include <algorithm>
#include <bit>
#include <cmath>

#include "base/error_text.h"
#include "crivo/builder.h"
#include "crivo/host/hash_runs.h"
#include "crivo/shards.h"
#include "format/manifest.h"
#include "kinds/registry.h"

namespace crivo {
namespace {

constexpr std::size_t kMostWaiting = RecordRuns<std::uint64_t>::kMostBlockHashes;  // hashes of a shard: 64 KiB

/// The capacity of a shard, which gets its share of the keys, and some more: the numbers of keys scatter by the square
/// root of the share.
std::uint64_t share_of(std::uint64_t capacity, std::uint32_t shards) {
  if (capacity == 0 || shards == 1) return capacity;
  const double share = static_cast<double>(capacity) / shards;
  return std::min(capacity, static_cast<std::uint64_t>(std::ceil(share + 4 * std::sqrt(share))));
}

}  // namespace

class ShardedBuilder::State {
 public:
  State(const FilterSpec& spec, std::uint32_t shards, BuildOptions options)
      : spec_(spec), options_(std::move(options)), waiting_(shards) {
    spec_.capacity = share_of(spec.capacity, shards);
    for (std::uint32_t i = 0; i < shards; ++i) runs_.emplace_back(options_.temp_folder);
    const std::uint64_t room = options_.max_memory / 4 / shards / sizeof(std::uint64_t);
    most_waiting_ = static_cast<std::size_t>(std::clamp<std::uint64_t>(room, 64, kMostWaiting));
  }

  [[nodiscard]] std::uint64_t seed() const noexcept { return spec_.seed; }
  [[nodiscard]] std::uint64_t keys() const noexcept { return keys_; }

  Result<void> add(std::span<const std::uint64_t> hashes) {
    const auto shards = static_cast<std::uint32_t>(waiting_.size());
    for (const std::uint64_t hash : hashes) {
      const std::uint32_t shard = shard_of(hash, shards);
      waiting_[shard].push_back(hash);
      ++keys_;
      if (waiting_[shard].size() < most_waiting_) continue;
      if (auto written = write(shard); !written) return written;
    }
    return {};
  }

  Result<Manifest> finish(const std::string& path, BlobForm form) {
    const Result<ShardsLock> lock = ShardsLock::take(path);
    if (!lock) return lock.error();
    Manifest manifest{spec_.seed, {}};
    for (std::uint32_t shard = 0; shard < waiting_.size(); ++shard) {
      const Result<AnyFilter> filter = build(shard);
      if (!filter) return filter.error();
      Result<Shard> written = write_shard(filter->ref(), path, shard, form);
      if (!written) return written.error();
      manifest.shards.push_back(*written);
    }
    if (auto written = write_manifest(path, manifest, *lock); !written) return written.error();
    return manifest;
  }

 private:
  Result<void> write(std::uint32_t shard) {
    auto written = runs_[shard].append(waiting_[shard]);
    waiting_[shard].clear();
    return written;
  }

  Result<AnyFilter> build(std::uint32_t shard) {
    BuildOptions options = options_;
    if (options_.progress) {
      options.progress = [&](double done) {
        return options_.progress((shard + done) / static_cast<double>(waiting_.size()));
      };
    }
    Result<FilterBuilder> builder = FilterBuilder::create(spec_, options);
    if (!builder) return builder.error();
    const auto add = [&](std::span<const std::uint64_t> hashes) { return builder->add_hashes(hashes); };
    if (auto added = runs_[shard].for_each(add); !added) return added.error();
    if (auto added = add(waiting_[shard]); !added) return added.error();
    runs_[shard] = RecordRuns<std::uint64_t>(options_.temp_folder);  // and its file is gone
    waiting_[shard] = {};
    return builder->finish();
  }

  FilterSpec spec_;  // of a shard
  BuildOptions options_;
  std::vector<std::vector<std::uint64_t>> waiting_;  // for the file of their shard
  std::vector<RecordRuns<std::uint64_t>> runs_;
  std::size_t most_waiting_;
  std::uint64_t keys_ = 0;
};

ShardedBuilder::ShardedBuilder(std::unique_ptr<State> state) noexcept : state_(std::move(state)) {}
ShardedBuilder::ShardedBuilder(ShardedBuilder&&) noexcept = default;
ShardedBuilder& ShardedBuilder::operator=(ShardedBuilder&&) noexcept = default;
ShardedBuilder::~ShardedBuilder() = default;

Result<ShardedBuilder> ShardedBuilder::create(const FilterSpec& spec, std::uint32_t shards,
                                              const BuildOptions& options) {
  if (!std::has_single_bit(shards) || shards > kMostAtOnce) {
    return bad_argument("shards must be a power of two, 1 to ", kMostAtOnce, ", got ", shards);
  }
  if (const KindRow* kind = find_kind(spec.kind); kind != nullptr) {
    if (auto valid = check_kind_of_shards(kind->info); !valid) return valid.error();
  }
  FilterSpec shard = spec;
  shard.capacity = share_of(spec.capacity, shards);
  if (auto builder = FilterBuilder::create(shard, options); !builder) return builder.error();  // before any key is read
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
