// How a filter is built from all its hashes. These options never change the filter that comes out, except that a build
// beyond max_bytes or max_memory fails.
#pragma once

#include <cstdint>
#include <functional>
#include <memory_resource>
#include <string>

#include "crivo/cxx20.h"

namespace crivo {

/// As many threads as the machine has.
inline constexpr std::uint32_t kAllThreads = UINT32_MAX;

struct BuildOptions {
  std::uint64_t max_bytes = UINT64_MAX;  // most bytes that the payload may have
  /// The number of threads to build with, or kAllThreads; 0 stands for one, and no build has more than 1024. From
  /// 32,769 hashes on, more than one sort those that are kept (all, if no capacity was given), and from about 65,000 on
  /// they build a ribbon; from 65,000 for each thread on, they add to a counting filter, to a blocked one in the order
  /// of the hashes, and to a classic one from 64 MiB on. To the other kinds one thread adds, as their bytes depend on
  /// the order. Each thread takes up to 1 MiB, or as much as the classic filter, but all together not more than the
  /// hashes.
  std::uint32_t threads = 1;
  /// Called now and then, by the thread that called build, with the share of the build that is done: from 0 to 1, never
  /// falling, and 1 at the end. Returns true to go on; false ends the build with kCancelled.
  std::function<bool(double done)> progress = nullptr;
  /// Where the payload is allocated, so that a host can build a filter into memory that it goes on to own. It must give
  /// memory that is zero, and must outlive the filter and what is moved from it. Null stands for allocate_zeroed; so do
  /// the payloads of copies, and those that a kind takes when it grows.
  std::pmr::memory_resource* payload_memory = nullptr;
  /// The source of the temporary memory of a build, which it frees at its end. With more than one thread it is used by
  /// all of them. Null stands for operator new.
  std::pmr::memory_resource* temporary_memory = nullptr;
  /// For FilterBuilder: the most bytes of memory that it may take for everything, the payload included: hashes that do
  /// not fit lie in temporary files, and so does the payload of a kind that is built once where it takes more than half
  /// of what is left, unless there is a payload_memory. At least kMinBuildMemoryBytes. 8 MiB of it are left to the
  /// caller, for code, stacks and input.
  std::uint64_t max_memory = UINT64_MAX;
  /// Where the temporary files lie: 8 bytes per key, 16 for range, map and exact and for a spectral filter without a
  /// capacity, and the payload that is in a file. They are gone with the process. Empty: what TMPDIR names, or else
  /// /var/tmp, or /tmp.
  std::string temp_folder = {};
};

/// The least value that BuildOptions::max_memory may have.
inline constexpr std::uint64_t kMinBuildMemoryBytes = std::uint64_t{16} << 20;

}  // namespace crivo
