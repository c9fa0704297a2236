// Gaussian elimination with a row per vector lane: all rows proceed through the slots together, and at each slot the
// rows with a bit there are XORed with the stored row. See kinds/ribbon/band.h.
//
// The including file must define, inside the same anonymous namespace of crivo: the macro CRIVO_TARGET; kLanes, the
// number of 64-bit lanes; the types Lanes (a vector of them) and LaneMask (a mask of them); and load(), broadcast(),
// add_lanes(), or_lanes(), lanes_with_bit(), started_lanes_with_bit(), xor_where(), any(), is_zero(), first_lane() and
// broadcast_first(). It must include kinds/ribbon/band.h. Defines eliminate().
//
// These alternatives were slower: reducing a block's 64 pivots fully, using two words per lane, and a second
// store_if_free() before the vector code.

/// Rows that are being added, in kSets sets of kLanes rows. A slot's bit is at the slot's number modulo 64.
template <unsigned kSets>
struct RowSets {
  Lanes bits[kSets];
  Lanes result[kSets];
  Lanes shift[kSets];  // the start's number modulo 64
};

template <unsigned kSets>
CRIVO_TARGET inline RowSets<kSets> load_rows(const RibbonRows& rows) noexcept {
  RowSets<kSets> sets;
  for (unsigned i = 0; i < kSets; ++i) {
    sets.shift[i] = load(rows.shift + kLanes * i);
    sets.bits[i] = load(rows.bits + kLanes * i);
    sets.result[i] = load(rows.result + kLanes * i);
  }
  return sets;
}

template <unsigned kSets>
CRIVO_TARGET inline bool all_zero(const Lanes (&lanes)[kSets]) noexcept {
  Lanes together = lanes[0];
  for (unsigned i = 1; i < kSets; ++i) together = or_lanes(together, lanes[i]);
  return is_zero(together);
}

/// A slot's number modulo 64, and the bit at that index, in every lane.
struct SlotLanes {
  Lanes number;
  Lanes bit;
};

/// The rows of set number `set` that have a bit at the slot. Unless all rows have started, rows that start after the
/// slot are excluded: their bit at that index belongs to the slot that is 64 slots later.
template <bool kAllStarted, unsigned kSets>
CRIVO_TARGET inline LaneMask rows_at(const RowSets<kSets>& sets, unsigned set, const SlotLanes& slot) noexcept {
  if constexpr (kAllStarted) return lanes_with_bit(sets.bits[set], slot.bit);
  return started_lanes_with_bit(sets.bits[set], slot.bit, sets.shift[set], slot.number);
}

/// A stored row, broadcast to every lane.
struct StoredRow {
  Lanes bits;
  Lanes result;
};

/// Stores the first row with a bit at the slot; returns whether there is one.
template <bool kAllStarted, unsigned kSets, class Band>
CRIVO_TARGET inline bool store_first(Band& band, std::size_t slot, const RowSets<kSets>& sets, const SlotLanes& lanes,
                                     StoredRow& stored) noexcept {
  LaneMask having = rows_at<kAllStarted>(sets, 0, lanes);
  Lanes bits = sets.bits[0];
  Lanes result = sets.result[0];
  for (unsigned i = 1; i < kSets && !any(having); ++i) {
    having = rows_at<kAllStarted>(sets, i, lanes);
    bits = sets.bits[i];
    result = sets.result[i];
  }
  if (!any(having)) return false;
  stored = {broadcast_first(having, bits), broadcast_first(having, result)};
  band.store(slot, first_lane(stored.bits), static_cast<typename Band::Result>(first_lane(stored.result)));
  return true;
}

/// Eliminates the slots [from, to), all in one block. `left` is the number of rows not stored yet. Returns this number
/// after the elimination.
template <bool kAllStarted, unsigned kSets, class Band>
CRIVO_TARGET inline std::size_t eliminate_slots(Band& band, RowSets<kSets>& sets, std::size_t from, std::size_t to,
                                                std::size_t left) noexcept {
  SlotLanes lanes{broadcast(from % kRibbonBlockSlots), broadcast(std::uint64_t{1} << from % kRibbonBlockSlots)};
  for (std::size_t slot = from; slot < to; ++slot) {
    StoredRow stored;
    bool found = true;
    if (band.rows()[slot] != 0) {
      stored = {broadcast(band.rows()[slot]), broadcast(band.results()[slot])};
    } else {
      found = store_first<kAllStarted>(band, slot, sets, lanes, stored);
      if (found && --left == 0) return 0;
    }
    if (found) {
      for (unsigned i = 0; i < kSets; ++i) {
        const LaneMask having = rows_at<kAllStarted>(sets, i, lanes);
        sets.bits[i] = xor_where(having, sets.bits[i], stored.bits);
        sets.result[i] = xor_where(having, sets.result[i], stored.result);
      }
    }
    lanes = {add_lanes(lanes.number, broadcast(1)), add_lanes(lanes.bit, lanes.bit)};
  }
  return left;
}

template <unsigned kSets, class Band>
CRIVO_TARGET inline bool eliminate_sets(Band& band, const RibbonRows& rows) noexcept {
  RowSets<kSets> sets = load_rows<kSets>(rows);
  const std::size_t block = rows.block * kRibbonBlockSlots;
  std::size_t slot = block + rows.shift[0];
  std::size_t left = eliminate_slots<false>(band, sets, block + rows.shift[rows.count - 1], slot, rows.count);
  while (left != 0) {
    const std::size_t end = (slot / kRibbonBlockSlots + 1) * kRibbonBlockSlots;
    left = eliminate_slots<true>(band, sets, slot, end, left);
    // All remaining rows are zero: a nonzero result contradicts the stored rows.
    if (left != 0 && all_zero(sets.bits)) return all_zero(sets.result);
    slot = end;
  }
  return true;
}

/// Adds the rows to the band, in as few vectors as possible. Returns false if a row contradicts the stored rows.
template <unsigned kSets = 1, class Band>
CRIVO_TARGET inline bool eliminate(Band& band, RibbonRows& rows) noexcept {
  if constexpr (kSets < kRibbonRows / kLanes) {
    if (rows.count > kLanes * kSets) return eliminate<kSets + 1>(band, rows);
  }
  for (std::size_t i = rows.count; i < kLanes * kSets; ++i) rows.bits[i] = rows.shift[i] = rows.result[i] = 0;
  return eliminate_sets<kSets>(band, rows);
}
