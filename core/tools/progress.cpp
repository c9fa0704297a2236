// The progress bar; see progress.h.
#include "progress.h"

#include <unistd.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <string>

namespace crivo::tool {
namespace {

constexpr std::chrono::milliseconds kInterval{100};
constexpr std::size_t kBarWidth = 30;

}  // namespace

// The first drawing waits for one interval: what is done by then needs no bar.
Progress::Progress(const char* doing)
    : doing_(doing), visible_(::isatty(STDERR_FILENO) != 0), next_draw_(std::chrono::steady_clock::now() + kInterval) {}

Progress::~Progress() {
  if (drawn_) std::fputs("\r\033[K", stderr);
}

void Progress::update(std::optional<double> done, std::uint64_t keys) {
  if (!visible_ || std::chrono::steady_clock::now() < next_draw_) return;
  next_draw_ = std::chrono::steady_clock::now() + kInterval;
  drawn_ = true;
  if (!done) {
    std::fprintf(stderr, "\r%s, %" PRIu64 " keys\033[K", doing_, keys);
    return;
  }
  const double share = std::min(1.0, *done);
  const auto filled = static_cast<std::size_t>(share * static_cast<double>(kBarWidth));
  const std::string bar = std::string(filled, '#') + std::string(kBarWidth - filled, '.');
  std::fprintf(stderr, "\r[%s] %3.0f%%  %s, %" PRIu64 " keys\033[K", bar.c_str(), share * 100, doing_, keys);
}

}  // namespace crivo::tool
