// Assembles a filter from its pages (paged_filter.h).
#pragma once

#include <cstddef>
#include <cstdint>

#include "crivo/filter.h"
#include "crivo/host/paged_filter.h"

namespace crivo {

/// Pass every stored page to count(), call start(), pass every stored page to put(), then call finish(). All pages must
/// be valid (PagedFilter::is_sound). Throws std::bad_alloc. The PagedFilter must outlive this object.
class PagedSnapshot {
 public:
  explicit PagedSnapshot(const PagedFilter& filter) noexcept : filter_(filter), shape_(filter.shape()) {}

  void count(std::uint64_t page, const Page& stored);
  /// Computes the shape from the counted pages, and returns the size of the payload.
  [[nodiscard]] std::uint64_t payload_bytes();
  /// Creates the payload of an empty filter, and returns it.
  AlignedBytes& start();
  void put(std::uint64_t page, const Page& stored);
  [[nodiscard]] Result<AnyFilter> finish(const Facts& facts, std::uint64_t max_bytes);

 private:
  const PagedFilter& filter_;
  Shape shape_;
  std::uint64_t cells_ = 0;
  AlignedBytes payload_;
};

}  // namespace crivo
