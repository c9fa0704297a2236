// Whether the system allocates no memory for pages that are only read. Linux maps all such pages to one page of zeros,
// but some virtual machines do not. Without this page, tests of low memory use prove nothing about Crivo.
#pragma once

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>

namespace crivo::testing {

/// Measures in a separate process, because it reads the peak of the resident memory.
inline bool has_zero_page() {
  constexpr std::size_t kBytes = std::size_t{256} << 20;
  const auto most_kilobytes = [] {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<std::size_t>(usage.ru_maxrss);
  };
  const pid_t child = fork();
  if (child == 0) {
    const std::size_t before = most_kilobytes();
    const auto* const memory = static_cast<const volatile char*>(std::calloc(1, kBytes));
    int sum = 0;
    for (std::size_t at = 0; memory != nullptr && at < kBytes; at += 4096) sum += memory[at];
    std::_Exit(sum != 0 || most_kilobytes() > before + kBytes / 2048 ? 1 : 0);
  }
  int status = 1;
  return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

}  // namespace crivo::testing
