// Hash compaction: an open-addressing hash table that stores, in place of each key, a value that is a few bits of the
// key's hash. The hash gives the first slot, and the value gives the step from one slot to the next. An added value is
// stored in the first slot of its probe sequence with a smaller value (an empty slot has 0). The smaller value then
// moves on by its own step. So every slot that a probe sequence visits before its value's slot has a larger value, and
// a search ends early, at the first slot with a smaller value. Papers: Wolper & Leroy 1993, "Reliable hashing without
// collision detection"; Amble & Knuth 1974, "Ordered hash tables", for the order.
#include <algorithm>
#include <array>

#include "base/error_text.h"
#include "kinds/checks.h"
#include "kinds/kind.h"
#include "kinds/probe_key.h"
#include "kinds/table/packed_slots.h"
#include "kinds/table/shape.h"
#include "kinds/table/sizes.h"

namespace crivo {
namespace {

/// The maximum number of slots per search. At a load of 0.95, one search in 10^22 would need more.
constexpr std::size_t kMaxSteps = 1000;

/// A position in the probe sequence of a value.
class Walk {
 public:
  Walk() = default;
  Walk(std::uint64_t hash, const Shape& shape) noexcept
      : slots_(shape.units), slot_(mulhi(hash, shape.units)), value_(fingerprint_of(hash, shape.param)) {
    step_ = step_of(value_);
  }
  [[nodiscard]] std::uint64_t slot() const noexcept { return slot_; }
  [[nodiscard]] std::uint32_t value() const noexcept { return value_; }
  void advance() noexcept {
    slot_ += step_;
    if (slot_ >= slots_) slot_ -= slots_;
  }
  /// Continues from this slot with the value that it contained. The start of that value's probe sequence is unknown,
  /// but the value gives the step.
  void continue_as(std::uint32_t value) noexcept {
    value_ = value;
    step_ = step_of(value);
  }

 private:
  [[nodiscard]] std::uint64_t step_of(std::uint32_t value) const noexcept {
    return 1 + mulhi(scatter(value), slots_ - 1);
  }

  std::uint64_t slots_;
  std::uint64_t slot_;
  std::uint64_t step_ = 0;
  std::uint32_t value_;
};

/// Searches for the value from the walk's slot on. Returns true if found, or if the search reaches kMaxSteps.
bool find(const View& view, Walk walk) noexcept {
  for (std::size_t i = 0; i < kMaxSteps; ++i, walk.advance()) {
    const std::uint32_t stored = load_slot(view.payload, walk.slot(), view.shape.param);
    if (stored <= walk.value()) return stored == walk.value();
  }
  return true;
}

bool contains(const View& view, std::uint64_t hash) noexcept { return find(view, Walk(hash, view.shape)); }

void prefetch(const View& view, const Walk& walk) noexcept {
  __builtin_prefetch(view.payload + (walk.slot() * view.shape.param >> 3));
}

// A search visits three slots on average; prefetching the first two saves time.
void contains_batch(const View& view, const std::uint64_t* hashes, std::size_t count, bool* hits) noexcept {
  constexpr std::size_t kAhead = 32;
  std::array<Walk, kAhead> walks;
  for (std::size_t from = 0; from < count; from += kAhead) {
    const std::size_t size = std::min(count - from, kAhead);
    for (std::size_t i = 0; i < size; ++i) {
      walks[i] = Walk(hashes[from + i], view.shape);
      prefetch(view, walks[i]);
      Walk second = walks[i];
      second.advance();
      prefetch(view, second);
    }
    for (std::size_t i = 0; i < size; ++i) hits[from + i] = find(view, walks[i]);
  }
}

/// Records the slots that an addition changes, to undo the changes.
class UndoLog {
 public:
  void note(std::uint64_t slot, std::uint32_t value) noexcept { changes_[size_++] = {slot, value}; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  void undo(Store store) noexcept {
    for (; size_ != 0; --size_) {
      const Change& change = changes_[size_ - 1];
      store_slot(store.payload.data(), change.slot, store.shape.param, change.value);
    }
  }

 private:
  struct Change {
    std::uint64_t slot;
    std::uint32_t value;
  };
  std::array<Change, kMaxSteps> changes_;  // only the first size_ entries are read
  std::size_t size_ = 0;
};

/// Adds the walk's value. Returns false, with nothing changed, if kMaxSteps slots do not suffice.
bool insert(Store store, Walk walk) noexcept {
  UndoLog log;
  for (std::size_t i = 0; i < kMaxSteps; ++i, walk.advance()) {
    const std::uint32_t stored = load_slot(store.payload.data(), walk.slot(), store.shape.param);
    if (stored > walk.value()) continue;
    if (stored == walk.value()) return true;
    log.note(walk.slot(), stored);
    store_slot(store.payload.data(), walk.slot(), store.shape.param, walk.value());
    if (stored == 0) return true;
    walk.continue_as(stored);
  }
  if (log.empty()) return true;  // a search for this value also reaches kMaxSteps, and returns true
  log.undo(store);
  return false;
}

Error full_error(const View& view) {
  const std::uint64_t occupied = count_occupied(view.payload, view.shape.units, view.shape.param);
  return error(ErrorCode::kFull, "filter must have a free slot: its load is ",
               static_cast<double>(occupied) / static_cast<double>(view.shape.units), " and a search of ", kMaxSteps,
               " slots found none empty", kCapacityHint);
}

struct HashCompaction {
  static constexpr Kind kKind = Kind::kHashCompaction;
  static constexpr std::string_view kName = "hash_compaction";
  static constexpr bool kOnlyPaddingIsValidated = true;
  static constexpr const char* kUnitName = "number of slots";
  static constexpr FingerprintLimits kLimits = {.probes = 1,
                                                .min_bits = kMinHashCompactionBits,
                                                .min_units = 2,
                                                .max_units = std::uint64_t{1} << 41,
                                                .unit_name = kUnitName};

