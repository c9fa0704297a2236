// Adds a bucket's keys to a band, with the Gaussian elimination of one instruction set. kinds/ribbon/band.h explains
// bands, and kinds/ribbon/layout.h buckets and thresholds.
//
// The including file must define, inside the same anonymous namespace of crivo:
//   CRIVO_TARGET                               the macro of the instruction set, from kinds/isa.h;
//   bool eliminate(Band&, RibbonRows&)         adds rows to the band; false if a row contradicts the stored rows.
// It must include <algorithm>, <bit>, <span>, kinds/ribbon/band.h and kinds/ribbon/layout.h. Defines add_bucket().

template <class Record>
CRIVO_TARGET inline std::uint64_t start_in_bucket(const RecordBucket<Record>& bucket, std::uint64_t hash) noexcept {
  return mulhi(hash, bucket.starts) - bucket.first_start;
}

/// Removes hashes from the end of `hashes` while their starts are in the same block and at least `kept_from`. A row
/// whose first slot is free is stored at once. The other rows are appended to `rows`, until `rows` is full.
template <class Record>
CRIVO_TARGET inline void take_rows(RecordBand<Record>& band, const RecordBucket<Record>& bucket,
                                   std::uint64_t kept_from, std::span<const Record>& hashes,
                                   RibbonRows& rows) noexcept {
  const std::uint64_t block = start_in_bucket(bucket, hash_of(hashes.back())) / kRibbonBlockSlots;
  const std::uint64_t lowest = std::max(kept_from, block * kRibbonBlockSlots);
  const std::uint64_t first_slot = bucket.first_start - band.from();
  rows.block = first_slot / kRibbonBlockSlots + block;
  rows.count = 0;
  std::size_t key = hashes.size();
  for (; key > 0 && rows.count < kRibbonRows; --key) {
    const std::uint64_t hash = hash_of(hashes[key - 1]);
    const std::uint64_t start = start_in_bucket(bucket, hash);
    if (start < lowest) break;
    const std::uint64_t row = std::rotl(ribbon_row(hash, bucket.width), static_cast<int>(start % kRibbonBlockSlots));
    const auto result = bucket.result_of(hashes[key - 1]);
    const bool stored = band.store_if_free(first_slot + start, row, result);
    rows.bits[rows.count] = row;
    rows.shift[rows.count] = start % kRibbonBlockSlots;
    rows.result[rows.count] = result;
    rows.count += !stored;
  }
  hashes = hashes.first(key);
}

// Adds the keys in descending order of starts, in groups. A group is the keys that one threshold bumps and the next
// lower threshold keeps. If a key cannot be stored, its group is removed and bumped, with all lower starts.
template <class Record>
CRIVO_TARGET inline RibbonBumped add_bucket(RecordBand<Record>& band, const RecordBucket<Record>& bucket) noexcept {
  std::span<const Record> left = bucket.hashes;
  for (unsigned threshold = 3; threshold > bucket.threshold; --threshold) {
    const std::size_t before = left.size();
    const std::uint64_t kept_from = ribbon_kept_from(threshold - 1, bucket.width);
    band.begin_group();
    while (!left.empty() && start_in_bucket(bucket, hash_of(left.back())) >= kept_from) {
      RibbonRows rows;
      take_rows(band, bucket, kept_from, left, rows);
      if ((rows.count != 0 && !eliminate(band, rows)) || !band.group_fits()) {
        band.undo();
        return {threshold, before};
      }
    }
  }
  return {bucket.threshold, left.size()};
}
