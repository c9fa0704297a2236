// A growing filter in pages (kinds/paging.h), such as the rows of a table. Each group is a page: the group's header
// without the cell numbers, with the level after the number of slots, and then the group's cells in order. See
// docs/format.md, "Filter tables". When a page is crowded, the next group in turn is split.
//
// After an interrupted split, a page is at a lower level than it should be, and still has the entries of its other
// half. GroupPage drops these entries.
#include <algorithm>
#include <bit>

#include "base/error_text.h"
#include "base/portable.h"
#include "kinds/growing/editor.h"
#include "kinds/growing/sizes.h"
#include "kinds/kind.h"

namespace crivo {
namespace {

constexpr std::size_t kLevelAt = 4;  // in a payload, these bytes of a group are zeros

std::size_t page_bytes(const Shape& shape) noexcept {
  return kCellsAt + std::size_t{GroupBytes(shape.param).cell_numbers} * kCellBytes;
}
/// The level at which a page should be, and its stored level.
unsigned level_of(const Shape& shape, std::uint64_t page) noexcept { return GrowingForm(shape).level_of(page).level; }
std::uint32_t stored_level(const std::byte* page) noexcept { return load_le<std::uint32_t>(page + kLevelAt); }

/// A page, decoded into the caller's buffer as a payload of one group. A null page is an empty group.
class GroupPage {
 public:
  /// Reads a page. Its stored level must not be above its proper level.
  GroupPage(const Shape& shape, std::uint64_t page, const std::byte* stored, AlignedBytes& buffer)
      : bits_(shape.param), bytes_(shape.param), buffer_(buffer) {
    buffer_.resize(kGroupsAt + bytes_.header + std::size_t{bytes_.cell_numbers} * kCellBytes);
    const unsigned level = level_of(shape, page);
    start(stored != nullptr ? stored_level(stored) : level);
    if (stored != nullptr) read(stored);
    while (form_.whole.level < level) keep_half((page >> form_.whole.level & 1) != 0);
  }

  [[nodiscard]] GroupReader reader() const noexcept { return {view(), form_, 0}; }
  [[nodiscard]] GroupEditor editor() noexcept { return {view(), buffer_.data(), form_, 0}; }
  /// The number of cells that the slots need.
  [[nodiscard]] unsigned cells() const noexcept { return form_.whole.cells_of(reader().slots()); }
  /// The number of keys, including copies.
  [[nodiscard]] std::uint64_t keys() const noexcept {
    std::uint64_t keys = 0;
    reader().for_each([&](const StoredEntry& entry) { keys = added(keys, entry.copies); });
    return keys;
  }

  void write(std::byte* page) const noexcept {
    const GroupReader group = reader();
    std::copy_n(buffer_.data() + kGroupsAt, kCellsAt, page);
    store_le(page + kLevelAt, std::uint32_t{form_.whole.level});
    std::byte* to = page + kCellsAt;
    const unsigned cells = this->cells();
    for (unsigned cell = 0; cell < bytes_.cell_numbers; ++cell, to += kCellBytes) {
      if (cell < cells) {
        std::copy_n(buffer_.data() + group.cell_offset(cell), kCellBytes, to);
      } else {
        std::fill_n(to, kCellBytes, std::byte{0});
      }
    }
  }

 private:
  [[nodiscard]] View view() const noexcept { return {{}, buffer_.data(), buffer_.size()}; }

