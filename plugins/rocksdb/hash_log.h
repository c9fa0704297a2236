// The hashes of one filter's keys, kept until their number is known.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace crivo {

/// One array that grows where it lies in memory, or is moved to another address without copying its pages. So the peak
/// of its memory is what it holds, hardly more than 8 bytes per hash, and its hashes are sorted in place. A vector
/// would need twice that memory while it grows, and a list of chunks while it is gathered into one array.
class HashLog {
 public:
  HashLog() = default;
  HashLog(HashLog&& other) noexcept { swap(other); }
  HashLog& operator=(HashLog other) noexcept {
    swap(other);
    return *this;
  }
  ~HashLog() { release(); }

  /// Throws std::bad_alloc, with the log unchanged.
  void append(std::uint64_t hash) {
    if (size_ == capacity_) grow();
    hashes_[size_++] = hash;
  }
  /// Sorts the hashes and drops repeated ones. Throws std::bad_alloc, with their order lost.
  void make_set();
  /// Forgets the hashes, but keeps the memory that the hashes of one partition need.
  void clear() noexcept;

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::span<const std::uint64_t> hashes() const noexcept { return {hashes_, size_}; }

 private:
  void grow();
  void release() noexcept;
  void swap(HashLog& other) noexcept {
    std::swap(hashes_, other.hashes_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

  std::uint64_t* hashes_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace crivo
