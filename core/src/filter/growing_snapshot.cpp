#include "crivo/host/growing_snapshot.h"

#include <algorithm>
#include <utility>

#include "kinds/growing/groups.h"
#include "kinds/growing/page.h"

namespace crivo {

void GrowingSnapshot::count(std::uint64_t page, const std::byte* bytes) {
  cells_ += GroupPage(filter_.shape(), page, bytes, room_).cells();
}

// A page may be fuller than the groups of a payload are on average. So there may have to be more groups than pages, and
// each of them may take a cell more.
std::uint64_t GrowingSnapshot::payload_bytes() const {
  const GroupBytes bytes(shape_.param);
  const std::uint64_t pages = filter_.pages();
  const std::uint64_t groups = cells_ > pages ? (cells_ - pages) / (bytes.cells - 1) + 1 : 1;
  return kGroupsAt + std::max(pages, groups) * bytes.all;
}

void GrowingSnapshot::start() {
  payload_.resize(static_cast<std::size_t>(payload_bytes()));
  shape_.units = (payload_.size() - kGroupsAt) / GroupBytes(shape_.param).all;
  start_groups(shape_, payload_);
}

void GrowingSnapshot::take(std::uint64_t page, const std::byte* bytes) {
  if (payload_.empty()) start();
  const std::uint64_t step = std::uint64_t{1} << GroupPage::level_of(filter_.shape(), page);
  for (std::uint64_t group = page; group < shape_.units; group += step) {
    fill_group(shape_, payload_, group, GroupPage(shape_, group, bytes, room_).slots());
  }
}

Result<AnyFilter> GrowingSnapshot::finish(const Facts& facts, std::uint64_t max_bytes) {
  if (payload_.empty()) start();
  return AnyFilter::adopt(shape_, facts, std::move(payload_), max_bytes);
}

}  // namespace crivo
