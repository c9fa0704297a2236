// The calls that not every system has: system.cpp has those of Linux, and what POSIX or other systems offer in their
// place, which Linux takes, too, with CRIVO_POSIX_ONLY.
#pragma once

#include <sys/types.h>
#include <time.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace crivo::system {

/// The folder with a name for each open descriptor of this process.
extern const char* const kDescriptors;

/// Opens a folder to which calls like openat are relative, or returns -1 with errno. It need not be readable, where the
/// system can do that.
[[nodiscard]] int open_folder(const char* path) noexcept;

/// Opens a new file without a name that lies in the folder: `path`, seen from `at`. Returns -1 where the system or the
/// file system has no such files.
[[nodiscard]] int open_nameless(int at, const char* path, int flags, mode_t mode) noexcept;
/// Gives such a file a name in the folder. On failure, returns false, with errno set.
[[nodiscard]] bool give_name(int file, int folder, const char* name);

/// Makes an empty file this large, with its bytes on disk taken and 0. Returns errno, or 0.
[[nodiscard]] int take_space(int file, std::uint64_t bytes);

/// Whether a change of a file at the time `changed`, which its status has, and one that comes now could leave the same
/// time in the status.
[[nodiscard]] bool can_be_missed(const timespec& changed) noexcept;

/// The path of this program, which was called as `called`; empty if the system does not say.
[[nodiscard]] std::string own_path(const char* called);

/// Has large pieces of memory that are freed become the system's again at once, where malloc would keep them.
void free_to_the_system() noexcept;

/// Moves private pages to a place in the address space that is reserved, but has no memory yet. On failure, returns
/// false, and nothing has moved.
[[nodiscard]] bool move_pages(void* from, std::size_t bytes, void* to) noexcept;
/// Reserves addresses that have no memory yet, or returns null.
[[nodiscard]] void* reserve_addresses(std::size_t bytes) noexcept;
/// Gives reserved addresses memory of zeros, from the page of `begin` on. Returns false if there is none.
[[nodiscard]] bool give_memory(void* begin, std::size_t bytes) noexcept;
/// Takes back the addresses, and the memory that they were given.
void release_addresses(void* begin, std::size_t bytes) noexcept;
/// Asks for huge pages from the page of `begin` on, which the system need not give.
void wish_huge_pages(void* begin, std::size_t bytes) noexcept;
/// Takes that back, and has the system give none there on its own.
void wish_small_pages(void* begin, std::size_t bytes) noexcept;

/// Whether what is written to this folder stays in memory (tmpfs, ramfs). False where the system does not say.
[[nodiscard]] bool is_memory_folder(const std::string& folder) noexcept;

}  // namespace crivo::system
