// The hashes of one filter's keys, kept until their number is known.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace crivo {

/// One array that grows where it lies in memory, or is moved by its page tables: so the peak is what is kept, hardly
/// more than 8 bytes per hash, and a filter that is built from sorted hashes needs no second array to sort them in. A
/// vector would need twice that when it grows, and a list of chunks when it is gathered.
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
  /// Forgets the hashes; keeps memory for those of a partition.
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
