// The types that describe a filter: its kind, specification, shape, facts and statistics.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "crivo/hash.h"

namespace crivo {

/// The kinds of filters. The numbers are part of the format (docs/format.md) and are never reused.
enum class Kind : std::uint8_t {
  kClassic = 1,         // Bloom 1970
  kBlocked = 2,         // Putze, Sanders & Singler 2007
  kCounting = 3,        // Fan, Cao, Almeida & Broder 2000
  kSpectral = 4,        // Cohen & Matias 2003
  kScalable = 5,        // Almeida, Baquero, Preguica & Hutchison 2007
  kCuckoo = 6,          // Fan, Andersen, Kaminsky & Mitzenmacher 2014
  kHashCompaction = 7,  // Wolper & Leroy 1993
  kRibbon = 8,          // Dillinger, Huebschle-Schneider, Sanders & Walzer 2022
  kRange = 9,           // Costa, Ferragina & Vinciguerra 2024 (Grafite)
  kMap = 10,            // Dillinger, Huebschle-Schneider, Sanders & Walzer 2022 (retrieval)
  kExact = 11,          // Schanck 2025 (Clubcard)
  kSketch = 12,         // Yang, Gilad & Alizadeh 2024; not a filter, and not in kinds() (crivo/sketch.h)
  kGrowing = 13,        // Litwin 1980; Dayan, Bercea, Reviriego & Pagh 2023 (InfiniFilter)
  kWindow = 14,         // Putze, Sanders & Singler 2007; one blocked filter per pane of time
  kSharded = 15,        // the manifest of a sharded filter; not in kinds() (crivo/sharded_filter.h)
};

/// What a kind can do.
struct Capabilities {
  /// Keys can be added at any time. A filter of any other kind is built once, from all its keys.
  bool add = false;
  bool remove = false;
  /// Counts how often each key was added.
  bool count = false;
  bool unite = false;
  bool intersect = false;
  /// Answers range queries. The keys are ordered numbers (crivo/ordered.h).
  bool range = false;
  /// Stores a value for each key. Built once, from pairs.
  bool find = false;
  /// Answers exactly for every key that the filter is built from: 1 for a member, 0 for any other key. Built once.
  bool exact = false;
  /// The payload grows with the keys. Beyond the capacity, `scalable` keeps the promised rate; `growing` does not.
  bool grow = false;
  /// Keys expire: AnyFilter::advance sets the filter's clock.
  bool advance = false;

  /// Whether every key comes with a value.
  [[nodiscard]] constexpr bool needs_values() const noexcept { return find || exact; }
};

/// A kind's names, its option, and what it can do.
struct KindInfo {
  Kind kind;
  std::string_view name;
  std::string_view option;  // describes the option after "name:", such as "counter bits: 4, 8, 16 or 32", or is empty
  std::string_view alias;   // a name that selects the kind and its option, such as "compressed"; may be empty
  Capabilities can;
  HashId hash_id = HashId::kXxh3_64;   // the hash function of all filters of this kind
  double default_fp_rate = 0.01;       // for hosts whose users give no rate; FilterSpec ignores it
  std::uint64_t default_capacity = 0;  // replaces a capacity of 0 in a spec; 0: there is no default
};

/// The largest capacity of a filter: 2^40 keys.
inline constexpr std::uint64_t kMaxCapacity = std::uint64_t{1} << 40;
/// The maximum of FilterSpec::bits_per_key.
inline constexpr double kMaxBitsPerKey = 1000;

/// The maximum of FilterSpec::value_bits.
inline constexpr unsigned kMaxValueBits = 32;

/// What to build. The filter is sized by fp_rate unless bits_per_key is set.
/// Lower bounds of fp_rate: capacity * 2^-64 for every kind, because two keys may share a 64-bit hash; capacity *
/// range_length * 2^-63 for `range`; 2^-32 for `ribbon` and `map`; 2^-33 for `exact`; 4 * capacity * 2^-64 for
/// `scalable`; (1 + 1 / panes) * capacity * 2^-64 for `window`.
struct FilterSpec {
  Kind kind = Kind::kBlocked;
  /// Distinct keys, 1 to 2^40. `growing`: the number of keys up to which fp_rate holds, at most 2^32; 0 stands for
  /// 2^32. For other kinds, only builders accept 0; they then count the keys.
  std::uint64_t capacity = 0;
  /// The false-positive rate at capacity, in (capacity * 2^-64, 1). 1 is allowed for a map without check bits and for
  /// the smallest exact filter.
  double fp_rate = 0.01;
  /// Sizes the filter instead of fp_rate: above 0, at most 1000.
  std::optional<double> bits_per_key = std::nullopt;
  /// The seed of the hash.
  std::uint64_t seed = 0;

  // The options of individual kinds (KindInfo::option).

