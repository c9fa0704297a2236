#include "builder/spill_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

#include "crivo/hash.h"

namespace crivo {
namespace {

constexpr std::size_t kPartHashes = 8192;  // 64 KiB, which is also the buffer that reading takes

std::string folder() {
  std::error_code error;
  const auto path = std::filesystem::temp_directory_path(error);
  return error ? "/tmp" : path.string();
}

[[noreturn]] void fail(int error) {
  throw std::system_error(error, std::generic_category(), "crivo: temporary file in " + folder());
}

int open_unlinked() {
  std::string name = folder() + "/crivo-XXXXXX";
  const int file = mkostemp(name.data(), O_CLOEXEC);
  if (file < 0) fail(errno);
  unlink(name.c_str());
  return file;
}

std::uint64_t checksum_of(std::span<const std::uint64_t> hashes) noexcept {
  return hash_key(std::string_view(reinterpret_cast<const char*>(hashes.data()), hashes.size_bytes()), 0);
}

/// Calls `transfer(bytes done, bytes left)`, which is pread or pwrite, until all is done.
template <typename Transfer>
void transfer_all(std::size_t bytes, const Transfer& transfer) {
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t moved = transfer(done, bytes - done);
    if (moved < 0 && errno == EINTR) continue;
    if (moved <= 0) fail(moved < 0 ? errno : EIO);
    done += static_cast<std::size_t>(moved);
  }
}

off_t offset(std::size_t hashes, std::size_t bytes) noexcept {
  return static_cast<off_t>(hashes * sizeof(std::uint64_t) + bytes);
}

}  // namespace

SpillFile::SpillFile() : file_(open_unlinked()) {}

SpillFile::~SpillFile() { close(file_); }

void SpillFile::append(std::span<const std::uint64_t> hashes) {
  const auto* const bytes = reinterpret_cast<const char*>(hashes.data());
  transfer_all(hashes.size_bytes(), [&](std::size_t done, std::size_t left) {
    return pwrite(file_, bytes + done, left, offset(size_, done));
  });
  parts_.reserve(parts_.size() + hashes.size() / kPartHashes + 1);  // so that nothing fails half-way
  size_ += hashes.size();
  while (!hashes.empty()) {
    const auto part = hashes.first(std::min(hashes.size(), kPartHashes));
    parts_.push_back({part.size(), checksum_of(part)});
    hashes = hashes.subspan(part.size());
  }
}

bool SpillFile::read(const std::function<bool(std::span<const std::uint64_t>)>& use) const {
  std::vector<std::uint64_t> buffer(kPartHashes);
  std::size_t before = 0;
  for (const Part& part : parts_) {
    const auto hashes = std::span(buffer).first(part.hashes);
    auto* const bytes = reinterpret_cast<char*>(hashes.data());
    transfer_all(hashes.size_bytes(), [&](std::size_t done, std::size_t left) {
      return pread(file_, bytes + done, left, offset(before, done));
    });
    if (checksum_of(hashes) != part.checksum) fail(EIO);
    if (!use(hashes)) return false;
    before += part.hashes;
  }
  return true;
}

}  // namespace crivo