  static Result<Shape> plan(const FilterSpec& spec) {
    return plan_fingerprints(spec, kKind, kLimits.probes, &size_hash_compaction, &size_hash_compaction_by_bits);
  }

  static Result<std::uint64_t> payload_bytes(const Shape& shape) {
    if (auto valid = check_fingerprint_shape(shape, kLimits); !valid) return valid.error();
    return packed_bytes(shape.units, shape.param);
  }

  static Result<void> validate(const View& view) { return check_packed_padding(view, view.shape.units); }
  static Probe probe(const Shape&) noexcept { return kProbeOf<&contains, &contains_batch>; }

  static bool admit_query(const View& view, std::uint64_t hash, ByteGate& gate) {
    Walk walk(hash, view.shape);
    for (std::size_t i = 0; i < kMaxSteps; ++i, walk.advance()) {
      if (!gate.admit(walk.slot() * view.shape.param / 8, 8)) return false;
      if (load_slot(view.payload, walk.slot(), view.shape.param) <= walk.value()) return true;
    }
    return true;
  }

  static Stats stats(const View& view) noexcept {
    const std::uint64_t occupied = count_occupied(view.payload, view.shape.units, view.shape.param);
    Stats stats{
        .bits = view.shape.units * view.shape.param, .bits_set = occupied * view.shape.param, .current_fp_rate = 1};
    if (occupied == view.shape.units) return stats;
    const double keys = hash_compaction_cardinality(static_cast<double>(view.shape.units),
                                                    static_cast<double>(occupied), view.shape.param);
    stats.cardinality = keys;
    stats.current_fp_rate = predicted_fp_rate(view.shape, keys);
    return stats;
  }

  static double predicted_fp_rate(const Shape& shape, double keys) noexcept {
    return hash_compaction_fp_rate(keys / static_cast<double>(shape.units), shape.param);
  }

  static Result<void> add(Store store, std::span<const std::uint64_t> hashes, std::uint64_t& added) {
    constexpr std::size_t kAhead = 16;
    const View view = store.view();
    for (std::size_t i = 0; i < hashes.size(); ++i, ++added) {
      if (i + kAhead < hashes.size()) prefetch(view, Walk(hashes[i + kAhead], store.shape));
      if (!insert(store, Walk(hashes[i], store.shape))) return full_error(view);
    }
    return {};
  }
};

}  // namespace

constinit const KindRow kHashCompaction = make_row<HashCompaction>();

}  // namespace crivo
