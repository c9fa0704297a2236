// The growing filter is for an unknown number of keys, which can be removed. It stores some bits of each key's hash in
// a table that grows by one group at a time, so no addition waits for a rehash of the whole table. Entries differ in
// length (form.h): an old key may have fewer bits than a new one. Up to the capacity, the rate is at most the promised
// one. Different keys with the same bits are stored as copies of one key, so removal and counts work as in `cuckoo`.
// Papers: Litwin 1980, "Linear hashing"; Dayan, Bercea, Reviriego & Pagh 2023, "InfiniFilter".
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "base/bit_array.h"
#include "base/error_text.h"
#include "base/growing_payload.h"
#include "base/portable.h"
#include "kinds/growing/editor.h"
#include "kinds/growing/sizes.h"
#include "kinds/kind.h"
#include "kinds/prepared.h"
#include "kinds/probe_key.h"

namespace crivo {
namespace {

constexpr std::uint64_t kGrowingCapacity = std::uint64_t{1} << 32;  // the default and largest capacity
constexpr std::size_t kAhead = 16;

bool contains(const View& view, std::uint64_t hash) noexcept {
  const auto& form = prepared_of<GrowingForm>(view);
  const GroupReader group(view, form, form.group_of(hash));
  return group.find(Entry(hash, group.form()), [](const StoredEntry&) { return true; });
}

void contains_batch(const View& view, const std::uint64_t* hashes, std::size_t count, bool* hits) noexcept {
  const auto& form = prepared_of<GrowingForm>(view);
  for (std::size_t from = 0; from < count; from += kAhead) {
    const std::size_t size = std::min(count - from, kAhead);
    for (std::size_t i = 0; i < size; ++i) {
      const std::byte* header = view.payload + form.offset_of(form.group_of(hashes[from + i]));
      __builtin_prefetch(header);
      __builtin_prefetch(header + kCacheLineBytes);
    }
    for (std::size_t i = 0; i < size; ++i) hits[from + i] = contains(view, hashes[from + i]);
  }
}

template <class Visit>
void for_each_group(const View& view, const Visit& visit) {
  const GrowingForm form(view.shape);
  for (std::uint64_t group = 0; group < view.shape.units; ++group) visit(GroupReader(view, form, group));
}

/// Changes the groups of a filter.
class Groups {
 public:
  Groups(Store store, std::uint64_t max_bytes) noexcept
      : store_(store), max_bytes_(std::min<std::uint64_t>(max_bytes, store.payload.max_size())), form_(store.shape) {}

  void prefetch(std::uint64_t hash) const noexcept {
    const std::byte* header = store_.payload.data() + form_.offset_of(form_.group_of(hash));
    __builtin_prefetch(header, 1);
    __builtin_prefetch(header + kCacheLineBytes, 1);
  }

  Result<void> add(std::uint64_t hash, std::uint64_t copies) {
    if (FreeCells(store_.payload.data(), store_.payload.size()).count() == 0) {
      if (auto grown = grow(); !grown) return grown;
    }
    GroupEditor group = editor(form_.group_of(hash));
    if (group.add(Entry(hash, group.form()), copies)) return {};
    return error(ErrorCode::kFull, "slots of a group must be at most ", kMaxSlots,
                 ", got one more: too many keys share the first ", unsigned{group.form().level}, " bits of their hash");
  }

  bool remove(std::uint64_t hash) {
    GroupEditor group = editor(form_.group_of(hash));
    return group.remove(Entry(hash, group.form()));
  }

 private:
  GroupEditor editor(std::uint64_t group) noexcept { return {store_.view(), store_.payload.data(), form_, group}; }

  /// Splits the next group. Errors: kFull or kTooLarge, with the filter unchanged.
  Result<void> grow() {
    const std::uint64_t upper = store_.shape.units;
    const std::uint64_t lower = form_.split;
    if (upper == kMaxGroups) {
      return error(ErrorCode::kFull, "number of groups must be at most ", kMaxGroups, ", got one more");
    }
    const std::uint64_t needed = form_.offset_of(upper + 1);
    if (needed > max_bytes_) {
      return limit_error(ErrorCode::kTooLarge, needed, "payload with a new group must be at most the limit of ",
                         max_bytes_, " bytes, got ", needed);
    }
    const std::uint64_t most = std::min(max_bytes_, form_.offset_of(kMaxGroups));
    grow_payload(store_.payload, static_cast<std::size_t>(needed), static_cast<std::size_t>(most));
    SlotList lower_slots;
    SlotList upper_slots;
    editor(lower).split_into(lower_slots, upper_slots);
    free_cells_of(store_.shape, store_.payload, upper);
    store_.shape.units = upper + 1;
    form_ = GrowingForm(store_.shape);
    editor(lower).fill(lower_slots);
    editor(upper).fill(upper_slots);
    return {};
  }

  Store store_;
  std::uint64_t max_bytes_;
  GrowingForm form_;
};

/// Validates all groups, and that each cell belongs to exactly one group or to the free list.
class Checker {
 public:
  explicit Checker(const View& view) : view_(view), form_(view.shape), bytes_(view.shape.param) {
    used_.resize(view.shape.units * bytes_.cells);
  }

