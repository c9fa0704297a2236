// A key of a kind with blocks is asked and changed in a filter of one block, as its places in the block do not depend
// on the number of blocks. A key of the other kinds is looked up position by position; a bit is a counter of one bit.
#include "crivo/host/paged_filter.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "base/error_text.h"
#include "base/math128.h"
#include "base/portable.h"
#include "crivo/memory.h"
#include "filter/filter_plan.h"
#include "kinds/bloom/counter_array.h"
#include "kinds/bloom/positions.h"
#include "kinds/growing/page.h"
#include "kinds/registry.h"

namespace crivo {
namespace {

constexpr std::size_t kWordBytes = 8;

/// A place in the payload, as a page and an offset in it.
struct PagePlace {
  std::uint64_t page;
  std::size_t offset;
  PagePlace(std::uint64_t byte, std::size_t page_bytes) noexcept
      : page(byte / page_bytes), offset(static_cast<std::size_t>(byte % page_bytes)) {}
};

/// The block of one key, in its page.
class KeyBlock {
 public:
  KeyBlock(const KindRow& row, const Shape& shape, std::size_t page_bytes, std::uint64_t hash) noexcept
      : row_(row), shape_(shape), hash_(hash), place_(mulhi(hash, shape.units) * row.block_bytes, page_bytes) {
    shape_.units = 1;
  }

  [[nodiscard]] bool contains(PageSource& pages) const { return is_in(pages.read(place_.page)); }
  [[nodiscard]] std::uint64_t count(PageSource& pages) const { return count_in(pages.read(place_.page)); }
  bool add(PageSource& pages, bool only_if_absent) const {
    const std::byte* page = pages.read(place_.page);
    const bool is_new = !is_in(page);
    if (!is_new && (only_if_absent || row_.count == nullptr)) return false;
    std::uint64_t added = 0;
    // The pageable kinds have room for every key, so there is no error to hand on.
    (void)change(page, pages, [&](Store store) { return row_.add(store, {&hash_, 1}, added); });
    return is_new;
  }
  Result<std::uint64_t> remove(PageSource& pages) const {
    const std::byte* page = pages.read(place_.page);
    const std::uint64_t before = count_in(page);
    const auto removed = change(page, pages, [&](Store store) { return row_.remove(store, hash_); });
    if (!removed) return removed.error();
    return before;
  }

 private:
  [[nodiscard]] View view(const std::byte* page) const noexcept {
    return {shape_, page + place_.offset, row_.block_bytes};
  }
  [[nodiscard]] bool is_in(const std::byte* page) const {
    return page != nullptr && row_.probe(shape_).contains(view(page), hash_);
  }
  [[nodiscard]] std::uint64_t count_in(const std::byte* page) const {
    return page != nullptr ? row_.count(view(page), hash_) : 0;
  }
  /// Applies `change(store)` to a copy of the block in this page, and writes the copy if the change succeeded.
  template <class Change>
  Result<void> change(const std::byte* page, PageSource& pages, const Change& change) const {
    pages.room.assign(row_.block_bytes, std::byte{0});
    if (page != nullptr) std::copy_n(page + place_.offset, row_.block_bytes, pages.room.begin());
    Shape shape = shape_;
    if (auto changed = change(Store{shape, pages.room}); !changed) return changed;
    std::ranges::copy(pages.room, pages.write(place_.page) + place_.offset);
    return {};
  }

  const KindRow& row_;
  Shape shape_;
  std::uint64_t hash_;
  PagePlace place_;
};

/// The counters of one key, in their pages.
class KeyCounters {
 public:
  KeyCounters(const KindRow& row, const Shape& shape, std::size_t page_bytes, std::uint64_t hash) noexcept
      : shape_(shape), width_(row.position_bits(shape)), page_bytes_(page_bytes), hash_(hash) {}

  [[nodiscard]] std::uint64_t smallest(PageSource& pages) const {
    std::uint64_t smallest = largest_count(width_);
    Positions positions(hash_, shape_.units);
    for (unsigned i = 0; i < shape_.k && smallest != 0; ++i) {
      const CounterPlace counter(positions.next(), width_);
      smallest = std::min(smallest, load(counter, pages));
    }
    return smallest;
  }
  bool add(PageSource& pages, bool only_if_absent) const {
    const std::uint64_t smallest = this->smallest(pages);
    const std::uint64_t largest = largest_count(width_);
    if (smallest == largest || (smallest != 0 && only_if_absent)) return false;
    Positions positions(hash_, shape_.units);
    for (unsigned i = 0; i < shape_.k; ++i) {
      const CounterPlace counter(positions.next(), width_);
      if (load(counter, pages) != smallest) continue;
      const PagePlace place(counter.byte, page_bytes_);
      counter.raise(pages.write(place.page) + place.offset);
    }
    return smallest == 0;
  }