  /// spectral: 4, 8, 16 or 32.
  unsigned counter_bits = 8;
  /// scalable: the ratio of a layer's capacity to the capacity of the layer before, 2 to 16.
  unsigned growth = 2;
  /// classic: minimizes the compressed blob (Mitzenmacher 2002). bits_per_key then counts the blob's bits.
  bool smallest_blob = false;
  /// range: the length of the ranges for which fp_rate holds, a power of two from 1 to 2^31.
  unsigned range_length = 1;
  /// ribbon: bits per row, 64 or 32. With 32 the filter is 1% larger and a query reads half the bytes.
  unsigned ribbon_width = 64;
  /// map: bits per value, 1 to 32; 0 stands for the bits of the largest value.
  unsigned value_bits = 0;
  /// exact: the number of members among the keys. If there is no value, FilterBuilder counts the members.
  std::optional<std::uint64_t> members = std::nullopt;
  /// window: the minimum time for which a key is found, in milliseconds, from `panes` to 100 years, rounded up to a
  /// multiple of `panes`.
  std::int64_t window = 86'400'000;
  /// window: the number of panes that the window is divided into, 1 to 256. The filter stores one more pane.
  unsigned panes = 8;

  friend bool operator==(const FilterSpec&, const FilterSpec&) = default;
};

/// The parameters of a filter. Only filters of equal shape can be united. A query needs only the shape and the payload.
struct Shape {
  Kind kind = Kind::kBlocked;
  HashId hash_id = HashId::kXxh3_64;
  std::uint8_t k = 0;       // bits tested per key; some kinds store another number here (docs/format.md)
  std::uint16_t param = 0;  // the kind's parameter; 0 if the kind has none
  std::uint64_t units = 0;  // bits, blocks, counters, ..., depending on the kind (docs/format.md)
  std::uint64_t seed = 0;   // the seed of the hash
  friend bool operator==(const Shape&, const Shape&) = default;
};

/// What a blob's header states about the filter. Queries do not use the facts.
struct Facts {
  /// Successful additions, with duplicates, minus removals; saturates. A union has the sum of both numbers, an
  /// intersection the smaller one. A window also counts expired keys.
  std::uint64_t keys = 0;
  /// The number of keys that the filter was sized for, and the promised rate at this number.
  std::uint64_t capacity = 0;
  double fp_rate = 0;
  /// The filter, or a filter that was united or intersected with it, was read from a raw blob. BlobForm::kAuto then
  /// writes a raw blob again.
  bool pinned_raw = false;
  friend bool operator==(const Facts&, const Facts&) = default;
};

/// How full a filter is. Computing the statistics reads the whole payload.
struct Stats {
  /// The bits of the bit array, or of all slots; excludes header and padding. For a kind that is built once: all bits
  /// of the payload. For a kind with counters: the number of counters.
  std::uint64_t bits = 0;
  /// Bits that are set, or counters above 0.
  std::uint64_t bits_set = 0;
  /// The probability that a query for an absent key returns true; 1 if the filter is saturated.
  double current_fp_rate = 0;
  /// The estimated number of distinct keys; no value if the filter is saturated.
  std::optional<double> cardinality = std::nullopt;
};

/// One layer of a scalable filter. Each layer has a larger capacity than the layer before.
struct LayerInfo {
  std::uint64_t capacity = 0;  // the number of keys that the layer accepts
  std::uint64_t keys = 0;
  unsigned k = 0;      // bits tested per key
  double fp_rate = 0;  // the rate that the layer was sized for
  Stats stats;
};

/// The size of a blob's header. The payload follows the header; a raw payload has the same bytes as in memory.
inline constexpr std::size_t kBlobHeaderBytes = 64;

/// How a blob's payload is stored. Values are part of the format.
enum class Codec : std::uint8_t { kRaw = 0, kZstd = 1, kGapZstd = 2, kRawSums = 3 };

/// How a blob is encoded (crivo/blob.h).
enum class BlobForm {
  /// Raw if the filter is pinned raw (Facts::pinned_raw) or compression gains too little, else compressed
  /// (docs/format.md, "Which codec").
  kAuto,
  /// The payload as in memory: fixed size, read without a copy.
  kRaw,
  /// The codec that gives the fewest bytes.
  kSmallest,
  /// Raw, with a checksum per segment: a file of any size opens in constant time (mapped_filter.h).
  kMappable,
  /// For a file: as kAuto, except that a raw payload above 64 KiB becomes kMappable.
  kFile,
};

// zstd's compression levels. Other codecs have none.
inline constexpr int kDefaultCompressionLevel = 3;  // zstd's own default
inline constexpr int kMinCompressionLevel = 1;
inline constexpr int kMaxCompressionLevel = 22;

}  // namespace crivo
