// A progress bar on standard error, for people only: silent unless that is a terminal.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace crivo::tool {

class Progress {
 public:
  /// doing: what takes so long, "reading"; not copied.
  explicit Progress(const char* doing);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  /// done: in [0, 1]; where it is unknown there is no bar, only the count of keys.
  void update(std::optional<double> done, std::uint64_t keys);

 private:
  const char* doing_;
  bool visible_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point next_draw_;
};

}  // namespace crivo::tool
