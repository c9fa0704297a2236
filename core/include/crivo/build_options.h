// How to build a filter. The options do not change the filter's bytes. A build that cannot meet the limits fails.
#pragma once

#include <cstdint>
#include <functional>
#include <memory_resource>
#include <string>

#include "crivo/cxx20.h"

namespace crivo {

/// One thread per CPU of the machine.
inline constexpr std::uint32_t kAllThreads = UINT32_MAX;

struct BuildOptions {
  /// The maximum size of the payload.
  std::uint64_t max_bytes = UINT64_MAX;
  /// The number of threads, or kAllThreads. 0 means 1; a number above 1024 means 1024. The threads share:
  /// - the sort of more than 32,768 stored hashes;
  /// - the build of a ribbon, map or exact filter of more than about 65,000 keys;
  /// - with at least 65,000 hashes per thread, the additions to a counting filter, to a blocked filter (only of sorted
  ///   hashes), and to a classic filter of 64 MiB or more (only without max_memory).
  /// One thread fills a filter of any other kind. Each thread allocates up to 1.25 MiB. For a classic filter, each
  /// thread instead allocates a copy of the filter; at most 1 + (bytes of hashes) / (bytes of filter) threads run.
  std::uint32_t threads = 1;
  /// Called from time to time by the thread that called build, with the completed fraction: from 0 to 1, never
  /// decreasing, 1 at the end. Returning false ends the build with kCancelled.
  std::function<bool(double done)> progress = nullptr;
  /// Allocates the payload, for a host that wants to own the memory. Must return zeroed memory, and must outlive the
  /// filter, even if the filter is moved. Null stands for allocate_zeroed, which also allocates the payloads of copies
  /// and of filters that grow.
  std::pmr::memory_resource* payload_memory = nullptr;
  /// Allocates temporary memory, which is freed when the build ends. Used by all threads of the build. Null stands for
  /// operator new.
  std::pmr::memory_resource* temporary_memory = nullptr;
  /// FilterBuilder: the memory limit, payload included; at least kMinBuildMemoryBytes. 8 MiB of it are reserved for the
  /// caller's code, stacks and input. The build's budget is max_memory - 8 MiB. Hashes beyond the budget are written to
  /// temporary files. For a kind that is built once, a payload larger than half of the budget is placed in a mapped
  /// temporary file, unless payload_memory is set.
  std::uint64_t max_memory = UINT64_MAX;
  /// The folder of the temporary files. The files have no names; the system frees them when the process ends, if not
  /// earlier. They need 8 bytes per key (16 for range, map and exact, and for spectral without a capacity), plus the
  /// payload if a file contains the payload. Empty stands for $TMPDIR, or else /var/tmp, or /tmp.
  std::string temp_folder = {};
};

/// The minimum of BuildOptions::max_memory.
inline constexpr std::uint64_t kMinBuildMemoryBytes = std::uint64_t{16} << 20;

}  // namespace crivo
