// How a filter is built from all its hashes. What is built does not depend on it, but for the limit.
#pragma once

#include <cstdint>
#include <functional>

#include "crivo/cxx20.h"

namespace crivo {

/// What a build took.
struct BuildReport {
  /// The most that was allocated at once, beside the finished payload and the caller's own hashes.
  std::uint64_t peak_temporary_bytes = 0;
};

struct BuildOptions {
  std::uint64_t max_bytes = UINT64_MAX;  // of the payload
  /// 0: as many as the machine has. A thread takes 0.8 MB, and has work from about 65,000 keys on. A kind that adds key
  /// by key takes one.
  unsigned threads = 1;
  /// Called now and then, by the thread that called build, with the share that is done: it never falls, and is 1 at the
  /// end. False cancels the build.
  std::function<bool(double done)> progress = nullptr;
  BuildReport* report = nullptr;  // written when the filter is made
};

}  // namespace crivo
