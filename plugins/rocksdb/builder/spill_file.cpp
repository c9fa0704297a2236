#include "builder/spill_file.h"

#include <algorithm>
#include <cerrno>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "crivo/hash.h"
#include "crivo/host/text.h"

namespace crivo::plugin {
namespace {

constexpr std::size_t kPartHashes = 8192;  // 64 KiB, which is also the buffer that reading takes

[[noreturn]] void fail(const Error& error) {
  throw std::runtime_error(rename_field(error.message, "temp_folder", "TMPDIR"));
}

TemporaryFile made(const std::string& folder) {
  Result<TemporaryFile> file = TemporaryFile::make(folder);
  if (!file) fail(file.error());
  return *std::move(file);
}

std::uint64_t checksum_of(std::span<const std::uint64_t> hashes) noexcept {
  return hash_key(std::string_view(reinterpret_cast<const char*>(hashes.data()), hashes.size_bytes()), 0);
}

}  // namespace

SpillFile::SpillFile(const std::string& folder) : file_(made(folder)) {}

void SpillFile::append(std::span<const std::uint64_t> hashes) {
  const Result<void> written = file_.write(size_ * sizeof(std::uint64_t), std::as_bytes(hashes));
  if (!written) fail(written.error());
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
  std::uint64_t at = 0;
  for (const Part& part : parts_) {
    const auto hashes = std::span(buffer).first(part.hashes);
    const Result<void> filled = file_.read(at, std::as_writable_bytes(hashes));
    if (!filled) fail(filled.error());
    if (checksum_of(hashes) != part.checksum) fail(file_.failure("give back what was written there", EIO));
    if (!use(hashes)) return false;
    at += hashes.size_bytes();
  }
  return true;
}

}  // namespace crivo::plugin
