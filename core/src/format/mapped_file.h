// A file that is mapped into memory for reading, and that other programs may change meanwhile. crivo/mapped_filter.h
// says what is promised of such files.
#pragma once

#include <sys/stat.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "crivo/host/owned_fd.h"
#include "crivo/result.h"
#include "format/mapped_guard.h"

namespace crivo {

class MappedFile {
 public:
  /// Errors: kSystem, or kBadArgument for what is no regular file, naming the path; kTooLarge.
  [[nodiscard]] static Result<std::unique_ptr<MappedFile>> open(const std::string& path, bool may_change);
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  /// What the file holds. It must be read under a MappedRead of range(), and what was read means nothing until
  /// is_as_opened() was asked.
  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return {range_.begin, range_.bytes}; }
  [[nodiscard]] MappedRange& range() noexcept { return range_; }

  /// Copies what the file holds from this place on, without the mapping, and returns the number of bytes: fewer than
  /// were asked for at the end of the file. Errors: kSystem naming the path.
  Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> into) const;

  /// Puts private copies in place of the pages on which these bytes lie: they stay what they are now, even if the file
  /// is changed or truncated. To be called from the lowest offset to the highest, and not while another thread reads.
  /// Errors: kSystem naming the path.
  Result<void> freeze(std::uint64_t offset, std::uint64_t bytes);

  /// Whether all that was read until now is what the file held when it was opened.
  [[nodiscard]] bool is_as_opened() noexcept { return !range_.lost.load() && (!may_change_ || !has_changed()); }
  /// The error to give if it is not: kCorrupt.
  [[nodiscard]] Error why_not() const;

 private:
  MappedFile(std::string path, int fd, bool may_change) noexcept
      : path_(std::move(path)), fd_(fd), may_change_(may_change) {}
  Result<void> look();
  [[nodiscard]] bool has_changed() noexcept;
  Result<void> map();
  [[nodiscard]] Error failed(const char* rule, int reason) const;

  std::string path_;
  OwnedFd fd_;
  bool may_change_;
  struct stat opened_ {};  // as it was when the file was opened
  MappedRange range_;
  std::atomic<bool> changed_ = false;
};

}  // namespace crivo
