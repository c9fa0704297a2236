// How a filter is built from all its hashes. These options never change the filter that comes out, except that a build
// beyond max_bytes fails.
#pragma once

#include <cstdint>
#include <functional>

#include "crivo/cxx20.h"

namespace crivo {

/// What a build took, for its caller.
struct BuildReport {
  /// The most bytes that were allocated at once, without the finished payload and the caller's own hashes.
  std::uint64_t peak_temporary_bytes = 0;
};

struct BuildOptions {
  std::uint64_t max_bytes = UINT64_MAX;  // most bytes that the payload may have
  /// The number of threads to build with; 0 stands for as many as the machine has. Each thread takes 0.8 MB. More than
  /// one help only a kind that is built once (ribbon), from about 65,000 keys on.
  unsigned threads = 1;
  /// Called now and then, by the thread that called build, with the share of the build that is done: from 0 to 1, never
  /// falling, and 1 at the end. If it returns false the build ends with kCancelled.
  std::function<bool(double done)> progress = nullptr;
  BuildReport* report = nullptr;  // filled in when the filter is finished; not on an error
};

}  // namespace crivo
