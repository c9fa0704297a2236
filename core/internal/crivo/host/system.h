// System calls that not every system has. system.cpp implements them for Linux, and with POSIX calls for other systems.
// With CRIVO_POSIX_ONLY, Linux also uses the POSIX calls.
#pragma once

#include <sys/types.h>
#include <time.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace crivo::system {

/// The folder that lists the open descriptors of this process.
extern const char* const kDescriptors;

/// Opens a folder for openat and similar calls, even an unreadable folder if the system can. On failure, returns -1
/// with errno set.
[[nodiscard]] int open_folder(const char* path) noexcept;

/// Opens a new unnamed file in the folder `path`, relative to `at`. Returns -1 if the system or the file system does
/// not support unnamed files.
[[nodiscard]] int open_nameless(int at, const char* path, int flags, mode_t mode) noexcept;
/// Links an unnamed file into the folder. On failure, returns false with errno set.
[[nodiscard]] bool link_into(int file, int folder, const char* name);

/// Preallocates zeroed blocks for an empty file. Returns 0 or an errno.
[[nodiscard]] int preallocate(int file, std::uint64_t bytes);

/// Whether a change now could leave the modification time `changed` unchanged, because the clock or the file system has
/// units of up to 10 ms, or of a second. False for a time in the future.
[[nodiscard]] bool mtime_may_hide_change(const timespec& changed) noexcept;

/// The path of this program, started as `called`; empty if unknown.
[[nodiscard]] std::string own_path(const char* called);

/// Makes free() return large allocations to the system at once. Otherwise, malloc may cache them.
void trim_on_free() noexcept;

/// Moves private pages to reserved addresses without memory. On failure, returns false, and nothing has moved.
[[nodiscard]] bool move_pages(void* from, std::size_t bytes, void* to) noexcept;
/// Reserves addresses without memory, or returns null.
[[nodiscard]] void* reserve_addresses(std::size_t bytes) noexcept;
/// Commits zeroed memory to reserved addresses. `begin` must be the start of a page. Returns false on failure.
[[nodiscard]] bool commit_memory(void* begin, std::size_t bytes) noexcept;
/// Releases the addresses and their memory.
void release_addresses(void* begin, std::size_t bytes) noexcept;
/// Advises the system to use huge pages from the page of `begin` on.
void advise_huge_pages(void* begin, std::size_t bytes) noexcept;
/// Reverts advise_huge_pages(), and prevents automatic huge pages.
void advise_small_pages(void* begin, std::size_t bytes) noexcept;

/// Whether files in this folder are in memory (tmpfs, ramfs). False if unknown.
[[nodiscard]] bool is_memory_folder(const std::string& folder) noexcept;

}  // namespace crivo::system
