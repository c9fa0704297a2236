// The published formulas about filters' sizes and rates, one function each. These are pure arithmetic: no filter is
// built here.
//
// In all of them n is the number of keys, m the number of bits, k the number of probes per key, and fp_rate the share
// of absent keys that are found, in (0, 1): 0.01 is one false hit in a hundred absent keys.
#pragma once

#include <cstdint>

#include "crivo/result.h"
#include "crivo/types.h"

namespace crivo {

/// The bits per key that every filter of this rate needs at least: log2(1 / fp_rate), which is 6.64 for 0.01. Errors:
/// kBadArgument if fp_rate is outside (0, 1) or NaN. Source: Carter et al. 1978.
[[nodiscard]] Result<double> information_bits_per_key(double fp_rate);

/// The bits per key that a Bloom filter needs for this rate: log2(e) * log2(1 / fp_rate), which is 9.59 for 0.01.
/// Errors: as information_bits_per_key. Source: Bloom 1970, at the optimal k = bits_per_key * ln 2.
[[nodiscard]] Result<double> bloom_bits_per_key(double fp_rate);

/// The best number of probes as a real number: (m / n) ln 2. bits and keys must be above 0. Source: Bloom 1970; Broder
/// & Mitzenmacher 2004, section 2.
[[nodiscard]] double optimal_probes(double bits, double keys) noexcept;

/// The rate of the classic filter with n keys in m bits: the mean of (bits set / m)^k, which approaches the textbook's
/// (1 - e^(-kn/m))^k (Broder & Mitzenmacher 2004, (1)) from above as n grows: 2 to 15 times that at one key, 1.1 to 1.4
/// at ten, 1.001 to 1.003 at a thousand. It is 0 without keys. Sources: Bose et al. 2008, "On the false-positive rate
/// of Bloom filters"; Christensen, Roginsky & Jimeno 2010.
[[nodiscard]] double classic_fp_rate(double bits, double keys, unsigned probes) noexcept;

/// The rate of the blocked filter: the mean of the rate in a block, whose number of keys follows a Poisson distribution
/// with mean n / blocks. Source: Putze, Sanders & Singler 2007, (3); the rate in a block takes into account that the
/// fill of blocks with the same number of keys varies, which their (1 - (1-1/B)^(kj))^k leaves out.
[[nodiscard]] double blocked_fp_rate(double blocks, double keys, unsigned probes) noexcept;

/// A size that meets a rate: the unit count (bits for classic, 512-bit blocks for blocked) and the probes per key.
struct FilterSize {
  std::uint64_t units;
  unsigned probes;
};

/// The smallest classic filter whose classic_fp_rate at `capacity` keys is at most fp_rate, over all k up to 64. (If k
/// need not be an integer, that is m = -n ln p / (ln 2)^2.) Errors: kBadArgument for a capacity outside
/// 1..kMaxCapacity, an fp_rate outside (0, 1), or one at or below capacity * 2^-64, the rate at which different keys
/// have the same 64-bit hash.
[[nodiscard]] Result<FilterSize> size_classic(std::uint64_t capacity, double fp_rate);

/// The smallest blocked filter whose blocked_fp_rate at `capacity` keys is at most fp_rate, over all k up to 16.
/// Errors: as size_classic.
[[nodiscard]] Result<FilterSize> size_blocked(std::uint64_t capacity, double fp_rate);

/// The number of probes per key that has the lowest rate for a given size. bits_per_key must be above 0.
[[nodiscard]] unsigned best_classic_probes(double bits_per_key) noexcept;
[[nodiscard]] unsigned best_blocked_probes(double bits_per_key) noexcept;

/// The estimated number of keys in a classic filter with `set` of `bits` bits set: -(m / k) ln(1 - set / m); infinite
/// when all bits are set. Source: Swamidass & Baldi 2007.
[[nodiscard]] double classic_cardinality(double bits, double set, unsigned probes) noexcept;

/// The same for a blocked filter: the Poisson number of keys per block makes the expected share of clear bits
/// e^(-(n / blocks) (1 - (1 - 1/512)^k)), solved for n.
[[nodiscard]] double blocked_cardinality(double blocks, double set, unsigned probes) noexcept;

/// The most bits per key that the compressed sizing lets a filter take in memory. Without a limit there is no best
/// filter: the blob would keep shrinking as k falls below 1 and the memory grows without bound. Any classic filter fits
/// in 93 bits per key.
inline constexpr double kMaxCompressedBitsPerKey = 128;

/// Bits per key that the blob of a classic filter takes at capacity, without the header, when the filter has
/// bits_per_key in memory: (m / n) H(1 - e^(-kn/m)) while it is stored compressed (docs/format.md, "Which codec"), else
/// m / n. The codec adds up to 2%. Source: Mitzenmacher 2002, "Compressed Bloom filters", section 3.
[[nodiscard]] double stored_bits_per_key(double bits_per_key, unsigned probes) noexcept;

/// The classic filter whose blob is the smallest, by stored_bits_per_key, of those that meet the rate at capacity in at
/// most kMaxCompressedBitsPerKey. Errors: as size_classic. Source: Mitzenmacher 2002.
[[nodiscard]] Result<FilterSize> size_compressed(std::uint64_t capacity, double fp_rate);

/// The classic filter whose rate at capacity is the lowest of those that are stored in `stored_bits` per key, within
/// the same memory (or stored_bits, where that is more). Errors: kBadArgument for a capacity outside 1..kMaxCapacity or
/// bits outside (0, 1000].
[[nodiscard]] Result<FilterSize> size_compressed_by_bits(std::uint64_t capacity, double stored_bits);

/// The rate for which layer number `layer` (0, 1, ...) of a scalable filter is sized: fp_rate (1 - r) r^layer with r =
/// 3/4. However many layers there are, 1 - prod(1 - rate) stays below fp_rate. Source: Almeida et al. 2007, who advise
/// r of 0.8 to 0.9. At a growth of 2 and rates of 0.1 to 0.0001, 3/4 takes at most 3% more bits than the best r after
/// 100-fold growth, and 3 to 6% fewer than 0.8 before any.
[[nodiscard]] double scalable_layer_rate(double fp_rate, unsigned layer) noexcept;

/// The share of a counting filter's counters that are saturated, at 15 or more, after `keys` distinct keys: P(X >= 15)
/// for a Poisson X with mean keys / blocks (1 - (1 - 1/512)^k), as each key of a block takes a given position with that
/// probability. Source: Fan, Cao, Almeida & Broder 2000, who bound P(X >= 16) at the best k by (e ln 2 / 16)^16 =
/// 1.37e-15.
[[nodiscard]] double counting_saturated_share(double blocks, double keys, unsigned probes) noexcept;

/// An upper bound for how much too high a spectral filter counts a key on average: (k N / m) (1 - e^(-k n / m))^(k - 1)
/// with n distinct keys in N additions. A counter of x exceeds x's count by at most the additions of other keys that
/// share it, N k / m on average; the smallest one does only if other keys share the k - 1 other counters too. (The
/// share of keys counted too high is at most classic_fp_rate.) Source: Cohen & Matias 2003, for whom minimum increase
/// is never above the minimum of plain counters, which this bounds.
[[nodiscard]] double spectral_error_bound(double counters, double keys, double additions, unsigned probes) noexcept;

/// The size of a ribbon: `columns` bits per key, and one more in a share of rich_share / 32768 of the blocks.
struct RibbonSize {
  std::uint64_t units;  // words of 8 bytes; a build takes as many as its hashes need, about this number
  unsigned columns;     // 0 to 32
  unsigned rich_share;  // 0 to 32767
};

/// The rate of a ribbon with any number of keys above 0: 2^-columns (1 - rich_share / 65536). Source: Dillinger &
/// Walzer 2021, where r columns give 2^-r, and mixing two numbers of columns mixes their rates.
[[nodiscard]] double ribbon_fp_rate(unsigned columns, unsigned rich_share) noexcept;

/// The cheapest ribbon for a rate, from 2^-32 on: within half a percent of columns + rich_share / 32768 bits per key
/// once there are 1e5 keys and several columns. Errors: kBadArgument.
[[nodiscard]] Result<RibbonSize> size_ribbon(std::uint64_t capacity, double fp_rate);
/// The ribbon of the lowest rate that takes at most bits_per_key in all. Errors: kBadArgument unless bits_per_key lies
/// in (0, 1000].
[[nodiscard]] Result<RibbonSize> size_ribbon_by_bits(std::uint64_t capacity, double bits_per_key);

/// A size for kinds that store fingerprints: units (cuckoo: buckets; hash_compaction: slots) and the bits of a
/// fingerprint.
struct FingerprintSize {
  std::uint64_t units;
  unsigned bits;
};

/// The rate of a cuckoo filter with this share of its slots filled (0 to 1): 1 - (1 - 1 / (2^f - 1))^(8 load), as an
/// absent key is compared with the fingerprints in two buckets of four, and 0 is no fingerprint. Source: Fan et al.
/// 2014, section 5.1.
[[nodiscard]] double cuckoo_fp_rate(double load, unsigned bits) noexcept;

/// The cuckoo filter of the fewest bits whose cuckoo_fp_rate at `capacity` keys is at most fp_rate, and which has room
/// for them: at a load of at most 0.95, with spare buckets and bits where chance needs them. Errors: as size_classic.
[[nodiscard]] Result<FingerprintSize> size_cuckoo(std::uint64_t capacity, double fp_rate);
/// The cuckoo filter of the lowest rate that takes bits_per_key in all, rounded up to whole buckets, and to as many
/// buckets as the keys need. Errors: kBadArgument for a capacity outside 1..kMaxCapacity or bits_per_key outside
/// 5.26..1000 (from 6.32 past 3.5e5 keys, 7.37 past 8.6e7, 8.42 past 2e10).
[[nodiscard]] Result<FingerprintSize> size_cuckoo_by_bits(std::uint64_t capacity, double bits_per_key);

/// The rate of hash compaction with `load` keys per slot: about 1 - exp(-(2 ln(1 / (1 - load)) - load) / (2^f - 1)), or
/// 5 / 2^f at a load of 0.95. Source: derived in core/src/sizing/fingerprints.cpp for the ordered table of Amble &
/// Knuth 1974 with a step that depends on the value alone.
[[nodiscard]] double hash_compaction_fp_rate(double load, unsigned bits) noexcept;

/// The estimated number of distinct keys in a filter with this many occupied slots, which must be below `slots`. It is
/// a little above `occupied`, because some keys were found before they were added and took no slot.
[[nodiscard]] double hash_compaction_cardinality(double slots, double occupied, unsigned bits) noexcept;

/// The hash_compaction filter of the fewest bits whose hash_compaction_fp_rate at `capacity` keys is at most fp_rate,
/// at a load of at most 0.95; then the next prime number of slots. Errors: as size_classic.
[[nodiscard]] Result<FingerprintSize> size_hash_compaction(std::uint64_t capacity, double fp_rate);
/// The hash_compaction filter of the lowest rate that takes bits_per_key in all. Errors: as size_cuckoo_by_bits, but
/// from 2.11 bits on.
[[nodiscard]] Result<FingerprintSize> size_hash_compaction_by_bits(std::uint64_t capacity, double bits_per_key);

/// The Shannon entropy, in bits, of one bit that is 1 with this probability: what an ideal coder needs for it. It is 0
/// at 0 and 1.
[[nodiscard]] double bit_entropy(double probability) noexcept;

}  // namespace crivo
