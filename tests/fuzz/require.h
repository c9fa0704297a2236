// Ends the process if an input breaks a promise. libFuzzer detects this and saves the input.
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
