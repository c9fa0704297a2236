// A progress bar on standard error. Draws nothing unless standard error is a terminal.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace crivo::tool {

class Progress {
 public:
  /// doing: the name of the work, such as "reading", which must outlive the bar. at_once: draws immediately, for work
  /// that may take long without updates.
  explicit Progress(const char* doing, bool at_once = false);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  /// done: the completed share, in [0, 1]; if absent, only the number of keys is shown. After one second, the remaining
  /// time is estimated from the elapsed time.
  void update(std::optional<double> done, std::uint64_t keys);

 private:
  const char* doing_;
  bool visible_;
  bool drawn_;
  std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point next_draw_;
};

}  // namespace crivo::tool
