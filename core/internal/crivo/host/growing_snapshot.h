// A growing filter in one piece, made of its pages (paged_filter.h).
#pragma once

#include <cstddef>
#include <cstdint>

#include "crivo/filter.h"
#include "crivo/host/paged_filter.h"

namespace crivo {

/// Takes the pages that are stored, each of them twice: first to be counted, and then, from the first take() on, to be
/// put where they belong. A page must be one that PagedFilter::is_sound() accepts. Throws std::bad_alloc.
class GrowingSnapshot {
 public:
  explicit GrowingSnapshot(const PagedFilter& filter) noexcept : filter_(filter), shape_(filter.shape()) {}

  void count(std::uint64_t page, const std::byte* bytes);
  /// The bytes of the payload, of pages that were all counted.
  [[nodiscard]] std::uint64_t payload_bytes() const;
  void take(std::uint64_t page, const std::byte* bytes);
  [[nodiscard]] Result<AnyFilter> finish(const Facts& facts, std::uint64_t max_bytes);

 private:
  void start();

  const PagedFilter& filter_;
  Shape shape_;
  std::uint64_t cells_ = 0;
  AlignedBytes room_;
  AlignedBytes payload_;  // empty until a page is taken
};

}  // namespace crivo
