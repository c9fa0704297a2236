// Which chunks of a mapped payload have been verified: one bit for each. Any number of threads may use it at the same
// time.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace crivo {

class VerifiedChunks {
 public:
  explicit VerifiedChunks(std::uint64_t chunks)
      : left_(chunks), words_(std::make_unique<Word[]>(static_cast<std::size_t>((chunks + 63) / 64))) {}

  /// Once it is true, no chunk needs to be looked up any more.
  [[nodiscard]] bool all() const noexcept { return left_.load(std::memory_order_relaxed) == 0; }
  [[nodiscard]] bool has(std::uint64_t chunk) const noexcept {
    return (words_[index_of(chunk)].load(std::memory_order_relaxed) >> (chunk % 64) & 1) != 0;
  }
  /// Two threads may have verified the same chunk; it is counted once.
  void add(std::uint64_t chunk) noexcept {
    const std::uint64_t bit = std::uint64_t{1} << (chunk % 64);
    if ((words_[index_of(chunk)].fetch_or(bit, std::memory_order_relaxed) & bit) == 0) {
      left_.fetch_sub(1, std::memory_order_relaxed);
    }
  }

 private:
  using Word = std::atomic<std::uint64_t>;
  static std::size_t index_of(std::uint64_t chunk) noexcept { return static_cast<std::size_t>(chunk / 64); }

  std::atomic<std::uint64_t> left_;
  std::unique_ptr<Word[]> words_;
};

}  // namespace crivo
