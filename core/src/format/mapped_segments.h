// A bit per segment of a mapped payload: whether it was verified. Thread-safe. A file of terabytes may be mostly holes;
// since calloc leaves the pages of large allocations to the system, only pages with a set bit are allocated.
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

  /// If true, no segment needs to be looked up any more.
  [[nodiscard]] bool all() const noexcept { return left_.load(std::memory_order_relaxed) == 0; }
  [[nodiscard]] bool has(std::uint64_t segment) const noexcept {
    return (__atomic_load_n(word_of(segment), __ATOMIC_RELAXED) >> (segment % 64) & 1) != 0;
  }
  /// A segment that two threads have verified is counted once.
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

  /// Accessed only by the compiler's atomic functions, because libc++ 18 lacks std::atomic_ref.
  [[nodiscard]] Word* word_of(std::uint64_t segment) const noexcept { return &words_[index_of(segment)]; }

  std::atomic<std::uint64_t> left_;
  std::unique_ptr<Word[], Free> words_;
};

}  // namespace crivo
