// The parts of a filter that lie elsewhere, as far as they are here: those that were asked last, within a limit.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "crivo/manifest.h"
#include "format/partial_file.h"

namespace crivo {

/// To be used by one thread at a time.
class PartCache {
 public:
  /// As of PartialFile.
  PartCache(bool verify, std::uint64_t max_whole_bytes) noexcept : verify_(verify), max_whole_bytes_(max_whole_bytes) {}

  /// Gives up the parts whose files this manifest does not name.
  void take(const Manifest& manifest);
  /// The part's file, which may have no bytes yet. It must not be kept.
  [[nodiscard]] PartialFile& use(const Manifest& manifest, std::uint32_t number);
  /// Opens the part as far as it is here. Errors: those of PartialFile and of check_part, after which the part is given
  /// up.
  Result<void> open(const Manifest& manifest, std::uint32_t number, MissingBytes& missing);
  /// Takes bytes of a part that was not given up meanwhile. Errors: as PartialFile::supply, likewise.
  Result<void> supply(std::uint32_t number, const ByteRange& asked, std::span<const std::byte> bytes);
  void evict(std::uint32_t number) noexcept;

  /// Whether there is room for more: parts take at most half of this, or there is one, and it takes no more than this.
  [[nodiscard]] bool has_room(std::uint64_t most_bytes) const noexcept {
    return memory_bytes_ <= (here_.size() == 1 ? most_bytes : most_bytes / 2);
  }
  /// Gives up those that were asked longest ago, until there is room, and some more, so that it lasts.
  void make_room(std::uint64_t most_bytes);
  [[nodiscard]] std::uint64_t memory_bytes() const noexcept { return memory_bytes_; }

 private:
  struct Entry {
    PartialFile file;
    std::uint64_t checksum;  // as the manifest names it
    std::uint64_t used = 0;  // when it was asked last, by asked_
    bool is_checked = false;
    std::size_t place = 0;      // in here_
    std::uint64_t counted = 0;  // of memory_bytes_
  };
  void count(Entry& part) noexcept;

  const bool verify_;
  const std::uint64_t max_whole_bytes_;
  std::vector<std::unique_ptr<Entry>> parts_;  // null for one that was not asked, or was given up
  std::vector<std::uint32_t> here_;            // the others
  std::uint64_t asked_ = 0;
  std::uint64_t memory_bytes_ = 0;
};

}  // namespace crivo
