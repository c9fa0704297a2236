// How a filter is built from all its hashes. These options never change the filter that comes out, except that a build
// beyond max_bytes or max_memory fails.
#pragma once

#include <cstdint>
#include <functional>
#include <memory_resource>
#include <string>

#include "crivo/cxx20.h"

namespace crivo {

/// What a build took, for its caller.
struct BuildReport {
  /// The most bytes that were allocated at once, without the finished payload and the caller's own hashes.
  std::uint64_t peak_temporary_bytes = 0;
};

/// The share of a build's time that goes into sorting the hashes, roughly: progress reports count with it.
inline constexpr double kSortShare = 0.2;

struct BuildOptions {
  std::uint64_t max_bytes = UINT64_MAX;  // most bytes that the payload may have
  /// The number of threads to build with; 0 stands for as many as the machine has. Each thread takes 0.8 MB. More than
  /// one help only a kind that is built once (ribbon), from about 65,000 keys on.
  unsigned threads = 1;
  /// Called now and then, by the thread that called build, with the share of the build that is done: from 0 to 1, never
  /// falling, and 1 at the end. Returns true to go on; false ends the build with kCancelled.
  std::function<bool(double done)> progress = nullptr;
  BuildReport* report = nullptr;  // filled in when the filter is finished; not on an error
  /// Where the payload is allocated, so that a host can build a filter into memory that it goes on to own. It must give
  /// memory that is zero, and must outlive the filter and what is moved from it. Null stands for allocate_zeroed; so do
  /// the payloads of copies, and those that a kind takes when it grows.
  std::pmr::memory_resource* payload_memory = nullptr;
  /// The source of the temporary memory of a build, which it frees at its end. With more than one thread it is used by
  /// all of them. Null stands for operator new.
  std::pmr::memory_resource* temporary_memory = nullptr;
  /// For FilterBuilder: the most bytes of memory that it may take for everything, the payload included: hashes that do
  /// not fit lie in temporary files, and so does the payload of a kind that is built once where it would take more than
  /// half. At least kMinBuildMemoryBytes; kCallersMemoryBytes of it are left to the caller, for code, stacks and input.
  std::uint64_t max_memory = UINT64_MAX;
  /// Where the temporary files lie, 8 bytes per key in all. They have no names, so none is left behind. Empty stands
  /// for the folder that TMPDIR names, or else /tmp.
  std::string temp_folder = {};
};

/// The least value that BuildOptions::max_memory may have, and the part of it that a builder leaves to its
/// caller.
inline constexpr std::uint64_t kMinBuildMemoryBytes = std::uint64_t{16} << 20;
inline constexpr std::uint64_t kCallersMemoryBytes = std::uint64_t{8} << 20;

}  // namespace crivo
