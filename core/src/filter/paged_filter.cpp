#include "crivo/host/paged_filter.h"

#include <limits>

#include "base/bit_array.h"
#include "base/error_text.h"
#include "filter/filter_plan.h"
#include "kinds/registry.h"

namespace crivo {
namespace {

const Paging* paging_of(const Shape& shape) noexcept {
  const KindRow* row = find_kind(shape.kind);
  return row != nullptr ? row->paging : nullptr;
}

/// The error for a kind without pages or, if `as_payload`, with pages that are not the payload.
Error unpageable(const Shape& shape, bool as_payload) {
  std::string names;
  for (const KindInfo& info : kinds()) {
    const Paging* paging = find_kind(info.kind)->paging;
    if (paging == nullptr || (as_payload && !paging->is_payload())) continue;
    if (!names.empty()) names += ", ";
    names += info.name;
  }
  const KindRow* row = find_kind(shape.kind);
  return error(ErrorCode::kUnsupported, "kind must support pages (", names, "), got ",
               row == nullptr ? std::to_string(static_cast<unsigned>(shape.kind)) : std::string(row->info.name));
}

}  // namespace

std::size_t PagedFilter::granularity(const Shape& shape) noexcept {
  const Paging* paging = paging_of(shape);
  return paging != nullptr ? paging->granularity(shape) : 0;
}

Result<PagedFilter> PagedFilter::open(const Shape& shape, std::size_t page_bytes) {
  const Paging* paging = paging_of(shape);
  if (paging == nullptr) return unpageable(shape, /*as_payload=*/false);
  const KindRow& row = *find_kind(shape.kind);
  if (auto valid = check_hash_id(row.info, shape); !valid) return valid.error();
  const Result<std::uint64_t> payload = row.payload_bytes(shape);
  if (!payload.has_value()) return payload.error();
  const std::size_t granule = paging->granularity(shape);
  if (paging->split != nullptr && page_bytes != granule) {
    return bad_argument("page bytes must be ", granule, ", got ", page_bytes);
  }
  if (page_bytes == 0 || page_bytes % granule != 0) {
    return bad_argument("page bytes must be a multiple of ", granule, " above 0, got ", page_bytes);
  }
  const std::uint64_t bytes = paging->is_payload() ? *payload : paging->bytes(shape);
  return PagedFilter(*paging, {.shape = shape, .bytes = bytes, .page_bytes = page_bytes});
}

Result<PagedFilter> PagedFilter::open_payload(const Shape& shape, std::size_t page_bytes) {
  const Paging* paging = paging_of(shape);
  if (paging == nullptr || !paging->is_payload()) return unpageable(shape, /*as_payload=*/true);
  return open(shape, page_bytes);
}

Result<Shape> PagedFilter::plan(const FilterSpec& spec) {
  const Result<FilterPlan> plan = plan_filter(spec, std::numeric_limits<std::uint64_t>::max());
  if (!plan) return plan.error();
  return plan->shape;
}

std::uint64_t PagedFilter::page_of(std::uint64_t key_hash) const noexcept {
  return paging_->page_of(layout_, key_hash);
}

bool PagedFilter::counts() const noexcept { return paging_->count != nullptr; }

bool PagedFilter::may_contain_hash(std::uint64_t key_hash, PageSource& pages) const {
  return paging_->contains(layout_, key_hash, pages);
}

Result<std::uint64_t> PagedFilter::count_hash(std::uint64_t key_hash, PageSource& pages) const {
  if (paging_->count != nullptr) return paging_->count(layout_, key_hash, pages);
  return unsupported(find_kind(shape().kind)->info, "count", &Capabilities::count);
}

Result<Added> PagedFilter::add_hash(std::uint64_t key_hash, PageSource& pages, bool only_if_absent) const {
  return paging_->add(layout_, key_hash, pages, only_if_absent);
}

Result<std::uint64_t> PagedFilter::remove_hash(std::uint64_t key_hash, PageSource& pages) const {
  if (paging_->remove != nullptr) return paging_->remove(layout_, key_hash, pages);
  return unsupported(find_kind(shape().kind)->info, "remove", &Capabilities::remove);
}

bool PagedFilter::grows() const noexcept { return paging_->split != nullptr; }

PagedFilter PagedFilter::with_a_page_more() const noexcept {
  PagedFilter more = *this;
  ++more.layout_.shape.units;
  more.layout_.bytes += layout_.page_bytes;
  return more;
}

void PagedFilter::split(PageSource& pages) const { paging_->split(layout_, pages); }

bool PagedFilter::is_sound(std::uint64_t page, const std::byte* bytes) const noexcept {
  return paging_->is_sound == nullptr || paging_->is_sound(layout_, page, bytes);
}

Stats PagedFilter::page_stats(std::uint64_t page, const std::byte* bytes) const {
  return paging_->page_stats(layout_, page, bytes);
}

bool PagedFilter::is_idle(std::uint64_t page, const Page& stored) const noexcept {
  if (paging_->is_idle != nullptr) return paging_->is_idle(layout_, stored);
  return is_zero({stored.bytes, bytes_of(page)});
}

void PagedFilter::unite_page(std::uint64_t page, std::byte* into, const std::byte* other) const {
  paging_->unite(layout_, page, into, other);
}

}  // namespace crivo
