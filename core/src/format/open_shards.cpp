#include "format/open_shards.h"

#include <sys/resource.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/error_text.h"
#include "format/manifest.h"

namespace crivo {
namespace {

/// How many files this process may have open.
std::size_t descriptors() noexcept {
  rlimit limit{};
  return ::getrlimit(RLIMIT_NOFILE, &limit) == 0 ? static_cast<std::size_t>(std::min<rlim_t>(limit.rlim_cur, 1U << 30))
                                                 : 256;
}

}  // namespace

Result<std::unique_ptr<FilterFile>> open_shard(const std::string& manifest_path, const Manifest& manifest,
                                               std::uint32_t number, const ReadLimits& limits, bool file_may_change) {
  Result<std::unique_ptr<MappedFile>> mapped =
      MappedFile::open(shard_path(manifest_path, number, manifest.shards[number]), file_may_change);
  if (!mapped) return mapped.error();
  Result<std::unique_ptr<FilterFile>> file = FilterFile::open(*std::move(mapped), {}, limits);
  if (!file) return file.error();
  const FilterRef& ref = (*file)->ref();
  const auto valid = check_shard(manifest, number, ref.shape(), ref.kind(), (*file)->blob_bytes(), (*file)->checksum());
  if (!valid) return valid.error();
  return file;
}

Result<AnyFilter> read_shard(const std::string& manifest_path, const Manifest& manifest, std::uint32_t number,
                             const ReadLimits& limits) {
  const auto read = [&]() -> Result<AnyFilter> {
    const auto file = open_shard(manifest_path, manifest, number, limits, true);
    if (!file) return file.error();
    const std::uint64_t bytes = (*file)->ref().payload().size();
    if (bytes > limits.max_bytes) {
      return limit_error(ErrorCode::kTooLarge, bytes, "raw payload bytes must be at most the limit of ",
                         limits.max_bytes, ", got ", bytes);
    }
    std::optional<AnyFilter> copy;
    const auto take = [&](const FilterRef& ref) { copy = AnyFilter::copy_of(ref, limits.max_bytes); };
    if (auto looked = (*file)->look_at_whole(take); !looked) return looked.error();
    return *std::move(copy);
  };
  Result<AnyFilter> shard = read();
  return shard ? std::move(shard) : in_shard(shard.error(), manifest_path, number);
}

OpenShards::OpenShards(std::string path, Manifest manifest, const ReadLimits& limits, bool file_may_change,
                       std::size_t max_open_shards)
    : path_(std::move(path)),
      limits_(limits),
      file_may_change_(file_may_change),
      max_open_shards_(std::min(max_open_shards, descriptors() / 4)),
      shape_(shape_of_shards(manifest)),
      facts_(manifest.facts()),
      bytes_(manifest.bytes()),
      manifest_(std::move(manifest)),
      slots_(manifest_.shards.size()) {}

// A shard that was replaced is no longer there under its old name. So the manifest is read once more: it names another.
Result<OpenShards::File> OpenShards::open(std::uint32_t number) {
  const std::lock_guard lock(mutex_);
  Slot& slot = slots_[number];
  slot.used = ++asked_;
  if (slot.file != nullptr) return slot.file;
  Result<File> file = open_one(number);
  for (int again = 0; !file && file.error().code == ErrorCode::kSystem && again < 3; ++again) {
    const std::uint64_t named = manifest_.shards[number].checksum;
    if (auto read = read_again(); !read) return read.error();
    if (manifest_.shards[number].checksum == named) break;
    file = open_one(number);
  }
  if (!file) return in_shard(file.error(), path_, number);
  close_others(number);
  slot.file = *file;
  ++open_;
  return file;
}

Result<OpenShards::File> OpenShards::open_one(std::uint32_t number) const {
  auto file = open_shard(path_, manifest_, number, limits_, file_may_change_);
  if (!file) return file.error();
  return File(*std::move(file));
}

Result<void> OpenShards::read_again() {
  Result<Manifest> manifest = read_manifest(path_);
  if (!manifest) return manifest.error();
  if (manifest->seed != shape_.seed || manifest->shards.size() != shape_.units) {
    return corrupt("manifest must have the seed and the number of shards with which it was opened, got others: ", path_,
                   " was replaced; open it again");
  }
  manifest_ = *std::move(manifest);
  return {};
}

void OpenShards::close_others(std::uint32_t number) {
  const std::size_t most = std::max<std::size_t>(1, max_open_shards_);
  while (open_ >= most) {
    Slot* oldest = nullptr;
    for (std::uint32_t i = 0; i < slots_.size(); ++i) {
      if (i == number || slots_[i].file == nullptr) continue;
      if (oldest == nullptr || slots_[i].used < oldest->used) oldest = &slots_[i];
    }
    if (oldest == nullptr) return;
    oldest->file.reset();  // those who ask it now keep it until they have their answer
    --open_;
  }
}

template <class Answer, class Ask>
Result<Answer> OpenShards::ask(std::uint64_t hash, const Ask& ask_shard) {
  const std::uint32_t number = shard_of(hash, static_cast<std::uint32_t>(shape_.units));
  const Result<File> file = open(number);
  if (!file) return file.error();
  Result<Answer> answer = ask_shard(**file);
  if (answer.has_value() || answer.error().code == ErrorCode::kUnsupported) return answer;
  return in_shard(answer.error(), path_, number);
}

Result<bool> OpenShards::may_contain_hash(std::uint64_t hash) {
  return ask<bool>(hash, [&](FilterFile& shard) { return shard.may_contain_hash(hash); });
}

Result<std::uint64_t> OpenShards::count_hash(std::uint64_t hash) {
  return ask<std::uint64_t>(hash, [&](FilterFile& shard) { return shard.count_hash(hash); });
}

// Shard by shard, so that each is opened once, and its pages are asked together.
Result<void> OpenShards::may_contain_hashes(std::span<const std::uint64_t> hashes, std::span<bool> hits) {
  const auto shards = static_cast<std::uint32_t>(shape_.units);
  const HashesByShard sorted(hashes, shards);
  const auto found = std::make_unique<bool[]>(hashes.size());
  for (std::uint32_t shard = 0; shard < shards; ++shard) {
    const std::span<const std::uint64_t> of_shard = sorted.of(shard);
    if (of_shard.empty()) continue;
    const Result<File> file = open(shard);
    if (!file) return file.error();
    const auto asked = (*file)->may_contain_hashes(of_shard, {found.get() + sorted.begin(shard), of_shard.size()});
    if (!asked) return in_shard(asked.error(), path_, shard);
  }
  for (std::size_t i = 0; i < hashes.size(); ++i) hits[sorted.places()[i]] = found[i];
  return {};
}

Result<void> OpenShards::verify() {
  std::optional<Error> first;
  std::string others;
  for (std::uint32_t shard = 0; shard < shape_.units; ++shard) {
    const Result<File> file = open(shard);
    Result<void> verified = file ? (*file)->look_at_whole([](const FilterRef&) {}) : file.error();
    if (verified) continue;
    if (first) {
      others += (others.empty() ? "; also shard " : ", ") + std::to_string(shard);
    } else {
      first = file ? in_shard(verified.error(), path_, shard) : verified.error();
    }
  }
  if (!first) return {};
  first->message += others;
  return *first;
}

}  // namespace crivo
