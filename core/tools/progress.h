// A progress bar on standard error, for people only: nothing is drawn unless that is a terminal.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace crivo::tool {

class Progress {
 public:
  /// doing: the name of the work, such as "reading", which must outlive the bar. at_once: draws it now, for work that
  /// tells nothing until it is done, and may take long.
  explicit Progress(const char* doing, bool at_once = false);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  /// done: the share that is done, in [0, 1]. If it is unknown there is no bar, only the number of keys. The time that
  /// is left follows from the time that this share took, and is shown from one second on.
  void update(std::optional<double> done, std::uint64_t keys);

 private:
  const char* doing_;
  bool visible_;
  bool drawn_;
  std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point next_draw_;
};

}  // namespace crivo::tool
