#include "crivo/shard_writer.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>  // declares getentropy on some systems
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <new>
#include <utility>
#include <vector>

#include "base/error_text.h"
#include "crivo/blob_file.h"
#include "crivo/host/bytes.h"
#include "crivo/host/owned_fd.h"
#include "crivo/host/replace_file.h"
#include "crivo/sharded_filter.h"
#include "format/blob_header.h"
#include "format/manifest.h"

namespace crivo {
namespace {

namespace fs = std::filesystem;

/// Whether a file with this name may be a complete or incomplete shard.
bool is_shard_file_name(std::string_view name) noexcept {
  constexpr std::string_view kShape = "00000-0000000000000000.crivo";
  return name.size() == kShape.size() && name[5] == '-' && name.ends_with(".crivo");
}

Result<void> make_folder(const std::string& folder) {
  if (::mkdir(folder.c_str(), 0777) == 0 || errno == EEXIST) return {};
  return system_error(errno, "the folder of the shards must be writable", ", got ", folder);
}

/// Removes shard files that the manifest does not name, including those that killed writers left with a random number
/// in the name.
void remove_others(const std::string& path, const Manifest& manifest) {
  std::vector<std::string> named;
  for (std::uint32_t i = 0; i < manifest.shards.size(); ++i) named.push_back(manifest.file_name(i));
  std::ranges::sort(named);
  std::error_code error;
  for (fs::directory_iterator entry(shards_folder(path), error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    std::error_code ignored;
    if (is_shard_file_name(name) && !std::ranges::binary_search(named, name)) fs::remove(entry->path(), ignored);
  }
}

}  // namespace

// The final name contains the checksum, which is known only after writing. Until then, the name has a random number.
Result<Shard> write_shard(const FilterRef& filter, const std::string& manifest_path, std::uint32_t number,
                          BlobForm form) {
  if (auto valid = check_kind_of_shards(filter.kind()); !valid) return valid.error();
  const std::string folder = shards_folder(manifest_path);
  if (auto made = make_folder(folder); !made) return made.error();
  std::uint64_t random = 0;
  if (::getentropy(&random, sizeof random) != 0) random = static_cast<std::uint64_t>(::getpid());
  const std::string written = folder + "/" + shard_file_name(number, random);
  const Result<std::uint64_t> bytes = write_blob_file(filter, written, form);
  if (!bytes.has_value()) return bytes.error();
  const auto fail = [&](const char* rule) {
    const int reason = errno;
    ::unlink(written.c_str());
    return system_error(reason, rule, ", got ", written);
  };
  std::array<std::byte, kBlobHeaderBytes> header{};
  const OwnedFd fd(::open(written.c_str(), O_RDONLY | O_CLOEXEC));
  if (fd.get() < 0 || ::pread(fd.get(), header.data(), header.size(), 0) != static_cast<ssize_t>(header.size())) {
    return fail("shard must be readable");
  }
  Facts facts = filter.facts();
  facts.pinned_raw = false;
  const Shard shard{load_le<std::uint64_t>(header.data() + kChecksumOffset), *bytes, facts};
  if (::rename(written.c_str(), (folder + "/" + shard_file_name(number, shard.checksum)).c_str()) != 0) {
    return fail("the folder of the shards must be writable");
  }
  return shard;
}

Result<ShardsLock> ShardsLock::acquire(const std::string& manifest_path) {
  struct stat there {};
  if (::stat(manifest_path.c_str(), &there) == 0 && !S_ISREG(there.st_mode)) {
    return bad_argument("manifest must be a file, got ", manifest_path);
  }
  const std::string folder = shards_folder(manifest_path);
  for (;;) {
    if (auto made = make_folder(folder); !made) return made.error();
    OwnedFd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    int locked = -1;
    while (fd.get() >= 0 && (locked = ::flock(fd.get(), LOCK_EX)) != 0 && errno == EINTR) continue;
    if (locked != 0) {
      return system_error(errno, "the folder of the shards must be lockable", ", got ", folder);
    }
    // The previous owner of the lock may have removed the folder.
    struct stat opened {};
    struct stat named {};
    const bool is_there = ::stat(folder.c_str(), &named) == 0;
    if (::fstat(fd.get(), &opened) != 0)
      return system_error(errno, "the folder of the shards must be readable", ", got ", folder);
    if (is_there && opened.st_dev == named.st_dev && opened.st_ino == named.st_ino) {
      return ShardsLock(manifest_path, std::make_unique<OwnedFd>(std::move(fd)));
    }
  }
}

ShardsLock::ShardsLock(std::string path, std::unique_ptr<OwnedFd> folder) noexcept
    : path_(std::move(path)), folder_(std::move(folder)) {}
ShardsLock::ShardsLock(ShardsLock&& other) noexcept = default;

ShardsLock::~ShardsLock() {
  if (folder_ == nullptr) return;  // moved from
  try {
    if (const Result<Manifest> manifest = read_manifest(path_)) {
      remove_others(path_, *manifest);
    } else if (::access(path_.c_str(), F_OK) != 0 && errno == ENOENT) {
      remove_others(path_, {});
      ::rmdir(shards_folder(path_).c_str());  // fails unless it is empty
    }
  } catch (const std::bad_alloc&) {  // the next lock removes the files
  }
}

void ShardsLock::sync() const noexcept { ::fsync(folder_->get()); }

Result<void> write_manifest(const std::string& path, const Manifest& manifest, const ShardsLock& lock) {
  if (auto valid = check_number_of_shards(manifest.shards.size()); !valid) return valid;
  lock.sync();  // the shards must be on disk before the manifest names them
  const std::vector<std::byte> blob = manifest_blob(manifest);
  return replace_file(path, [&](const ByteSink& sink) { return sink(blob); });
}

Result<void> replace_shard(const std::string& manifest_path, std::uint32_t number, std::uint32_t shards,
                           const FilterRef& filter, BlobForm form) {
  if (auto read = read_manifest(manifest_path); !read) return read.error();  // before a folder is created
  const Result<ShardsLock> lock = ShardsLock::acquire(manifest_path);
  if (!lock) return lock.error();
  Result<Manifest> manifest = read_manifest(manifest_path);
  if (!manifest) return manifest.error();
  if (manifest->shards.size() != shards) {
    return error(ErrorCode::kIncompatible, "shards must equal the manifest's ", manifest->shards.size(), ", got ",
                 shards);
  }
  if (number >= shards) return bad_argument("shard must be below ", shards, ", got ", number);
  if (filter.shape().seed != manifest->seed) {
    return error(ErrorCode::kIncompatible, "seed must equal the manifest's ", manifest->seed, ", got ",
                 filter.shape().seed);
  }
  Result<Shard> shard = write_shard(filter, manifest_path, number, form);
  if (!shard) return shard.error();
  manifest->shards[number] = *shard;
  return write_manifest(manifest_path, *manifest, *lock);
}

}  // namespace crivo