  Result<void> check() {
    if (!is_zero({view_.payload + 2 * kFreeCellsAt, kGroupsAt - 2 * kFreeCellsAt})) {
      return corrupt("padding of the payload header must be 0");
    }
    for (std::uint64_t group = 0; group < view_.shape.units; ++group) {
      if (auto valid = check_group(GroupReader(view_, form_, group)); !valid) {
        return corrupt("group ", group, ": ", valid.error().message);
      }
    }
    return check_free_cells();
  }

 private:
  Result<void> check_group(const GroupReader& group) {
    const std::uint32_t slots = group.stored_slots();
    if (!group.can_hold(slots))
      return corrupt("slots must be at most ", kMaxSlots, " and fit in the group's cells, got ", slots);
    for (unsigned cell = 0; cell < form_.cell_numbers; ++cell) {
      const std::uint32_t number = group.cell(cell);
      if (cell >= group.form().cells_of(slots) ? number != 0 : !use(number)) {
        return corrupt("cell ", cell, " must be an unshared cell of the payload, or 0 if unused, got ", number);
      }
    }
    if (!group.has_zero_padding()) return corrupt("padding of the group must be 0");
    return check_entries(group);
  }

  static Result<void> check_entries(const GroupReader& group) {
    const unsigned slots = group.slots();
    unsigned bit = 0;
    unsigned at = 0;
    for (unsigned bucket = 0; bucket < kBuckets; ++bucket) {
      const unsigned end_bit = next_one(group.runs(), bit);
      const unsigned end = end_bit - bucket;
      if (end > slots || (bucket + 1 == kBuckets && end != slots)) {
        return corrupt("bucket ", bucket, " must end at one of the ", slots, " slots, got ", end);
      }
      bit = end_bit + 1;
      std::uint64_t before = 0;
      while (at < end) {
        const StoredEntry entry = group.entry(at, end);
        if (entry.low <= before || !is_sound(group, entry, at)) {
          return corrupt("slot ", at, " must begin an entry above the previous entry, got ", entry.low);
        }
        before = entry.low;
        at += entry.slots;
      }
    }
    if (next_one(group.runs(), bit) == kRunWords * 64) return {};
    return corrupt("buckets must be ", kBuckets, ", got one more");
  }

  /// Whether an entry has enough bits for all future splits, and its copy count is encoded canonically.
  static bool is_sound(const GroupReader& group, const StoredEntry& entry, unsigned at) {
    const LevelForm& form = group.form();
    const auto unused = static_cast<unsigned>(std::countr_zero(entry.low)) + 1;  // including the mark
    if (unused + kMinBits > unsigned{form.entry_bits} + form.level) return false;
    if (entry.copies <= 2) return entry.slots == entry.copies;
    const unsigned digits = entry.slots / 2;
    if (entry.slots % 2 == 0) return false;
    for (unsigned i = 1; i <= digits; ++i) {
      if (group.slot(at + digits + i) >> form.digit_bits != 0) return false;
    }
    const auto first_bits = static_cast<unsigned>(std::bit_width(group.slot(at + digits + 1)));
    return first_bits != 0 && (digits - 1) * form.digit_bits + first_bits <= 64;
  }

  Result<void> check_free_cells() {
    const auto free = load_le<std::uint32_t>(view_.payload + kFreeCellsAt);
    auto number = load_le<std::uint32_t>(view_.payload);
    for (std::uint32_t i = 0; i < free; ++i) {
      if (!use(number)) return corrupt("free cell ", i, " must be a cell of the payload without a group, got ", number);
      const std::byte* cell = view_.payload + std::size_t{number} * kCellUnit;
      if (!is_zero({cell + 4, kCellBytes - 4}))
        return corrupt("free cell ", i, " must be 0 after the number of the next cell");
      number = load_le<std::uint32_t>(cell);
    }
    if (number != 0) return corrupt("free cells must end after ", free, ", got ", number);
    const auto unused = static_cast<std::uint64_t>(std::ranges::count(used_, false));
    if (unused != 0) return corrupt("each cell must be free or belong to a group, got ", unused, " that are neither");
    return {};
  }

  /// Marks a cell as used. Returns false for an invalid cell, or one that is already used.
  bool use(std::uint32_t number) {
    const std::uint64_t offset = std::uint64_t{number} * kCellUnit;
    if (offset < kGroupsAt) return false;
    const std::uint64_t group = (offset - kGroupsAt) / bytes_.all;
    const std::uint64_t in_group = (offset - kGroupsAt) % bytes_.all;
    if (group >= view_.shape.units || in_group < bytes_.header || (in_group - bytes_.header) % kCellBytes != 0) {
      return false;
    }
    const std::uint64_t cell = group * bytes_.cells + (in_group - bytes_.header) / kCellBytes;
    if (used_[cell]) return false;
    return used_[cell] = true;
  }

