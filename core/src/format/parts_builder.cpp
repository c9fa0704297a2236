// Building in parts: keys are divided as they come, and the parts are built one after the other.
#include <algorithm>
#include <bit>
#include <cmath>

#include "base/error_text.h"
#include "crivo/builder.h"
#include "crivo/host/hash_runs.h"
#include "crivo/parts.h"
#include "format/manifest.h"
#include "kinds/registry.h"

namespace crivo {
namespace {

constexpr std::size_t kMostWaiting = RecordRuns<std::uint64_t>::kMostBlockHashes;  // hashes of a part: 64 KiB

/// The capacity of a part, which gets its share of the keys, and some more: the numbers of keys scatter by the square
/// root of the share.
std::uint64_t share_of(std::uint64_t capacity, std::uint32_t parts) {
  if (capacity == 0 || parts == 1) return capacity;
  const double share = static_cast<double>(capacity) / parts;
  return std::min(capacity, static_cast<std::uint64_t>(std::ceil(share + 4 * std::sqrt(share))));
}

}  // namespace

class PartsBuilder::State {
 public:
  State(const FilterSpec& spec, std::uint32_t parts, BuildOptions options)
      : spec_(spec), options_(std::move(options)), waiting_(parts) {
    spec_.capacity = share_of(spec.capacity, parts);
    for (std::uint32_t i = 0; i < parts; ++i) runs_.emplace_back(options_.temp_folder);
    const std::uint64_t room = options_.max_memory / 4 / parts / sizeof(std::uint64_t);
    most_waiting_ = static_cast<std::size_t>(std::clamp<std::uint64_t>(room, 64, kMostWaiting));
  }

  [[nodiscard]] std::uint64_t seed() const noexcept { return spec_.seed; }
  [[nodiscard]] std::uint64_t keys() const noexcept { return keys_; }

  Result<void> add(std::span<const std::uint64_t> hashes) {
    const auto parts = static_cast<std::uint32_t>(waiting_.size());
    for (const std::uint64_t hash : hashes) {
      const std::uint32_t part = part_of(hash, parts);
      waiting_[part].push_back(hash);
      ++keys_;
      if (waiting_[part].size() < most_waiting_) continue;
      if (auto written = write(part); !written) return written;
    }
    return {};
  }

  Result<Manifest> finish(const std::string& path, BlobForm form) {
    const Result<PartsLock> lock = PartsLock::take(path);
    if (!lock) return lock.error();
    Manifest manifest{spec_.seed, {}};
    for (std::uint32_t part = 0; part < waiting_.size(); ++part) {
      const Result<AnyFilter> filter = build(part);
      if (!filter) return filter.error();
      Result<Part> written = write_part(filter->ref(), path, part, form);
      if (!written) return written.error();
      manifest.parts.push_back(*written);
    }
    if (auto written = write_manifest(path, manifest, *lock); !written) return written.error();
    return manifest;
  }

 private:
  Result<void> write(std::uint32_t part) {
    auto written = runs_[part].append(waiting_[part]);
    waiting_[part].clear();
    return written;
  }

  Result<AnyFilter> build(std::uint32_t part) {
    BuildOptions options = options_;
    if (options_.progress) {
      options.progress = [&](double done) {
        return options_.progress((part + done) / static_cast<double>(waiting_.size()));
      };
    }
    Result<FilterBuilder> builder = FilterBuilder::create(spec_, options);
    if (!builder) return builder.error();
    const auto add = [&](std::span<const std::uint64_t> hashes) { return builder->add_hashes(hashes); };
    if (auto added = runs_[part].for_each(add); !added) return added.error();
    if (auto added = add(waiting_[part]); !added) return added.error();
    runs_[part] = RecordRuns<std::uint64_t>(options_.temp_folder);  // and its file is gone
    waiting_[part] = {};
    return builder->finish();
  }

  FilterSpec spec_;  // of a part
  BuildOptions options_;
  std::vector<std::vector<std::uint64_t>> waiting_;  // for the file of their part
  std::vector<RecordRuns<std::uint64_t>> runs_;
  std::size_t most_waiting_;
  std::uint64_t keys_ = 0;
};

PartsBuilder::PartsBuilder(std::unique_ptr<State> state) noexcept : state_(std::move(state)) {}
PartsBuilder::PartsBuilder(PartsBuilder&&) noexcept = default;
PartsBuilder& PartsBuilder::operator=(PartsBuilder&&) noexcept = default;
PartsBuilder::~PartsBuilder() = default;

Result<PartsBuilder> PartsBuilder::create(const FilterSpec& spec, std::uint32_t parts, const BuildOptions& options) {
  if (!std::has_single_bit(parts) || parts > kMostAtOnce) {
    return bad_argument("parts must be a power of two, 1 to ", kMostAtOnce, ", got ", parts);
  }
  if (const KindRow* kind = find_kind(spec.kind); kind != nullptr) {
    if (auto valid = check_kind_of_parts(kind->info); !valid) return valid.error();
  }
  FilterSpec part = spec;
  part.capacity = share_of(spec.capacity, parts);
  if (auto builder = FilterBuilder::create(part, options); !builder) return builder.error();  // before any key is read
  return PartsBuilder(std::make_unique<State>(spec, parts, options));
}

Result<void> PartsBuilder::add(std::string_view key) {
  const std::uint64_t hash = hash_key(key, state_->seed());
  return state_->add({&hash, 1});
}
Result<void> PartsBuilder::add_hashes(std::span<const std::uint64_t> key_hashes) { return state_->add(key_hashes); }
std::uint64_t PartsBuilder::keys() const noexcept { return state_->keys(); }
Result<Manifest> PartsBuilder::finish(const std::string& path, BlobForm form) { return state_->finish(path, form); }

}  // namespace crivo
