// Which segments of a mapped payload have been verified: one bit for each. Any number of threads may use it at the same
// time. Memory is taken only for pages in which a bit is set, as a file of terabytes may be all holes: calloc leaves
// the pages of a large piece to the system.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

namespace crivo {

class VerifiedSegments {
 public:
  explicit VerifiedSegments(std::uint64_t segments)
      : left_(segments), words_(static_cast<Word*>(std::calloc(index_of(segments) + 1, sizeof(Word)))) {
    if (words_ == nullptr) throw std::bad_alloc();
  }

  /// Once it is true, no segment needs to be looked up any more.
  [[nodiscard]] bool all() const noexcept { return left_.load(std::memory_order_relaxed) == 0; }
  [[nodiscard]] bool has(std::uint64_t segment) const noexcept {
    return (__atomic_load_n(word_of(segment), __ATOMIC_RELAXED) >> (segment % 64) & 1) != 0;
  }
  /// Two threads may have verified the same segment; it is counted once.
  void add(std::uint64_t segment) noexcept {
    const std::uint64_t bit = std::uint64_t{1} << (segment % 64);
    if ((__atomic_fetch_or(word_of(segment), bit, __ATOMIC_RELAXED) & bit) == 0) {
      left_.fetch_sub(1, std::memory_order_relaxed);
    }
  }

 private:
  using Word = std::uint64_t;
  struct Free {
    void operator()(Word* words) const noexcept { std::free(words); }
  };
  static std::size_t index_of(std::uint64_t segment) noexcept { return static_cast<std::size_t>(segment / 64); }

  /// To be read and changed by the compiler's atomic functions alone: std::atomic_ref is missing in libc++ 18.
  [[nodiscard]] Word* word_of(std::uint64_t segment) const noexcept { return &words_[index_of(segment)]; }

  std::atomic<std::uint64_t> left_;
  std::unique_ptr<Word[], Free> words_;
};

}  // namespace crivo
