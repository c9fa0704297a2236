// Which chunks of a mapped payload have been verified: one bit for each. Any number of threads may use it at the same
// time. A file of terabytes may be forged, and have holes in place of its contents; so memory is taken only for those
// bits that are set: calloc leaves the pages of a large piece to the system, which makes them at the first use.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

namespace crivo {

class VerifiedChunks {
 public:
  explicit VerifiedChunks(std::uint64_t chunks)
      : left_(chunks), words_(static_cast<Word*>(std::calloc(index_of(chunks) + 1, sizeof(Word)))) {
    if (words_ == nullptr) throw std::bad_alloc();
  }

  /// Once it is true, no chunk needs to be looked up any more.
  [[nodiscard]] bool all() const noexcept { return left_.load(std::memory_order_relaxed) == 0; }
  [[nodiscard]] bool has(std::uint64_t chunk) const noexcept {
    return (word_of(chunk).load(std::memory_order_relaxed) >> (chunk % 64) & 1) != 0;
  }
  /// Two threads may have verified the same chunk; it is counted once.
  void add(std::uint64_t chunk) noexcept {
    const std::uint64_t bit = std::uint64_t{1} << (chunk % 64);
    if ((word_of(chunk).fetch_or(bit, std::memory_order_relaxed) & bit) == 0) {
      left_.fetch_sub(1, std::memory_order_relaxed);
    }
  }

 private:
  using Word = std::uint64_t;
  struct Free {
    void operator()(Word* words) const noexcept { std::free(words); }
  };
  static std::size_t index_of(std::uint64_t chunk) noexcept { return static_cast<std::size_t>(chunk / 64); }

  [[nodiscard]] std::atomic_ref<Word> word_of(std::uint64_t chunk) const noexcept {
    return std::atomic_ref<Word>(words_[index_of(chunk)]);
  }

  std::atomic<std::uint64_t> left_;
  std::unique_ptr<Word[], Free> words_;
};

}  // namespace crivo
