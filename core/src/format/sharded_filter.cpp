// Reads sharded filters: the manifest, and the files of the shards that are queried.
#include "crivo/sharded_filter.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "base/error_text.h"
#include "crivo/host/owned_fd.h"
#include "crivo/host/replace_file.h"
#include "format/manifest.h"

namespace crivo {
namespace {

namespace fs = std::filesystem;

constexpr KindInfo kShardedKind{.kind = Kind::kSharded, .name = "sharded", .option = {}, .alias = {}, .can = {}};

/// The first bytes of a manifest, at most `most`. With O_NONBLOCK, opening a pipe does not wait for a writer.
Result<std::vector<std::byte>> read_start(const std::string& path, std::size_t most) {
  const OwnedFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status {};
  if (fd.get() < 0 || ::fstat(fd.get(), &status) != 0) {
    return system_error(errno, "manifest must be readable", ", got ", path);
  }
  if (!S_ISREG(status.st_mode)) return bad_argument("manifest must be a file, got ", path);
  std::vector<std::byte> bytes(std::min<std::size_t>(static_cast<std::size_t>(status.st_size), most));
  std::size_t used = 0;
  while (used < bytes.size()) {
    const ssize_t got = ::read(fd.get(), bytes.data() + used, bytes.size() - used);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return system_error(errno, "manifest must be readable", ", got ", path);
    if (got == 0) break;
    used += static_cast<std::size_t>(got);
  }
  bytes.resize(used);
  return bytes;
}

/// The maximum number of open descriptors of this process.
std::size_t descriptors() noexcept {
  rlimit limit{};
  return ::getrlimit(RLIMIT_NOFILE, &limit) == 0 ? static_cast<std::size_t>(std::min<rlim_t>(limit.rlim_cur, 1U << 30))
                                                 : 256;
}

/// A shard's error as an error of the filter: names the shard, and changes every code but kTooLarge to kCorrupt.
Error in_shard(const Error& error, const std::string& manifest_path, std::uint32_t number) {
  Error named = error;
  named.code = error.code == ErrorCode::kTooLarge ? error.code : ErrorCode::kCorrupt;
  named.message = "shard " + std::to_string(number) + " of " + manifest_path + ": " + error.message;
  return named;
}

/// Opens a shard's file, and compares it with the manifest. Errors: as MappedFilter::open; kCorrupt; kUnsupported.
Result<MappedFilter> open_shard(const std::string& manifest_path, const Manifest& manifest, std::uint32_t number,
                                const MapOptions& options) {
  Result<MappedFilter> file = MappedFilter::open(shard_path(manifest_path, manifest, number), options);
  if (!file) return file;
  if (auto valid = check_kind_of_shards(file->kind()); !valid) return valid.error();
  if (file->shape().seed != manifest.seed) {
    return corrupt("seed must be the manifest's ", manifest.seed, ", got ", file->shape().seed);
  }
  const Shard& named = manifest.shards[number];
  if (file->blob_bytes() == named.bytes && file->checksum() == named.checksum) return file;
  return corrupt("shard must match its manifest, got another checksum or size");
}

/// Hashes sorted by shard, so that each shard is queried once.
class HashesByShard {
 public:
  HashesByShard(std::span<const std::uint64_t> hashes, std::uint32_t shards)
      : begins_(shards + std::size_t{1}), sorted_(hashes.size()), places_(hashes.size()) {
    for (const std::uint64_t hash : hashes) ++begins_[shard_of(hash, shards) + std::size_t{1}];
    for (std::size_t shard = 1; shard < begins_.size(); ++shard) begins_[shard] += begins_[shard - 1];
    std::vector<std::size_t> next(begins_.begin(), begins_.end() - 1);
    for (std::size_t i = 0; i < hashes.size(); ++i) {
      const std::size_t at = next[shard_of(hashes[i], shards)]++;
      sorted_[at] = hashes[i];
      places_[at] = i;
    }
  }
  [[nodiscard]] std::span<const std::uint64_t> of(std::uint32_t shard) const noexcept {
    return std::span(sorted_).subspan(begins_[shard], begins_[shard + std::size_t{1}] - begins_[shard]);
  }
  /// The index of a shard's first hash in the sorted order.
  [[nodiscard]] std::size_t begin(std::uint32_t shard) const noexcept { return begins_[shard]; }
  /// For each hash in the sorted order, its index in the caller's order.
  [[nodiscard]] std::span<const std::size_t> places() const noexcept { return places_; }

