// A progress bar on standard error, for people only: silent unless that is a terminal.
#pragma once

#include <chrono>
#include <cstdint>

namespace crivo::tool {

class Progress {
 public:
  /// total_bytes: 0 if unknown; there is no bar then, only the count.
  explicit Progress(std::uint64_t total_bytes);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  void update(std::uint64_t bytes, std::uint64_t keys);

 private:
  std::uint64_t total_bytes_;
  bool visible_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point next_draw_;
};

}  // namespace crivo::tool
