// A file that is mapped for reading and that other programs may change, and a record of its verified segments.
// crivo/mapped_filter.h states the guarantees.
#pragma once

#include <sys/stat.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>
#include <string>

#include "crivo/host/owned_fd.h"
#include "crivo/result.h"
#include "format/mapped_guard.h"

namespace crivo {

class MappedFile {
 public:
  /// Errors, naming the path: kSystem; kBadArgument for a folder, a pipe or a device; kTooLarge.
  [[nodiscard]] static Result<std::unique_ptr<MappedFile>> open(const std::string& path, bool may_change);
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  /// The file's contents. Read them under a MappedRead of range(), and use the results only if is_unchanged() is true
  /// afterwards.
  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return {range_.begin, range_.bytes}; }
  [[nodiscard]] MappedRange& range() noexcept { return range_; }

  /// Reads bytes from this offset on, without the mapping. Returns their number, which is below into.size() only at the
  /// end of the file. Errors: kSystem naming the path.
  Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> into) const;

  /// Replaces the pages of these bytes with private copies, which stay unchanged even if the file is changed or
  /// truncated. Call it in ascending order of offsets, and not while another thread reads. Errors: kSystem naming the
  /// path.
  Result<void> freeze(std::uint64_t offset, std::uint64_t bytes);

  /// Whether all reads so far returned what the file contained at opening. Without may_change, detects only lost pages.
  [[nodiscard]] bool is_unchanged() noexcept { return !range_.lost.load() && (!may_change_ || !has_changed()); }
  /// The error if is_unchanged() is false: kCorrupt.
  [[nodiscard]] Error change_error() const;

 private:
  MappedFile(std::string path, int fd, bool may_change) noexcept
      : path_(std::move(path)), fd_(fd), may_change_(may_change) {}
  Result<void> record_state();
  [[nodiscard]] bool has_changed() noexcept;
  Result<void> map();
  [[nodiscard]] Error failed(const char* rule, int reason) const;

  std::string path_;
  OwnedFd fd_;
  bool may_change_;
  struct stat opened_ {};  // the status at the time of opening
  MappedRange range_;
  std::atomic<bool> changed_ = false;
};

/// A bit per segment of a mapped payload, set once the segment is verified. Thread-safe. calloc gets a large array from
/// the system as untouched zero pages, so only pages with a set bit use memory, even for a sparse file of terabytes.
class VerifiedSegments {
 public:
  explicit VerifiedSegments(std::uint64_t segments)
      : left_(segments), words_(static_cast<Word*>(std::calloc(index_of(segments) + 1, sizeof(Word)))) {
    if (words_ == nullptr) throw std::bad_alloc();
  }

  /// Whether all segments were verified.
  [[nodiscard]] bool all() const noexcept { return left_.load(std::memory_order_relaxed) == 0; }
  [[nodiscard]] bool has(std::uint64_t segment) const noexcept {
    return (__atomic_load_n(word_of(segment), __ATOMIC_RELAXED) >> (segment % 64) & 1) != 0;
  }
  /// Two threads may add the same segment.
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
