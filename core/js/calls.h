// Helpers for the functions of exports.h: they report errors, and read arguments from the shared buffer.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "buffer.h"
#include "crivo/hash.h"
#include "crivo/result.h"

namespace crivo::js {

constexpr std::size_t kBatch = 512;

inline std::string_view text_in_buffer(std::size_t bytes) {
  return {reinterpret_cast<const char*>(buffer_bytes()), bytes};
}

inline bool fail(int code, std::string message) {
  last_error() = {code, std::move(message)};
  return false;
}

inline std::uint64_t seed_of(double high, double low) {
  return static_cast<std::uint64_t>(high) << 32 | static_cast<std::uint64_t>(low);
}

/// Runs a `Result<void> work()`.
template <class Work>
bool done(Work&& work) noexcept {
  try {
    const Result<void> result = work();
    return result || fail(static_cast<int>(result.error().code), result.error().message);
  } catch (const std::exception&) {
    constexpr int kNoMemory = 9;
    return fail(kNoMemory, {});  // a message would need memory
  }
}

/// Runs a `Result<T> work()`, and returns its T on the heap, or null on an error.
template <class T, class Work>
T* made(Work&& work) noexcept {
  T* on_heap = nullptr;
  done([&]() -> Result<void> {
    Result<T> result = work();
    if (!result) return result.error();
    on_heap = std::make_unique<T>(*std::move(result)).release();
    return {};
  });
  return on_heap;
}

/// The keys in the shared buffer, valid until the buffer changes.
class Batch {
 public:
  explicit Batch(std::size_t count) : count_(count) {
    const auto* bytes = reinterpret_cast<const char*>(buffer_bytes()) + kBatch * sizeof(std::uint32_t);
    for (std::size_t i = 0; i < count; ++i) {
      std::uint32_t size = 0;
      std::memcpy(&size, buffer_bytes() + i * sizeof size, sizeof size);
      keys_[i] = {bytes, size};
      bytes += size;
    }
    end_ = bytes;
  }
  [[nodiscard]] std::span<const std::string_view> keys() const { return std::span(keys_).first(count_); }
  /// The end of the last key.
  [[nodiscard]] const char* end() const { return end_; }
  [[nodiscard]] std::span<const std::uint64_t> hashes(HashId id, std::uint64_t seed) {
    hash_keys(id, keys(), seed, hashes_);
    return std::span(hashes_).first(count_);
  }

 private:
  std::size_t count_;
  const char* end_;
  std::array<std::string_view, kBatch> keys_;
  std::array<std::uint64_t, kBatch> hashes_;
};

}  // namespace crivo::js
