// A log of RocksDB's that keeps its lines for a test to look at.
#pragma once

#include <rocksdb/env.h>

#include <array>
#include <cstdarg>
#include <mutex>
#include <string>
#include <utility>

namespace crivo::testing {

class CaptureLog final : public rocksdb::Logger {
 public:
  using rocksdb::Logger::Logv;
  void Logv(const char* format, va_list arguments) override {
    std::array<char, 1024> line;
    std::vsnprintf(line.data(), line.size(), format, arguments);
    const std::lock_guard lock(mutex_);
    lines_ += std::string(line.data()) + "\n";
  }
  /// What was logged since this was last called.
  [[nodiscard]] std::string take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(lines_, {});
  }

 private:
  std::mutex mutex_;
  std::string lines_;
};

}  // namespace crivo::testing
