// The values that describe a filter: its kind, what it was asked to be, its shape, and what it tells about itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "crivo/hash.h"

namespace crivo {

/// The kinds a stored filter can name. Values are part of the format (docs/format.md) and are never reused.
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
  kExact = 11,          // Schanck 2025 (there Clubcard)
  kSketch = 12,         // Yang, Gilad & Alizadeh 2024: no filter, and none of kinds(); crivo/sketch.h
  kGrowing = 13,        // Litwin 1980; Dayan, Bercea, Reviriego & Pagh 2023 (InfiniFilter)
  kWindow = 14,         // Putze, Sanders & Singler 2007, one for each pane of time
  kSharded = 15,        // the manifest of a sharded filter, and none of kinds(); crivo/sharded_filter.h
};

/// What a kind can do.
struct Capabilities {
  bool add = false;  // takes keys after it was made; a kind that cannot is built once, from all its hashes
  bool remove = false;
  bool count = false;  // tells how often a key was added
  bool unite = false;
  bool intersect = false;
  bool range = false;    // tells whether there may be a key in a range; its keys are ordered numbers (crivo/ordered.h)
  bool find = false;     // has a value for each key; it is built once, from pairs
  bool exact = false;    // is certain of all keys that it is built from, once: those with value 1, which it has, and 0
  bool grow = false;     // takes keys beyond its capacity, and keeps the promised rate
  bool advance = false;  // forgets keys some time after they came: AnyFilter::advance sets its clock

  /// Whether every key comes with a value.
  [[nodiscard]] constexpr bool needs_values() const noexcept { return find || exact; }
};

/// A kind's names, its option, and what it can do.
struct KindInfo {
  Kind kind;
  std::string_view name;
  std::string_view option;  // what may follow the name and a colon: "counter bits: 4, 8, 16 or 32"; empty for none
  std::string_view alias;   // a word that alone means the kind with this option: "compressed"; empty for none
  Capabilities can;
  HashId hash_id = HashId::kXxh3_64;   // the hash function of all filters of this kind
  double default_fp_rate = 0.01;       // where a user of a host names none
  std::uint64_t default_capacity = 0;  // what a capacity of 0 stands for, if not for an error
};

/// The largest capacity that a filter can be asked for: 2^40 keys.
inline constexpr std::uint64_t kMaxCapacity = std::uint64_t{1} << 40;
/// The most bits per key that a filter can be asked for.
inline constexpr double kMaxBitsPerKey = 1000;

/// The most bits of a value in a map.
inline constexpr unsigned kMaxValueBits = 32;

/// What a new filter is to be. It is sized by fp_rate, unless bits_per_key is given. At a rate of capacity * 2^-64
/// different keys have the same 64-bit hash, so no filter has a lower one; `range` has none below
/// capacity * length * 2^-63, `ribbon` and `map` have none below 2^-32, and `exact` has none below 2^-33.
struct FilterSpec {
  Kind kind = Kind::kBlocked;
  std::uint64_t capacity = 0;  // keys, 1 to 2^40; of growing, to which it keeps its rate: to 2^32, and 0 is that
  double fp_rate = 0.01;       // wanted at capacity, above capacity * 2^-64 and below 1; or 1 for a map without
                               // check bits, and for an exact filter that is as small as it can be
  std::optional<double> bits_per_key = std::nullopt;  // instead of fp_rate: finite, > 0, at most 1000
  std::uint64_t seed = 0;                             // the seed of the hash

  // Each of the following is read by one kind alone (KindInfo::option).
  unsigned counter_bits = 8;  // spectral: 4, 8, 16 or 32
  unsigned growth = 2;        // scalable: each layer's capacity over that of the layer before, 2 to 16
  bool smallest_blob =
      false;  // classic: sized for the smallest blob (Mitzenmacher 2002), whose bits bits_per_key counts
  unsigned range_length = 1;   // range: of the ranges that fp_rate is for, a power of two from 1 to 2^31
  unsigned ribbon_width = 64;  // ribbon: bits of a row, 64 or 32: a percent larger, and half the bytes for a question
  unsigned value_bits = 0;     // map: bits of a value, 1 to 32; 0: as many as the largest value needs
  std::optional<std::uint64_t> members =
      std::nullopt;                  // exact: of the capacity, for its size; FilterBuilder counts them
  std::int64_t window = 86'400'000;  // window: the milliseconds that a key is found for, at least: as many as
                                     // panes, which are rounded up, to 100 years
  unsigned panes = 8;                // window: the pieces of that time, 1 to 256, of which one more is kept

  friend bool operator==(const FilterSpec&, const FilterSpec&) = default;
};

/// Everything two filters must have in common to be united, and all that a query needs beside the payload.
struct Shape {
  Kind kind = Kind::kBlocked;
  HashId hash_id = HashId::kXxh3_64;
  std::uint8_t k = 0;       // bits tested per key; what stands in its place is up to the kind (docs/format.md)
  std::uint16_t param = 0;  // the kind's parameter; 0 for a kind that has none
  std::uint64_t units = 0;  // the number of bits, blocks, counters, ..., by kind; docs/format.md
  std::uint64_t seed = 0;   // the seed of the hash
  friend bool operator==(const Shape&, const Shape&) = default;
};

/// What a filter states about itself. No answer of may_contain depends on it.
struct Facts {
  std::uint64_t keys = 0;      // successful additions, duplicates included, saturating; in a window those that are
                               // forgotten, too
  std::uint64_t capacity = 0;  // the number of keys that it was sized for
  double fp_rate = 0;          // what it promised at capacity
  bool pinned_raw = false;     // came from a raw blob, and is stored raw again
  friend bool operator==(const Facts&, const Facts&) = default;
};

/// How full a filter is, and what follows from it. Takes a pass over the payload.
struct Stats {
  std::uint64_t bits = 0;      // in use, or all of a kind that is built once; counters, for a kind that has them
  std::uint64_t bits_set = 0;  // the bits that are set; the counters above 0
  double current_fp_rate = 0;  // probability that an absent key is found, at this fill; 1 when saturated
  std::optional<double> cardinality = std::nullopt;  // the estimated distinct keys; no value when saturated
};

/// One of the filters that a filter is made of, each larger than the one before.
struct LayerInfo {
  std::uint64_t capacity = 0;  // the number of keys that it takes, or was sized for
  std::uint64_t keys = 0;      // the number of keys in it
  unsigned k = 0;              // the bits tested per key
  double fp_rate = 0;          // the rate that it was sized for
  Stats stats;                 // how full it is now
};

/// Every blob starts with a header of this many bytes. A raw payload follows it exactly as it lies in memory.
inline constexpr std::size_t kBlobHeaderBytes = 64;

/// How a blob's payload is stored. Values are part of the format.
enum class Codec : std::uint8_t { kRaw = 0, kZstd = 1, kGapZstd = 2, kRawSums = 3 };

/// Which form a blob gets (crivo/blob.h).
enum class BlobForm {
  kAuto,      // raw if the filter is pinned or too full to gain, else compressed (docs/format.md, "Which codec")
  kRaw,       // raw: fixed size, read without a copy
  kSmallest,  // in the codec that gives the fewest bytes
  kMappable,  // raw, with a checksum for each segment: a file of any size opens in constant time (mapped_filter.h)
  kFile,      // for a file of its own: as kAuto, but mappable where that is raw and above 64 KiB
};

// zstd's levels of compression, which other codecs do not have.
inline constexpr int kDefaultCompressionLevel = 3;  // zstd's own default
inline constexpr int kMinCompressionLevel = 1;
inline constexpr int kMaxCompressionLevel = 22;

}  // namespace crivo