 private:
  std::vector<std::size_t> begins_;
  std::vector<std::uint64_t> sorted_;
  std::vector<std::size_t> places_;
};

}  // namespace

Result<Manifest> read_manifest(const std::string& path) {
  const auto blob = read_start(path, kBlobHeaderBytes + kShardBytes * kMaxShards + 1);
  if (!blob) return blob.error();
  return Manifest::parse(*blob);
}

std::string shards_folder(const std::string& manifest_path) { return replaced_path(manifest_path) + ".shards"; }

std::string shard_path(const std::string& manifest_path, const Manifest& manifest, std::uint32_t number) {
  return shards_folder(manifest_path) + "/" + manifest.file_name(number);
}

Result<AnyFilter> read_shard(const std::string& manifest_path, const Manifest& manifest, std::uint32_t number,
                             const ReadLimits& limits) {
  const Result<MappedFilter> file = open_shard(manifest_path, manifest, number, {.limits = limits});
  Result<AnyFilter> shard = file ? file->to_filter(limits) : file.error();
  return shard ? std::move(shard) : in_shard(shard.error(), manifest_path, number);
}

/// The manifest, and the open files of the most recently queried shards.
class ShardedFilter::State {
 public:
  State(std::string path, Manifest manifest, const ShardedOptions& options)
      : shape(shape_of_shards(manifest)),
        facts(manifest.facts()),
        bytes(manifest.bytes()),
        path_(std::move(path)),
        options_(options.map),
        max_open_(std::max<std::size_t>(1, std::min(options.max_open_shards, descriptors() / 4))),
        manifest_(std::move(manifest)),
        slots_(manifest_.shards.size()) {}

  /// Calls `Result<Answer> query_shard(shard)`, and adds the shard's number to its error. Returns kUnsupported
  /// unchanged, because a shard that cannot count is not damaged.
  template <class Answer, class Query>
  Result<Answer> query(std::uint32_t number, const Query& query_shard);

  [[nodiscard]] std::uint32_t shards() const noexcept { return static_cast<std::uint32_t>(shape.units); }

  const Shape shape;
  const Facts facts;
  const std::uint64_t bytes;

 private:
  using File = std::shared_ptr<const MappedFilter>;
  struct Slot {
    File file;
    std::uint64_t used = 0;  // the value of queries_ at the last query of this shard
  };
  [[nodiscard]] Result<File> open(std::uint32_t number);
  [[nodiscard]] Result<void> read_again();
  void close_others(std::uint32_t number);

