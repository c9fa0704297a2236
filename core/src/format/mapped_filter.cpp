#include "crivo/mapped_filter.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <vector>

#include "base/error_text.h"
#include "format/filter_file.h"
#include "format/manifest.h"
#include "format/mapped_file.h"
#include "format/mapped_guard.h"
#include "format/open_shards.h"
#include "kinds/registry.h"

namespace crivo {
namespace {

Error in_one_file(const OpenShards& shards) {
  return error(ErrorCode::kUnsupported, "filter must be in one file, got one of ", shards.shape().units,
               " shards, each of which is a file of its own");
}

/// If the file is a manifest, what it says; no value for any other.
Result<std::optional<Manifest>> manifest_in(MappedFile& file) {
  std::vector<std::byte> copy;
  const MappedRead reading(file.range());
  const std::span<const std::byte> bytes = file.bytes();
  if (is_manifest(bytes.first(std::min(bytes.size(), kBlobHeaderBytes)))) copy.assign(bytes.begin(), bytes.end());
  if (!file.is_as_opened()) return file.why_not();
  if (copy.empty()) return std::optional<Manifest>();
  Result<Manifest> manifest = parse_manifest(copy);
  if (!manifest) return manifest.error();
  return std::optional<Manifest>(*std::move(manifest));
}

}  // namespace

/// One of the two.
class MappedFilter::State {
 public:
  std::unique_ptr<FilterFile> file;
  std::unique_ptr<OpenShards> shards;
};

MappedFilter::MappedFilter(std::unique_ptr<State> state) noexcept : state_(std::move(state)) {}
MappedFilter::MappedFilter(MappedFilter&&) noexcept = default;
MappedFilter& MappedFilter::operator=(MappedFilter&&) noexcept = default;
MappedFilter::~MappedFilter() = default;

Result<MappedFilter> MappedFilter::open(const std::string& path, const MapOptions& options) {
  Result<std::unique_ptr<MappedFile>> file = MappedFile::open(path, options.file_may_change);
  if (!file) return file.error();
  Result<std::optional<Manifest>> manifest = manifest_in(**file);
  if (!manifest.has_value()) return manifest.error();
  auto state = std::make_unique<State>();
  if (*manifest) {
    std::error_code failure;  // shards are opened later, when the process may be in another folder
    const std::string absolute = std::filesystem::absolute(path, failure).string();
    state->shards = std::make_unique<OpenShards>(failure ? path : absolute, **std::move(manifest), options.limits,
                                                 options.file_may_change, options.max_open_shards);
    return MappedFilter(std::move(state));
  }
  Result<std::unique_ptr<FilterFile>> opened = FilterFile::open(*std::move(file), {}, options.limits);
  if (!opened) return opened.error();
  state->file = *std::move(opened);
  return MappedFilter(std::move(state));
}

Result<MappedFilter> MappedFilter::adopt(AlignedBytes blob, const ReadLimits& limits) {
  Result<std::unique_ptr<FilterFile>> opened = FilterFile::open(nullptr, std::move(blob), limits);
  if (!opened) return opened.error();
  auto state = std::make_unique<State>();
  state->file = *std::move(opened);
  return MappedFilter(std::move(state));
}

Result<bool> MappedFilter::may_contain_hash(std::uint64_t key_hash) const {
  return state_->file != nullptr ? state_->file->may_contain_hash(key_hash)
                                 : state_->shards->may_contain_hash(key_hash);
}

Result<void> MappedFilter::may_contain_hashes(std::span<const std::uint64_t> hashes, std::span<bool> hits) const {
  return state_->file != nullptr ? state_->file->may_contain_hashes(hashes, hits)
                                 : state_->shards->may_contain_hashes(hashes, hits);
}

Result<std::uint64_t> MappedFilter::count_hash(std::uint64_t key_hash) const {
  return state_->file != nullptr ? state_->file->count_hash(key_hash) : state_->shards->count_hash(key_hash);
}

Result<bool> MappedFilter::may_contain_range(std::uint64_t low, std::uint64_t high) const {
  if (state_->file == nullptr) return low <= high;  // as of any kind that cannot tell
  return state_->file->may_contain_range(low, high);
}

Result<std::optional<std::uint64_t>> MappedFilter::find_hash(std::uint64_t key_hash) const {
  std::uint64_t value = 0;
  bool found = false;
  if (auto asked = find_hashes({&key_hash, 1}, {&value, 1}, {&found, 1}); !asked) return asked.error();
  return found ? std::optional(value) : std::nullopt;
}

Result<void> MappedFilter::find_hashes(std::span<const std::uint64_t> hashes, std::span<std::uint64_t> values,
                                       std::span<bool> found) const {
  if (state_->file == nullptr) return unsupported(kKindOfSharded, "find values", &Capabilities::find);
  return state_->file->find_hashes(hashes, values, found);
}

Result<void> MappedFilter::verify() const {
  return state_->file != nullptr ? state_->file->look_at_whole([](const FilterRef&) {}) : state_->shards->verify();
}

Result<void> MappedFilter::look_at_whole(const std::function<void(const FilterRef&)>& look) const {
  return state_->file != nullptr ? state_->file->look_at_whole(look) : in_one_file(*state_->shards);
}

Result<FilterRef> MappedFilter::whole() const {
  if (auto looked = look_at_whole([](const FilterRef&) {}); !looked) return looked.error();
  return state_->file->ref();
}

const Shape& MappedFilter::shape() const noexcept {
  return state_->file != nullptr ? state_->file->ref().shape() : state_->shards->shape();
}
const Facts& MappedFilter::facts() const noexcept {
  return state_->file != nullptr ? state_->file->ref().facts() : state_->shards->facts();
}
const KindInfo& MappedFilter::kind() const noexcept {
  return state_->file != nullptr ? state_->file->ref().kind() : kKindOfSharded;
}
Codec MappedFilter::codec() const noexcept { return state_->file != nullptr ? state_->file->codec() : Codec::kRaw; }
std::uint64_t MappedFilter::payload_bytes() const noexcept {
  return state_->file != nullptr ? state_->file->ref().payload().size() : state_->shards->bytes();
}
std::uint64_t MappedFilter::blob_bytes() const noexcept {
  return state_->file != nullptr ? state_->file->blob_bytes() : state_->shards->bytes();
}
bool MappedFilter::is_mapped() const noexcept { return state_->file == nullptr || state_->file->is_mapped(); }

Result<void> guard_mapped_files() { return install_bus_guard(); }

}  // namespace crivo