  const View& view_;
  GrowingForm form_;
  GroupBytes bytes_;
  std::vector<bool> used_;
};

struct Growing {
  static constexpr Kind kKind = Kind::kGrowing;
  static constexpr std::string_view kName = "growing";
  static constexpr const char* kUnitName = "number of groups";
  static constexpr std::uint64_t kDefaultCapacity = kGrowingCapacity;

  static Result<Shape> plan(const FilterSpec& spec) {
    const Result<unsigned> bits = spec.bits_per_key ? growing_bits_by_size(spec.capacity, *spec.bits_per_key)
                                                    : growing_bits(spec.capacity, spec.fp_rate);
    if (!bits.has_value()) return bits.error();
    if (spec.capacity > kGrowingCapacity) {
      return bad_argument("capacity of kind ", kName, " must be at most ", kGrowingCapacity, ", got ", spec.capacity);
    }
    return Shape{.kind = kKind, .k = 1, .param = static_cast<std::uint16_t>(*bits), .units = 1, .seed = spec.seed};
  }

  static Result<std::uint64_t> payload_bytes(const Shape& shape) {
    if (shape.k != 1) return corrupt("k must be 1, got ", unsigned{shape.k});
    if (shape.param < kMinGrowingBits || shape.param > kMaxGrowingBits) {
      return corrupt("kind parameter (bits of a new entry) must be in [", kMinGrowingBits, ", ", kMaxGrowingBits,
                     "], got ", shape.param);
    }
    if (shape.units < 1 || shape.units > kMaxGroups) {
      return corrupt(kUnitName, " must be in [1, ", kMaxGroups, "], got ", shape.units);
    }
    return kGroupsAt + shape.units * GroupBytes(shape.param).all;
  }

  // Opening validates nothing, because queries never leave the payload. check_whole validates the structure.
  static constexpr bool kEveryPayloadIsValid = true;
  static Result<void> check_whole(const View& view) { return Checker(view).check(); }
  static void prepare(View& view) noexcept { set_prepared(view, GrowingForm(view.shape)); }
  static Probe probe(const Shape&) noexcept { return kProbeOf<&contains, &contains_batch>; }

  static bool admit_query(const View& view, std::uint64_t hash, ByteGate& gate) {
    const auto& form = prepared_of<GrowingForm>(view);
    const std::uint64_t group = form.group_of(hash);
    if (!gate.admit(form.offset_of(group), GroupBytes(view.shape.param).header)) return false;
    const GroupReader reader(view, form, group);
    const Run run = reader.run(Entry(hash, reader.form()).bucket);
    for (unsigned at = run.begin; at < run.end; ++at) {
      if (!gate.admit(reader.cell_offset(reader.form().cell_of(at)), kCellBytes)) return false;
    }
    return true;
  }

  static Stats stats(const View& view) noexcept {
    Stats stats{.bits = (view.payload_bytes - kGroupsAt) * 8, .cardinality = 0};
    double expected_matches = 0;
    double entries = 0;
    for_each_group(view, [&](const GroupReader& group) {
      stats.bits_set += std::uint64_t{group.slots()} * group.form().slot_bits;
      expected_matches += group.expected_matches();
      entries += group.count_entries();
    });
    stats.cardinality = entries;
    stats.current_fp_rate = -portable::expm1(-expected_matches);
    return stats;
  }

  static double predicted_fp_rate(const Shape& shape, double keys) noexcept {
    return growing_fp_rate(keys, shape.param);
  }

  static void start(Store store, const FilterSpec&) { start_groups(store.shape, store.payload); }

  static void clear(Store store) {
    AlignedBytes cleared(kGroupsAt + GroupBytes(store.shape.param).all);
    store.payload.swap(cleared);
    store.shape.units = 1;
    start_groups(store.shape, store.payload);
  }

  static Result<void> add_and_grow(Store store, std::span<const std::uint64_t> hashes, std::uint64_t& added,
                                   std::uint64_t max_bytes) {
    Groups groups(store, max_bytes);
    for (std::size_t i = 0; i < hashes.size(); ++i, ++added) {
      if (i + kAhead < hashes.size()) groups.prefetch(hashes[i + kAhead]);
      if (auto done = groups.add(hashes[i], 1); !done) return done;
    }
    return {};
  }

  static Result<void> add_times(Store store, std::uint64_t hash, std::uint64_t times, std::uint64_t& added,
                                std::uint64_t max_bytes) {
    if (times == 0) return {};
    auto done = Groups(store, max_bytes).add(hash, times);
    if (done) added += times;
    return done;
  }

  static Result<void> remove(Store store, std::uint64_t hash) {
    if (Groups(store, 0).remove(hash)) return {};
    return error(ErrorCode::kNotFound, "key must be in the filter, got an absent key");
  }

  static std::uint64_t count(const View& view, std::uint64_t hash) noexcept {
    const GrowingForm form(view.shape);
    return GroupReader(view, form, form.group_of(hash)).count(hash);
  }
};

}  // namespace

constinit const KindRow kGrowing = make_row<Growing>(&kGroupPaging);

}  // namespace crivo
