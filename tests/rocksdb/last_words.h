// What a test says when the program is ended under it, by an assertion of RocksDB's or by a fault of ours: the seed
// that repeats what it did must be known then, too.
#pragma once

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstring>

namespace crivo::testing {

inline char last_words[80];

inline void say_last_words(int number) {
  [[maybe_unused]] const auto written = write(STDERR_FILENO, last_words, std::strlen(last_words));
  std::signal(number, SIG_DFL);
  std::raise(number);
}

/// From now on, a crash says "repeat it with <variable>=<seed>".
inline void set_last_words(const char* variable, unsigned long long seed) {
  std::snprintf(last_words, sizeof last_words, "repeat it with %s=%llu\n", variable, seed);
  std::signal(SIGABRT, say_last_words);
  std::signal(SIGSEGV, say_last_words);
}

}  // namespace crivo::testing