 private:
  [[nodiscard]] std::uint64_t load(const CounterPlace& counter, PageSource& pages) const {
    const PagePlace place(counter.byte, page_bytes_);
    const std::byte* page = pages.read(place.page);
    return page != nullptr ? counter.load(page + place.offset, width_) : 0;
  }

  const Shape& shape_;
  unsigned width_;
  std::size_t page_bytes_;
  std::uint64_t hash_;
};

/// The group of one key, in a page of its own.
class KeyGroup {
 public:
  KeyGroup(const Shape& shape, std::uint64_t page, PageSource& pages)
      : pages_(pages), page_(page), group_(shape, page, pages.read(page), pages.room) {}

  [[nodiscard]] GroupPage& group() noexcept { return group_; }
  void write() { group_.write(pages_.write(page_)); }

 private:
  PageSource& pages_;
  std::uint64_t page_;
  GroupPage group_;
};

Result<bool> add_to_group(KeyGroup group, std::uint64_t hash, bool only_if_absent) {
  const bool is_new = group.group().count(hash) == 0;
  if (!is_new && only_if_absent) return false;
  if (!group.group().add(hash)) {
    return error(ErrorCode::kFull, "keys of one group must be at most what a group holds, got one more");
  }
  group.write();
  return is_new;
}

Result<std::uint64_t> remove_from_group(KeyGroup group, std::uint64_t hash) {
  const std::uint64_t before = group.group().count(hash);
  if (!group.group().remove(hash)) return error(ErrorCode::kNotFound, "key must be in the filter, got one that is not");
  group.write();
  return before;
}

bool lies_in_groups(const Shape& shape) noexcept { return shape.kind == Kind::kGrowing; }

const KindRow& row_of(const Shape& shape) noexcept { return *find_kind(shape.kind); }

std::string pageable_kinds() {
  std::string names;
  for (const KindInfo& info : kinds()) {
    const Shape shape{.kind = info.kind};
    if (lies_in_groups(shape) || PagedFilter::granularity(shape) == 0) continue;
    if (!names.empty()) names += ", ";
    names += info.name;
  }
  return names;
}

}  // namespace

std::size_t PagedFilter::granularity(const Shape& shape) noexcept {
  const KindRow* row = find_kind(shape.kind);
  if (row == nullptr) return 0;
  if (lies_in_groups(shape)) {
    return shape.param >= kMinGrowingBits && shape.param <= kMaxGrowingBits ? GroupPage::bytes(shape) : 0;
  }
  return row->block_bytes != 0 ? row->block_bytes : row->position_bits != nullptr ? kWordBytes : 0;
}

Result<PagedFilter> PagedFilter::open(const Shape& shape, std::size_t page_bytes) {
  const KindRow* row = find_kind(shape.kind);
  const auto unsupported = [&] {
    return error(ErrorCode::kUnsupported, "kind must be one that can lie in pages (", pageable_kinds(), "), got ",
                 row == nullptr ? std::to_string(static_cast<unsigned>(shape.kind)) : std::string(row->info.name));
  };
  const bool in_groups = lies_in_groups(shape);
  if (row == nullptr || (!in_groups && granularity(shape) == 0)) return unsupported();
  if (auto valid = check_hash_id(row->info, shape); !valid) return valid.error();
  if (!in_groups && (page_bytes == 0 || page_bytes % granularity(shape) != 0)) {
    return bad_argument("page bytes must be a multiple of ", granularity(shape), " above 0, got ", page_bytes);
  }
  const Result<std::uint64_t> bytes = row->payload_bytes(shape);
  if (!bytes.has_value()) return bytes.error();
  if (!in_groups) return PagedFilter(shape, *bytes, page_bytes);
  if (page_bytes != granularity(shape)) return unsupported();  // pieces of a payload are no groups
  return PagedFilter(shape, shape.units * page_bytes, page_bytes);
}

Result<Shape> PagedFilter::plan(const FilterSpec& spec) {
  const Result<FilterPlan> plan = plan_filter(spec, std::numeric_limits<std::uint64_t>::max());
  if (!plan) return plan.error();
  return plan->shape;
}

std::uint64_t PagedFilter::pages() const noexcept { return (payload_bytes_ - 1) / page_bytes_ + 1; }

std::size_t PagedFilter::bytes_of(std::uint64_t page) const noexcept {
  return static_cast<std::size_t>(std::min<std::uint64_t>(page_bytes_, payload_bytes_ - page * page_bytes_));
}

std::uint64_t PagedFilter::page_of(std::uint64_t key_hash) const noexcept {
  const KindRow& row = row_of(shape_);
  if (lies_in_groups(shape_)) return GrowingForm(shape_).group_of(key_hash);
  const std::uint64_t unit = mulhi(key_hash, shape_.units);
  const std::uint64_t byte =
      row.block_bytes != 0 ? unit * row.block_bytes : CounterPlace(unit, row.position_bits(shape_)).byte;
  return byte / page_bytes_;
}

bool PagedFilter::counts() const noexcept { return row_of(shape_).info.can.count; }

bool PagedFilter::may_contain_hash(std::uint64_t key_hash, PageSource& pages) const {
  const KindRow& row = row_of(shape_);
  if (lies_in_groups(shape_)) return *count_hash(key_hash, pages) != 0;
  if (row.block_bytes != 0) return KeyBlock(row, shape_, page_bytes_, key_hash).contains(pages);
  return KeyCounters(row, shape_, page_bytes_, key_hash).smallest(pages) != 0;
}

Result<std::uint64_t> PagedFilter::count_hash(std::uint64_t key_hash, PageSource& pages) const {
  const KindRow& row = row_of(shape_);
  if (row.count == nullptr) return unsupported(row.info, "count", &Capabilities::count);
  if (lies_in_groups(shape_)) return KeyGroup(shape_, page_of(key_hash), pages).group().count(key_hash);
  if (row.block_bytes != 0) return KeyBlock(row, shape_, page_bytes_, key_hash).count(pages);
  return KeyCounters(row, shape_, page_bytes_, key_hash).smallest(pages);
}

Result<bool> PagedFilter::add_hash(std::uint64_t key_hash, PageSource& pages, bool only_if_absent) const {
  const KindRow& row = row_of(shape_);
  if (lies_in_groups(shape_)) {
    return add_to_group(KeyGroup(shape_, page_of(key_hash), pages), key_hash, only_if_absent);
  }
  if (row.block_bytes != 0) return KeyBlock(row, shape_, page_bytes_, key_hash).add(pages, only_if_absent);
  return KeyCounters(row, shape_, page_bytes_, key_hash).add(pages, only_if_absent);
}

Result<std::uint64_t> PagedFilter::remove_hash(std::uint64_t key_hash, PageSource& pages) const {
  const KindRow& row = row_of(shape_);
  if (row.remove == nullptr) return unsupported(row.info, "remove", &Capabilities::remove);
  if (lies_in_groups(shape_)) return remove_from_group(KeyGroup(shape_, page_of(key_hash), pages), key_hash);
  return KeyBlock(row, shape_, page_bytes_, key_hash).remove(pages);
}

bool PagedFilter::grows() const noexcept { return lies_in_groups(shape_); }

bool PagedFilter::is_crowded(std::uint64_t key_hash, PageSource& pages) const {
  const std::byte* page = pages.read(page_of(key_hash));
  return page != nullptr && shape_.units < kMaxGroups && GroupPage::is_crowded(shape_, page);
}

PagedFilter PagedFilter::with_a_page_more() const noexcept {
  PagedFilter more = *this;
  ++more.shape_.units;
  more.payload_bytes_ += page_bytes_;
  return more;
}

std::uint64_t PagedFilter::split_page() const noexcept { return new_page() - std::bit_floor(new_page()); }

std::uint64_t PagedFilter::write_half(std::uint64_t page, std::uint64_t from, PageSource& pages) const {
  const GroupPage half(shape_, page, pages.read(from), pages.room);
  half.write(pages.write(page));
  return half.keys();
}

bool PagedFilter::is_behind(std::uint64_t page, const std::byte* bytes) const noexcept {
  return GroupPage::stored_level(bytes) < GroupPage::level_of(shape_, page);
}

bool PagedFilter::is_sound(std::uint64_t page, const std::byte* bytes) const noexcept {
  return !lies_in_groups(shape_) || GroupPage::stored_level(bytes) <= GroupPage::level_of(shape_, page);
}

Stats PagedFilter::page_stats(std::uint64_t page, const std::byte* bytes) const {
  AlignedBytes room;
  const GroupPage group(shape_, page, bytes, room);
  const GroupReader reader = group.reader();
  return {.bits = std::uint64_t{kMaxSlots} * reader.form().slot_bits,
          .bits_set = std::uint64_t{reader.slots()} * reader.form().slot_bits,
          .current_fp_rate = -portable::expm1(-reader.met())};
}

void PagedFilter::unite_page(std::uint64_t page, std::byte* into, const std::byte* other) const {
  const KindRow& row = row_of(shape_);
  Shape shape = shape_;
  shape.units = bytes_of(page) / row.block_bytes;
  AlignedBytes united(into, into + bytes_of(page));
  row.unite({shape, united}, View{shape, other, united.size()});
  std::ranges::copy(united, into);
}

}  // namespace crivo
