// A promise that an input broke: the process ends, which is what libFuzzer looks for.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace crivo::testing {

inline void require(bool promise, const char* text) {
  if (promise) return;
  std::fprintf(stderr, "broken promise: %s\n", text);
  std::abort();
}

}  // namespace crivo::testing
