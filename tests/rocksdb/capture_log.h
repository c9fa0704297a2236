// A RocksDB log that stores its lines for a test.
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
  /// Returns and removes the lines since the last call.
  [[nodiscard]] std::string take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(lines_, {});
  }

 private:
  std::mutex mutex_;
  std::string lines_;
};

}  // namespace crivo::testing
