// Replaces the core's threads and temporary files, which a web page does not have, so that the linked code stays small.
#include "base/error_text.h"
#include "build/parallel.h"
#include "crivo/host/system.h"
#include "crivo/host/temporary_file.h"

namespace crivo {

void parallel_for(unsigned, std::size_t count, const std::function<void(std::size_t)>& work) {
  for (std::size_t i = 0; i < count; ++i) work(i);
}

void* system::reserve_addresses(std::size_t) noexcept { return nullptr; }
bool system::commit_memory(void*, std::size_t) noexcept { return false; }
void system::release_addresses(void*, std::size_t) noexcept {}
void system::advise_huge_pages(void*, std::size_t) noexcept {}
void system::advise_small_pages(void*, std::size_t) noexcept {}

// Only a build with max_memory needs a file, and exports.cpp sets no max_memory. These functions satisfy the linker.
namespace {
Error no_files() { return error(ErrorCode::kSystem, "temp_folder must be writable, got a system without files"); }
}  // namespace
Result<TemporaryFile> TemporaryFile::make(const std::string&) { return no_files(); }
Result<void> TemporaryFile::write(std::uint64_t, std::span<const std::byte>) { return no_files(); }
Result<void> TemporaryFile::read(std::uint64_t, std::span<std::byte>) const { return no_files(); }
Result<void> TemporaryFile::reserve(std::uint64_t) { return no_files(); }
Error TemporaryFile::failure(const char*, int) const { return no_files(); }

}  // namespace crivo
