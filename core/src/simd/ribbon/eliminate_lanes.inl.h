// Elimination with rows as lanes of vectors: included, inside an anonymous namespace, by files that define
// CRIVO_TARGET, `Lanes`, `LaneMask`, kLanes and what is done with them. See layout/ribbon_band.h.

/// Rows on their way through the slots, each word with its bits at their slots modulo 64.
template <unsigned kSets>
struct RowSets {
  Lanes bits[kSets];
  Lanes result[kSets];
  Lanes shift[kSets];  // of the starts
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

/// A slot modulo 64, in every lane.
struct SlotLanes {
  Lanes number;
  Lanes bit;
};

/// The rows of a set that have a bit at the slot. Unless all have started, those that start later have another slot
/// there.
template <bool kAllStarted, unsigned kSets>
CRIVO_TARGET inline LaneMask rows_at(const RowSets<kSets>& sets, unsigned set, const SlotLanes& slot) noexcept {
  if constexpr (kAllStarted) return lanes_with_bit(sets.bits[set], slot.bit);
  return started_lanes_with_bit(sets.bits[set], slot.bit, sets.shift[set], slot.number);
}

/// A stored row, the same in every lane.
struct StoredRow {
  Lanes bits;
  Lanes result;
};

/// Stores the first row that has a bit at the slot, if there is one.
template <bool kAllStarted, unsigned kSets>
CRIVO_TARGET inline bool store_first(RibbonBand& band, std::size_t slot, const RowSets<kSets>& sets,
                                     const SlotLanes& lanes, StoredRow& stored) noexcept {
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
  band.store(slot, first_lane(stored.bits), static_cast<std::uint32_t>(first_lane(stored.result)));
  return true;
}

/// Takes the rows through slots from ... to - 1 of one block. Returns how many are left to be stored.
template <bool kAllStarted, unsigned kSets>
CRIVO_TARGET inline std::size_t eliminate_slots(RibbonBand& band, RowSets<kSets>& sets, std::size_t from,
                                                std::size_t to, std::size_t left) noexcept {
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

template <unsigned kSets>
CRIVO_TARGET inline bool eliminate_sets(RibbonBand& band, const RibbonRows& rows) noexcept {
  RowSets<kSets> sets = load_rows<kSets>(rows);
  const std::size_t block = rows.block * kRibbonBlockSlots;
  std::size_t slot = block + rows.shift[0];
  std::size_t left = eliminate_slots<false>(band, sets, block + rows.shift[rows.count - 1], slot, rows.count);
  while (left != 0) {
    const std::size_t end = (slot / kRibbonBlockSlots + 1) * kRibbonBlockSlots;
    left = eliminate_slots<true>(band, sets, slot, end, left);
    if (left != 0 && all_zero(sets.bits)) return all_zero(sets.result);  // else the others contradict
    slot = end;
  }
  return true;
}

/// With the fewest sets that hold the rows.
template <unsigned kSets = 1>
CRIVO_TARGET inline bool eliminate(RibbonBand& band, RibbonRows& rows) noexcept {
  if constexpr (kSets < kRibbonRows / kLanes) {
    if (rows.count > kLanes * kSets) return eliminate<kSets + 1>(band, rows);
  }
  for (std::size_t i = rows.count; i < kLanes * kSets; ++i) rows.bits[i] = rows.shift[i] = rows.result[i] = 0;
  return eliminate_sets<kSets>(band, rows);
}