  const std::string path_;
  const MapOptions options_;
  const std::size_t max_open_;
  std::mutex mutex_;  // guards the members below
  Manifest manifest_;
  std::vector<Slot> slots_;
  std::size_t open_ = 0;
  std::uint64_t queries_ = 0;
};

// If a shard's file is missing, the shard may have been replaced under a new name, so the manifest is read again.
Result<ShardedFilter::State::File> ShardedFilter::State::open(std::uint32_t number) {
  const std::lock_guard lock(mutex_);
  Slot& slot = slots_[number];
  slot.used = ++queries_;
  if (slot.file != nullptr) return slot.file;
  Result<MappedFilter> file = open_shard(path_, manifest_, number, options_);
  for (int again = 0; !file && file.error().code == ErrorCode::kSystem && again < 3; ++again) {
    const std::uint64_t named = manifest_.shards[number].checksum;
    if (auto read = read_again(); !read) return read.error();
    if (manifest_.shards[number].checksum == named) break;
    file = open_shard(path_, manifest_, number, options_);
  }
  if (!file) return in_shard(file.error(), path_, number);
  close_others(number);
  slot.file = std::make_shared<const MappedFilter>(*std::move(file));
  ++open_;
  return slot.file;
}

Result<void> ShardedFilter::State::read_again() {
  Result<Manifest> manifest = read_manifest(path_);
  if (!manifest) return manifest.error();
  if (manifest->seed != shape.seed || manifest->shards.size() != shape.units) {
    return corrupt("seed and number of shards must not change while the manifest is open, got different ones: ", path_,
                   " was replaced; open it again");
  }
  manifest_ = *std::move(manifest);
  return {};
}

void ShardedFilter::State::close_others(std::uint32_t number) {
  while (open_ >= max_open_) {
    Slot* oldest = nullptr;
    for (std::uint32_t i = 0; i < slots_.size(); ++i) {
      if (i == number || slots_[i].file == nullptr) continue;
      if (oldest == nullptr || slots_[i].used < oldest->used) oldest = &slots_[i];
    }
    if (oldest == nullptr) return;
    oldest->file.reset();  // threads that are querying it keep it alive
    --open_;
  }
}

template <class Answer, class Query>
Result<Answer> ShardedFilter::State::query(std::uint32_t number, const Query& query_shard) {
  const Result<File> file = open(number);
  if (!file) return file.error();
  Result<Answer> answer = query_shard(**file);
  const Error* const error = answer.has_value() ? nullptr : &answer.error();
  if (error == nullptr || error->code == ErrorCode::kUnsupported) return answer;
  return in_shard(*error, path_, number);
}

ShardedFilter::ShardedFilter(std::unique_ptr<State> state) noexcept : state_(std::move(state)) {}
ShardedFilter::ShardedFilter(ShardedFilter&&) noexcept = default;
ShardedFilter& ShardedFilter::operator=(ShardedFilter&&) noexcept = default;
ShardedFilter::~ShardedFilter() = default;

// Makes the path absolute, because the working directory may differ when shards are opened.
Result<ShardedFilter> ShardedFilter::open(const std::string& manifest_path, const ShardedOptions& options) {
  Result<Manifest> manifest = read_manifest(manifest_path);
  if (!manifest) return manifest.error();
  std::error_code failure;
  const std::string absolute = fs::absolute(manifest_path, failure).string();
  return ShardedFilter(std::make_unique<State>(failure ? manifest_path : absolute, *std::move(manifest), options));
}

Result<bool> ShardedFilter::may_contain_hash(std::uint64_t key_hash) const {
  return state_->query<bool>(shard_of(key_hash, state_->shards()),
                             [&](const MappedFilter& shard) { return shard.may_contain_hash(key_hash); });
}

Result<std::uint64_t> ShardedFilter::count_hash(std::uint64_t key_hash) const {
  return state_->query<std::uint64_t>(shard_of(key_hash, state_->shards()),
                                      [&](const MappedFilter& shard) { return shard.count_hash(key_hash); });
}

Result<void> ShardedFilter::may_contain_hashes(std::span<const std::uint64_t> hashes, std::span<bool> hits) const {
  const HashesByShard sorted(hashes, state_->shards());
  const auto found = std::make_unique<bool[]>(hashes.size());
  for (std::uint32_t number = 0; number < state_->shards(); ++number) {
    const std::span<const std::uint64_t> own = sorted.of(number);
    if (own.empty()) continue;
    auto done = state_->query<void>(number, [&](const MappedFilter& shard) {
      return shard.may_contain_hashes(own, {found.get() + sorted.begin(number), own.size()});
    });
    if (!done) return done;
  }
  for (std::size_t i = 0; i < hashes.size(); ++i) hits[sorted.places()[i]] = found[i];
  return {};
}

Result<void> ShardedFilter::verify() const {
  std::optional<Error> first;
  std::string others;
  for (std::uint32_t number = 0; number < state_->shards(); ++number) {
    const auto verified = state_->query<void>(number, [](const MappedFilter& shard) { return shard.verify(); });
    if (verified) continue;
    if (first) {
      others += (others.empty() ? "; also shard " : ", ") + std::to_string(number);
    } else {
      first = verified.error();
    }
  }
  if (!first) return {};
  first->message += others;
  return *first;
}

const Shape& ShardedFilter::shape() const noexcept { return state_->shape; }
const Facts& ShardedFilter::facts() const noexcept { return state_->facts; }
const KindInfo& ShardedFilter::kind() const noexcept { return kShardedKind; }
std::uint64_t ShardedFilter::payload_bytes() const noexcept { return state_->bytes; }

Result<FilterFile> open_filter_file(const std::string& path, const ShardedOptions& options) {
  const auto start = read_start(path, kBlobHeaderBytes);  // the functions below return better errors
  if (start && Manifest::is_manifest(*start)) {
    Result<ShardedFilter> filter = ShardedFilter::open(path, options);
    if (!filter) return filter.error();
    return FilterFile(*std::move(filter));
  }
  Result<MappedFilter> filter = MappedFilter::open(path, options.map);
  if (!filter) return filter.error();
  return FilterFile(*std::move(filter));
}

Result<const MappedFilter*> as_mapped_filter(const FilterFile& file) {
  if (const auto* const mapped = std::get_if<MappedFilter>(&file)) return mapped;
  return error(ErrorCode::kUnsupported, "filter must be in one file, got one of ",
               std::get<ShardedFilter>(file).shape().units, " shards in separate files");
}

}  // namespace crivo