  void read(const std::byte* stored) noexcept {
    std::byte* header = buffer_.data() + kGroupsAt;
    std::copy_n(stored, kLevelAt, header);
    std::copy_n(stored + kRunsAt, kCellsAt - kRunsAt, header + kRunsAt);
    FreeCells free(buffer_.data(), buffer_.size());
    for (unsigned cell = 0, cells = this->cells(); cell < cells; ++cell) {
      const std::uint32_t number = free.take();
      store_le(header + kCellsAt + std::size_t{cell} * 4, number);
      std::copy_n(stored + kCellsAt + std::size_t{cell} * kCellBytes, kCellBytes,
                  buffer_.begin() + static_cast<std::ptrdiff_t>(cell_in_payload(number, buffer_.size())));
    }
  }
  /// Raises the level by one, and keeps only the lower or the upper half of the entries.
  void keep_half(bool upper) noexcept {
    SlotList lower_slots;
    SlotList upper_slots;
    editor().split_into(lower_slots, upper_slots);
    start(form_.whole.level + 1U);
    editor().fill(upper ? upper_slots : lower_slots);
  }
  /// Initializes the buffer as an empty group at this level.
  void start(unsigned level) noexcept {
    std::ranges::fill(buffer_, std::byte{0});
    form_ = GrowingForm();
    form_.whole = LevelForm(bits_, level);
    form_.halves = form_.whole;
    form_.group_bytes = static_cast<std::uint32_t>(buffer_.size() - kGroupsAt);
    form_.cell_numbers = bytes_.cell_numbers;
    FreeCells free(buffer_.data(), buffer_.size());
    for (unsigned cell = bytes_.cell_numbers; cell-- > 0;) {
      free.add(static_cast<std::uint32_t>((kGroupsAt + bytes_.header + cell * kCellBytes) / kCellUnit));
    }
    editor().fill({});
  }

  unsigned bits_;
  GroupBytes bytes_;
  GrowingForm form_;
  AlignedBytes& buffer_;
};

/// Whether the filter should get another group: this page has over 1.5 times the slots of a payload's mean group.
bool is_crowded(const Shape& shape, const std::byte* page) noexcept {
  return load_le<std::uint32_t>(page) > 1.5 * keys_of_group(shape.param, stored_level(page)) &&
         shape.units < kMaxGroups;
}

/// The entries of page `page`, read from the row of page `from`: the same page, or the page that is being split.
class StoredGroup {
 public:
  StoredGroup(const PageLayout& layout, PageSource& pages, std::uint64_t page, std::uint64_t from)
      : pages_(pages), page_(page), stored_(pages.read(from)), group_(layout.shape, page, bytes(), pages.buffer) {
    if (stored_ == nullptr) return;
    // The key count of the stored page includes the other half.
    const bool is_half = from != page || stored_level(stored_->bytes) < level_of(layout.shape, page);
    keys_ = is_half ? group_.keys() : stored_->keys;
  }

  [[nodiscard]] GroupEditor group() noexcept { return group_.editor(); }
  [[nodiscard]] std::uint64_t keys() const noexcept { return keys_; }
  const Page& write(std::uint64_t keys) const {
    Page& written = pages_.write(page_);
    group_.write(written.bytes);
    written.keys = keys;
    return written;
  }

 private:
  [[nodiscard]] const std::byte* bytes() const noexcept { return stored_ != nullptr ? stored_->bytes : nullptr; }

  PageSource& pages_;
  std::uint64_t page_;
  const Page* stored_;
  GroupPage group_;
  std::uint64_t keys_ = 0;
};

/// The class Key of make_paging().
class KeyGroup {
 public:
  static std::size_t granularity(const Shape& shape) noexcept {
    return shape.param >= kMinGrowingBits && shape.param <= kMaxGrowingBits ? page_bytes(shape) : 0;
  }
  static std::uint64_t bytes(const Shape& shape) noexcept { return shape.units * page_bytes(shape); }

  KeyGroup(const PageLayout& layout, std::uint64_t hash) noexcept
      : layout_(layout), hash_(hash), page_(GrowingForm(layout.shape).group_of(hash)) {}

