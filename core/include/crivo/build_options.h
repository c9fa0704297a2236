// How to build a filter from all its hashes. The options do not change the filter's bytes. A build that exceeds
// max_bytes or max_memory fails.
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
  /// The most bytes of the payload.
  std::uint64_t max_bytes = UINT64_MAX;
  /// The number of threads, at most 1024, or kAllThreads; 0 stands for 1. Several threads sort stored hashes from
  /// 32,769 hashes on, and build a ribbon from about 65,000 on. From 65,000 hashes per thread on they add to a counting
  /// filter, to a blocked one if the hashes are sorted, and to a classic one of 64 MiB or more. Other kinds are filled
  /// by one thread, because their bytes depend on the order. Each thread allocates up to 1 MiB, or the size of the
  /// classic filter; all together at most the size of the hashes.
  std::uint32_t threads = 1;
  /// Called from time to time by the thread that called build, with the completed share: from 0 to 1, never decreasing,
  /// 1 at the end. Returning false ends the build with kCancelled.
  std::function<bool(double done)> progress = nullptr;
  /// Allocates the payload, for a host that wants to own the memory. Must return zeroed memory, and must outlive the
  /// filter and what is moved from it. Null stands for allocate_zeroed, which also allocates the payloads of copies and
  /// of filters that grow.
  std::pmr::memory_resource* payload_memory = nullptr;
  /// Allocates the temporary memory of a build, which is freed at its end. Used by all threads of the build. Null
  /// stands for operator new.
  std::pmr::memory_resource* temporary_memory = nullptr;
  /// FilterBuilder: the most memory for everything, the payload included; at least kMinBuildMemoryBytes. 8 MiB of it
  /// are left to the caller, for code, stacks and input. Hashes that do not fit are written to temporary files. So is
  /// the payload of a kind that is built once if it needs more than half of the rest, unless payload_memory is set.
  std::uint64_t max_memory = UINT64_MAX;
  /// The folder of the temporary files, which vanish with the process. They need 8 bytes per key (16 for range, map and
  /// exact, and for spectral without a capacity), plus the payload if it is in a file. Empty stands for $TMPDIR, or
  /// else /var/tmp, or /tmp.
  std::string temp_folder = {};
};

/// The minimum of BuildOptions::max_memory.
inline constexpr std::uint64_t kMinBuildMemoryBytes = std::uint64_t{16} << 20;

}  // namespace crivo
