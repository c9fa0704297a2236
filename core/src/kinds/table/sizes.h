// The formulas of the kinds that store fingerprints: cuckoo and hash_compaction.
#pragma once

#include <cstdint>

#include "crivo/result.h"

namespace crivo {

/// A size: units (cuckoo: buckets; hash_compaction: slots) and fingerprint bits.
struct FingerprintSize {
  std::uint64_t units;
  unsigned bits;
};

/// The rate of a cuckoo filter with this share of its slots filled (0 to 1): 1 - (1 - 1 / (2^f - 1))^(8 load). An
/// absent key is compared with the fingerprints of two buckets of four, and 0 is no fingerprint. Source: Fan et al.
/// 2014, section 5.1.
[[nodiscard]] double cuckoo_fp_rate(double load, unsigned bits) noexcept;

/// The smallest cuckoo filter with cuckoo_fp_rate <= fp_rate at `capacity` keys. Its load is at most 0.95, with as many
/// spare buckets and fingerprint bits as are needed to place all keys. Errors: as size_classic.
[[nodiscard]] Result<FingerprintSize> size_cuckoo(std::uint64_t capacity, double fp_rate);
/// The cuckoo filter with the lowest rate for bits_per_key. The number of buckets is rounded up, and is at least the
/// number that the keys need. Errors: kBadArgument for a capacity outside 1..kMaxCapacity or bits_per_key outside
/// 5.26..1000. The lower bound is 6.32 above 3.5e5 keys, 7.37 above 8.6e7, and 8.42 above 2e10.
[[nodiscard]] Result<FingerprintSize> size_cuckoo_by_bits(std::uint64_t capacity, double bits_per_key);

/// The rate of hash compaction with `load` keys per slot: about 1 - exp(-(2 ln(1 / (1 - load)) - load) / (2^f - 1)), or
/// 5 / 2^f at a load of 0.95. Source: derived in core/src/kinds/table/sizes.cpp for the ordered table of Amble & Knuth
/// 1974, with a step that depends on the value alone.
[[nodiscard]] double hash_compaction_fp_rate(double load, unsigned bits) noexcept;

/// The estimated number of distinct keys in a filter with this many occupied slots, which must be below `slots`. The
/// number is slightly above `occupied`, because keys that were false positives when they were added occupy no slot.
[[nodiscard]] double hash_compaction_cardinality(double slots, double occupied, unsigned bits) noexcept;

/// The smallest hash_compaction filter with hash_compaction_fp_rate <= fp_rate at `capacity` keys, at a load of at most
/// 0.95, with a prime number of slots. Errors: as size_classic.
[[nodiscard]] Result<FingerprintSize> size_hash_compaction(std::uint64_t capacity, double fp_rate);
/// The hash_compaction filter with the lowest rate for bits_per_key. Errors: as size_cuckoo_by_bits, but the lower
/// bound of bits_per_key is 2.11.
[[nodiscard]] Result<FingerprintSize> size_hash_compaction_by_bits(std::uint64_t capacity, double bits_per_key);

}  // namespace crivo
