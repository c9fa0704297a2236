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
constexpr std::chrono::seconds kFirstEstimate{1};

/// ", 12 s left", in the largest unit in which the time is at least 2; empty if it is too early for an estimate.
std::string time_left(std::chrono::duration<double> taken, double share) {
  if (taken < kFirstEstimate || share < 0.01) return {};
  const double seconds = taken.count() * (1 - share) / share;
  char text[48];
  const bool hours = seconds >= 7200;
  const bool minutes = seconds >= 120;
  std::snprintf(text, sizeof text, ", %.0f %s left",
                hours     ? seconds / 3600
                : minutes ? seconds / 60
                          : seconds,
                hours     ? "h"
                : minutes ? "min"
                          : "s");
  return text;
}

}  // namespace

// Unless at_once, draws after one interval: shorter work needs no bar.
Progress::Progress(const char* doing, bool at_once)
    : doing_(doing),
      visible_(::isatty(STDERR_FILENO) != 0),
      drawn_(visible_ && at_once),
      start_(std::chrono::steady_clock::now()),
      next_draw_(start_ + kInterval) {
  if (drawn_) std::fprintf(stderr, "\r%s\033[K", doing_);
}

Progress::~Progress() {
  if (drawn_) std::fputs("\r\033[K", stderr);
}

void Progress::update(std::optional<double> done, std::uint64_t keys) {
  if (!visible_ || std::chrono::steady_clock::now() < next_draw_) return;
  const auto now = std::chrono::steady_clock::now();
  next_draw_ = now + kInterval;
  drawn_ = true;
  if (!done) {
    std::fprintf(stderr, "\r%s, %" PRIu64 " keys\033[K", doing_, keys);
    return;
  }
  const double share = std::min(1.0, *done);
  const auto filled = static_cast<std::size_t>(share * static_cast<double>(kBarWidth));
  const std::string bar = std::string(filled, '#') + std::string(kBarWidth - filled, '.');
  std::fprintf(stderr, "\r[%s] %3.0f%%  %s, %" PRIu64 " keys%s\033[K", bar.c_str(), share * 100, doing_, keys,
               time_left(now - start_, share).c_str());
}

}  // namespace crivo::tool
