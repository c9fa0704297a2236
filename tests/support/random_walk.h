// Random walks: random draws, seeds, and how a failure reports the seed that reproduces it.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <random>
#include <string>
#include <vector>

namespace crivo::testing {

/// Draws that depend only on the seed, so that a walk can be repeated.
class Random {
 public:
  explicit Random(std::uint64_t seed) : bits_(seed) {}
  [[nodiscard]] std::uint64_t below(std::uint64_t bound) { return bits_() % bound; }
  [[nodiscard]] bool percent(std::uint64_t chance) { return below(100) < chance; }
  template <class Row>
  [[nodiscard]] const Row& one_of(const std::vector<Row>& rows) {
    return rows[below(rows.size())];
  }
  [[nodiscard]] const char* one_of(std::initializer_list<const char*> texts) {
    return texts.begin()[below(texts.size())];
  }

 private:
  std::mt19937_64 bits_;
};

/// A possible step of a walk, with its weight.
template <class Step>
struct Weighted {
  std::uint64_t weight;
  Step step;
};
[[nodiscard]] const auto& drawn_step(const auto& steps, Random& random) {
  std::uint64_t sum = 0;
  for (const auto& each : steps) sum += each.weight;
  std::uint64_t drawn = random.below(sum);
  auto at = steps.begin();
  for (; drawn >= at->weight; ++at) drawn -= at->weight;
  return *at;
}

inline char last_words[80];
inline void say_last_words(int number) {
  [[maybe_unused]] const auto written = write(STDERR_FILENO, last_words, std::strlen(last_words));
  std::signal(number, SIG_DFL);
  std::raise(number);
}

/// Walks from `count` seeds until one fails, or only from the seed in the environment variable. Messages contain the
/// seed; a crash or an assertion of RocksDB prints the seed, too. Returns true only if all `count` walks succeeded.
template <class Walk>
bool walk_seeds(const char* variable, std::uint64_t first, std::uint64_t count, Walk&& walk) {
  const char* const given = std::getenv(variable);
  if (given != nullptr) {
    first = std::stoull(given);
    count = 1;
  }
  for (std::uint64_t seed = first; seed < first + count && !::testing::Test::HasFailure(); ++seed) {
    const std::string repeat = variable + ("=" + std::to_string(seed));
    SCOPED_TRACE(repeat);
    std::snprintf(last_words, sizeof last_words, "repeat it with %s\n", repeat.c_str());
    std::signal(SIGABRT, say_last_words);
    std::signal(SIGSEGV, say_last_words);
    walk(seed);
  }
  return given == nullptr && !::testing::Test::HasFailure();
}

}  // namespace crivo::testing
