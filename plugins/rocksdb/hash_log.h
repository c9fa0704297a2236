// The hashes of one filter's keys, kept until their number is known.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace crivo {

/// Grows by chunks: nothing is moved, and the peak is what is kept, where a vector would need three times that.
class HashLog {
 public:
  /// Throws std::bad_alloc, with the log unchanged.
  void append(std::uint64_t hash) {
    if (chunks_.empty() || chunks_.back().size() == kChunkHashes) {
      std::vector<std::uint64_t> chunk;
      chunk.reserve(kChunkHashes);
      chunks_.push_back(std::move(chunk));
    }
    chunks_.back().push_back(hash);
    ++size_;
  }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::span<const std::vector<std::uint64_t>> chunks() const noexcept { return chunks_; }

  void clear() noexcept {
    chunks_.clear();
    size_ = 0;
  }

 private:
  static constexpr std::size_t kChunkHashes = 4096;

  std::vector<std::vector<std::uint64_t>> chunks_;
  std::size_t size_ = 0;
};

}  // namespace crivo