  [[nodiscard]] std::uint64_t page() const noexcept { return page_; }
  [[nodiscard]] std::uint64_t count(PageSource& pages) const {
    const Page* stored = pages.read(page_);
    if (stored == nullptr) return 0;
    return GroupPage(layout_.shape, page_, stored->bytes, pages.buffer).reader().count(hash_);
  }
  [[nodiscard]] bool contains(PageSource& pages) const { return count(pages) != 0; }
  Result<Added> add(PageSource& pages, bool only_if_absent) const {
    StoredGroup stored(layout_, pages, page_, page_);
    GroupEditor group = stored.group();
    const bool is_new = group.count(hash_) == 0;
    if (!is_new && only_if_absent) return Added{};
    if (!group.add(Entry(hash_, group.form()), 1)) {
      return error(ErrorCode::kFull, "keys of a group must fit in the group's slots, got more");
    }
    const Page& written = stored.write(stored.keys() + 1);
    return Added{.is_new = is_new, .fills = is_new, .is_crowded = is_crowded(layout_.shape, written.bytes)};
  }
  Result<std::uint64_t> remove(PageSource& pages) const {
    StoredGroup stored(layout_, pages, page_, page_);
    GroupEditor group = stored.group();
    const std::uint64_t before = group.count(hash_);
    if (!group.remove(Entry(hash_, group.form()))) {
      return error(ErrorCode::kNotFound, "key must be in the filter, got an absent key");
    }
    stored.write(stored.keys() - (stored.keys() != 0 ? 1 : 0));
    return before;
  }

  static void split(const PageLayout& layout, PageSource& pages) {
    const std::uint64_t upper = layout.pages() - 1;
    const std::uint64_t lower = upper - std::bit_floor(upper);
    for (const std::uint64_t half : {upper, lower}) {
      const StoredGroup stored(layout, pages, half, lower);
      stored.write(stored.keys());
    }
  }
  static bool is_sound(const PageLayout& layout, std::uint64_t page, const std::byte* bytes) noexcept {
    return stored_level(bytes) <= level_of(layout.shape, page);
  }
  // A page without keys is not all zeros, because it has a level.
  static bool is_idle(const PageLayout&, const Page& page) noexcept { return page.keys == 0; }
  static Stats page_stats(const PageLayout& layout, std::uint64_t page, const std::byte* bytes) {
    AlignedBytes buffer;
    const GroupPage group(layout.shape, page, bytes, buffer);
    const GroupReader reader = group.reader();
    return {.bits = std::uint64_t{kMaxSlots} * reader.form().slot_bits,
            .bits_set = std::uint64_t{reader.slots()} * reader.form().slot_bits,
            .current_fp_rate = -portable::expm1(-reader.expected_matches()),
            .cardinality = reader.count_entries()};
  }

  static std::uint64_t cells(const PageLayout& layout, std::uint64_t page, const std::byte* bytes) {
    AlignedBytes buffer;
    return GroupPage(layout.shape, page, bytes, buffer).cells();
  }
  // Pages may be fuller than the groups of a payload are on average, so the payload may need more groups than pages.
  // One of the cells that each group adds is not counted, because the group's last cell may be partly unused.
  static Shape payload_shape(const PageLayout& layout, std::uint64_t cells) {
    const std::uint64_t pages = layout.pages();
    const std::uint64_t per_group = GroupBytes(layout.shape.param).cells - 1;
    Shape shape = layout.shape;
    shape.units = std::max(pages, cells > pages ? (cells - pages) / per_group + 1 : 1);
    return shape;
  }
  static void put(const PageLayout& layout, std::uint64_t page, const Page& stored, Store store) {
    AlignedBytes buffer;
    const std::uint64_t step = std::uint64_t{1} << level_of(layout.shape, page);
    for (std::uint64_t group = page; group < store.shape.units; group += step) {
      const GroupPage part(store.shape, group, stored.bytes, buffer);
      fill_group(store.shape, store.payload, group, part.reader().list());
    }
  }

 private:
  const PageLayout& layout_;
  std::uint64_t hash_;
  std::uint64_t page_;
};

}  // namespace

constinit const Paging kGroupPaging = make_paging<KeyGroup>();

}  // namespace crivo
