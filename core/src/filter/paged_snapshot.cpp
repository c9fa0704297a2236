#include "crivo/host/paged_snapshot.h"

#include <algorithm>
#include <utility>

#include "kinds/registry.h"

namespace crivo {

void PagedSnapshot::count(std::uint64_t page, const Page& stored) {
  const Paging& paging = *find_kind(shape_.kind)->paging;
  if (paging.cells != nullptr) cells_ += paging.cells(filter_.layout(), page, stored.bytes);
}

std::uint64_t PagedSnapshot::payload_bytes() {
  const KindRow& row = *find_kind(shape_.kind);
  if (row.paging->payload_shape != nullptr) shape_ = row.paging->payload_shape(filter_.layout(), cells_);
  const Result<std::uint64_t> bytes = row.payload_bytes(shape_);
  return bytes.has_value() ? *bytes : UINT64_MAX;
}

AlignedBytes& PagedSnapshot::start() {
  payload_.resize(static_cast<std::size_t>(payload_bytes()));
  const KindRow& row = *find_kind(shape_.kind);
  if (row.start != nullptr) row.start({shape_, payload_}, {});
  return payload_;
}

void PagedSnapshot::put(std::uint64_t page, const Page& stored) {
  const PageLayout& layout = filter_.layout();
  const Paging& paging = *find_kind(shape_.kind)->paging;
  if (!paging.is_payload()) return paging.put(layout, page, stored, {shape_, payload_});
  std::copy_n(stored.bytes, layout.bytes_of(page), payload_.data() + page * layout.page_bytes);
}

Result<AnyFilter> PagedSnapshot::finish(const Facts& facts, std::uint64_t max_bytes) {
  return AnyFilter::adopt(shape_, facts, std::move(payload_), max_bytes);
}

}  // namespace crivo
