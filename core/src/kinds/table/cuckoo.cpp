// The cuckoo filter: a hash table of short fingerprints instead of keys, so that keys can be removed. A bucket has four
// slots. A key has two buckets, and either may contain its fingerprint. The second bucket follows from the first and
// the fingerprint alone, so a fingerprint can be relocated between its buckets although the key is unknown. If both
// buckets of a new key are full, fingerprints are relocated until a slot is free; if that fails, the filter is full. A
// key that is added repeatedly occupies a slot each time, up to the eight slots of its buckets.
// Paper: Fan, Andersen, Kaminsky & Mitzenmacher 2014, "Cuckoo filter: practically better than Bloom".
#include <algorithm>
#include <array>
#include <cassert>

#include "base/error_text.h"
#include "kinds/checks.h"
#include "kinds/kind.h"
#include "kinds/probe_key.h"
#include "kinds/table/packed_slots.h"
#include "kinds/table/shape.h"
#include "kinds/table/sizes.h"

namespace crivo {
namespace {

constexpr unsigned kSlots = kCuckooBucketSlots;
constexpr unsigned kNone = kSlots;  // means "in no slot"
constexpr unsigned kMaxCopies = 2 * kSlots;
constexpr std::size_t kRelocations = 2000;

/// The other bucket of a fingerprint. The numbers of the two buckets add up, modulo the number of buckets, to an odd
/// number that the fingerprint determines. So each bucket number determines the other. The two differ, because the
/// number of buckets is even.
std::uint64_t other_bucket(std::uint64_t bucket, std::uint32_t fingerprint, std::uint64_t buckets) noexcept {
  const std::uint64_t sum = 2 * mulhi(scatter(fingerprint), buckets / 2) + 1;
  return sum >= bucket ? sum - bucket : sum + buckets - bucket;
}

struct CuckooKey {
  std::uint64_t first;
  std::uint64_t second;
  std::uint32_t fingerprint;

  CuckooKey() = default;
  CuckooKey(std::uint64_t hash, const Shape& shape) noexcept
      : first(mulhi(hash, shape.units)), second(0), fingerprint(fingerprint_of(hash, shape.param)) {
    second = other_bucket(first, fingerprint, shape.units);
  }
};

__extension__ using Wide = unsigned __int128;

/// Loads a bucket into one integer, with a lane per slot. Word must have at least 4 f bits.
template <class Word>
class BucketLoader {
 public:
  explicit BucketLoader(const View& view) noexcept
      : payload_(view.payload), bits_(view.shape.param), lows_(kLows[bits_]) {}

  [[nodiscard]] const std::byte* address(std::uint64_t bucket) const noexcept {
    return payload_ + (bucket * kSlots * bits_ >> 3);
  }
  /// Tests both buckets without a branch, which would often be mispredicted. Both loads start at once.
  [[nodiscard]] bool holds(const CuckooKey& key) const noexcept {
    const Word wanted = lows_ * key.fingerprint;
    return (zero_lanes(load(key.first) ^ wanted) | zero_lanes(load(key.second) ^ wanted)) != 0;
  }

 private:
  /// The lowest bit of each lane, indexed by the lane's width.
  static constexpr auto kLows = [] {
    std::array<Word, kMaxFingerprintBits + 1> lows{};
    for (unsigned bits = 0; bits * kSlots <= 8 * sizeof(Word); ++bits) {
      for (unsigned slot = 0; slot < kSlots; ++slot) lows[bits] |= Word{1} << (slot * bits);
    }
    return lows;
  }();

  /// Nonzero if a lane is 0. After subtracting 1 from every lane, the lowest lane whose top bit changes from 0 to 1 was
  /// 0. Bits above the lanes are ignored.
  [[nodiscard]] Word zero_lanes(Word lanes) const noexcept { return (lanes - lows_) & ~lanes & (lows_ << (bits_ - 1)); }
  [[nodiscard]] Word load(std::uint64_t bucket) const noexcept {
    const std::byte* from = address(bucket);
    Word word = load_le<std::uint64_t>(from);
    if constexpr (sizeof(Word) == 16) word |= Word{load_le<std::uint64_t>(from + 8)} << 64;
    return word >> (bucket * kSlots * bits_ & 7);
  }

  const std::byte* payload_;
  unsigned bits_;
  Word lows_;
};

template <class Word>
bool contains(const View& view, std::uint64_t hash) noexcept {
  return BucketLoader<Word>(view).holds(CuckooKey(hash, view.shape));
}

template <class Word>
void contains_batch(const View& view, const std::uint64_t* hashes, std::size_t count, bool* hits) noexcept {
  constexpr std::size_t kAhead = 32;
  const BucketLoader<Word> loader(view);
  std::array<CuckooKey, kAhead> keys;
  for (std::size_t from = 0; from < count; from += kAhead) {
    const std::size_t size = std::min(count - from, kAhead);
    for (std::size_t i = 0; i < size; ++i) {
      keys[i] = CuckooKey(hashes[from + i], view.shape);
      __builtin_prefetch(loader.address(keys[i].first));
      __builtin_prefetch(loader.address(keys[i].second));
    }
    for (std::size_t i = 0; i < size; ++i) hits[from + i] = loader.holds(keys[i]);
  }
}

/// The buckets of a filter that is being changed.
class Buckets {
 public:
  explicit Buckets(Store store) noexcept
      : payload_(store.payload.data()), buckets_(store.shape.units), bits_(store.shape.param) {}

  void prefetch(const CuckooKey& key) const noexcept {
    __builtin_prefetch(payload_ + (key.first * kSlots * bits_ >> 3), 1);
    __builtin_prefetch(payload_ + (key.second * kSlots * bits_ >> 3), 1);
  }
  /// Returns false, with nothing changed, if the filter is full.
  bool add(const CuckooKey& key) noexcept {
    return put(key.first, key.fingerprint) || put(key.second, key.fingerprint) || relocate(key);
  }
  bool remove(const CuckooKey& key) noexcept {
    for (const std::uint64_t bucket : {key.first, key.second}) {
      if (const unsigned slot = find(bucket, key.fingerprint); slot != kNone) {
        set(bucket, slot, 0);
        return true;
      }
    }
    return false;
  }

 private:
  /// A full bucket of the search, reached by relocating the fingerprint in slot `slot` of the parent entry's bucket.
  struct Full {
    std::uint64_t bucket;
    std::uint16_t parent;
    std::uint16_t slot;
  };
  static constexpr std::size_t kRoots = 2;  // the key's own buckets
  using Search = std::array<Full, kRelocations / kSlots>;

  [[nodiscard]] std::uint32_t get(std::uint64_t bucket, unsigned slot) const noexcept {
    return load_slot(payload_, bucket * kSlots + slot, bits_);
  }
  void set(std::uint64_t bucket, unsigned slot, std::uint32_t fingerprint) noexcept {
    store_slot(payload_, bucket * kSlots + slot, bits_, fingerprint);
  }
  /// The first slot with this fingerprint, or kNone. A fingerprint of 0 finds an empty slot.
  [[nodiscard]] unsigned find(std::uint64_t bucket, std::uint32_t fingerprint) const noexcept {
    unsigned slot = 0;
    while (slot < kSlots && get(bucket, slot) != fingerprint) ++slot;
    return slot;
  }
  bool put(std::uint64_t bucket, std::uint32_t fingerprint) noexcept {
    const unsigned slot = find(bucket, 0);
    if (slot != kNone) set(bucket, slot, fingerprint);
    return slot != kNone;
  }

  /// Frees a slot by a breadth-first search, where the paper uses a random walk. The shortest path to an empty slot is
  /// found before anything is moved, so a failure needs no undo.
  bool relocate(const CuckooKey& key) noexcept {
    Search search;
    search[0] = {key.first, 0, 0};
    search[1] = {key.second, 0, 0};
    std::size_t found = kRoots;
    for (std::size_t at = 0; at < search.size(); ++at) {
      for (unsigned slot = 0; slot < kSlots; ++slot) {
        const std::uint32_t moving = get(search[at].bucket, slot);
        const std::uint64_t target = other_bucket(search[at].bucket, moving, buckets_);
        if (put(target, moving)) {
          shift(search, at, slot, key.fingerprint);
          return true;
        }
        if (found < search.size()) {
          search[found++] = {target, static_cast<std::uint16_t>(at), static_cast<std::uint16_t>(slot)};
        }
      }
    }
    return false;
  }
  /// Relocates the fingerprints along the path, from its end to its start. The fingerprint in `slot` of search[at] was
  /// already copied to its other bucket. Each slot is filled from the bucket before it on the path, and the first slot
  /// gets the new fingerprint. A shortest path contains no bucket twice, so nothing is overwritten.
  void shift(const Search& search, std::size_t at, unsigned slot, std::uint32_t fingerprint) noexcept {
    for (; at >= kRoots; at = search[at].parent) {
      const unsigned source = search[at].slot;
      set(search[at].bucket, slot, get(search[search[at].parent].bucket, source));
      slot = source;
    }
    set(search[at].bucket, slot, fingerprint);
  }

  std::byte* payload_;
  std::uint64_t buckets_;
  unsigned bits_;
};

double load_of(const Shape& shape, double keys) noexcept { return keys / (static_cast<double>(shape.units) * kSlots); }

std::uint64_t copies_of(const CuckooKey& key, const View& view) noexcept {
  std::uint64_t copies = 0;
  for (const std::uint64_t bucket : {key.first, key.second}) {
    for (unsigned slot = 0; slot < kSlots; ++slot) {
      copies += load_slot(view.payload, bucket * kSlots + slot, view.shape.param) == key.fingerprint ? 1 : 0;
    }
  }
  return copies;
}

Error full_error(const CuckooKey& key, const View& view) {
  if (copies_of(key, view) == kMaxCopies) {  // a larger filter would not help
    return error(ErrorCode::kFull, "additions of one key must be at most ", kMaxCopies,
                 ", the slots of its two buckets, got one more");
  }
  const std::uint64_t occupied = count_occupied(view.payload, view.shape.units * kSlots, view.shape.param);
  return error(ErrorCode::kFull, "filter must have a free slot: its load is ",
               load_of(view.shape, static_cast<double>(occupied)), " and none of ", kRelocations,
               " relocations frees a slot for this key", kCapacityHint);
}

template <class Bucket>
constexpr Probe kProbe = kProbeOf<&contains<Bucket>, &contains_batch<Bucket>>;

struct Cuckoo {
  static constexpr Kind kKind = Kind::kCuckoo;
  static constexpr std::string_view kName = "cuckoo";
  static constexpr bool kOnlyPaddingIsValidated = true;
  static constexpr const char* kUnitName = "number of buckets";
  static constexpr FingerprintLimits kLimits = {.probes = 2,
                                                .min_bits = kMinCuckooBits,
                                                .min_units = 2,
                                                .max_units = std::uint64_t{1} << 40,
                                                .unit_name = kUnitName};

  static Result<Shape> plan(const FilterSpec& spec) {
    return plan_fingerprints(spec, kKind, kLimits.probes, &size_cuckoo, &size_cuckoo_by_bits);
  }

  static Result<std::uint64_t> payload_bytes(const Shape& shape) {
    if (auto valid = check_fingerprint_shape(shape, kLimits); !valid) return valid.error();
    if (shape.units % 2 != 0) return corrupt(kUnitName, " must be even, got ", shape.units);
    return packed_bytes(shape.units * kSlots, shape.param);
  }

  static Result<void> validate(const View& view) { return check_packed_padding(view, view.shape.units * kSlots); }

  static Probe probe(const Shape& shape) noexcept {
    if (kSlots * shape.param <= 64) return kProbe<std::uint64_t>;
    return kProbe<Wide>;
  }

  // A wide load reads 16 bytes from the start of a bucket; count() reads 8 bytes from the start of each slot.
  static bool admit_query(const View& view, std::uint64_t hash, ByteGate& gate) {
    const CuckooKey key(hash, view.shape);
    const std::uint64_t bits = view.shape.param;
    for (const std::uint64_t bucket : {key.first, key.second}) {
      const std::uint64_t begin = bucket * kSlots * bits / 8;
      const std::uint64_t last_slot = (bucket * kSlots + kSlots - 1) * bits / 8;
      const std::uint64_t end = std::max(last_slot + 8, begin + (kSlots * bits <= 64 ? 8 : 16));
      if (!gate.admit(begin, end - begin)) return false;
    }
    return true;
  }

  static Stats stats(const View& view) noexcept {
    const std::uint64_t slots = view.shape.units * kSlots;
    const std::uint64_t occupied = count_occupied(view.payload, slots, view.shape.param);
    return {.bits = slots * view.shape.param,
            .bits_set = occupied * view.shape.param,
            .current_fp_rate = predicted_fp_rate(view.shape, static_cast<double>(occupied)),
            .cardinality = static_cast<double>(occupied)};
  }

  static double predicted_fp_rate(const Shape& shape, double keys) noexcept {
    return cuckoo_fp_rate(std::min(1.0, load_of(shape, keys)), shape.param);
  }

  static Result<void> add(Store store, std::span<const std::uint64_t> hashes, std::uint64_t& added) {
    constexpr std::size_t kAhead = 16;
    Buckets buckets(store);
    std::array<CuckooKey, kAhead> keys;
    for (std::size_t from = 0; from < hashes.size(); from += kAhead) {
      const std::size_t size = std::min(hashes.size() - from, kAhead);
      for (std::size_t i = 0; i < size; ++i) {
        keys[i] = CuckooKey(hashes[from + i], store.shape);
        buckets.prefetch(keys[i]);
      }
      for (std::size_t i = 0; i < size; ++i, ++added) {
        if (!buckets.add(keys[i])) return full_error(keys[i], store.view());
      }
    }
    return {};
  }

  /// The number of copies of the key's fingerprint in its two buckets.
  static std::uint64_t count(const View& view, std::uint64_t hash) noexcept {
    return copies_of(CuckooKey(hash, view.shape), view);
  }

  // Each addition occupies a slot, so at most kMaxCopies additions succeed.
  static Result<void> add_times(Store store, std::uint64_t hash, std::uint64_t times, std::uint64_t& added) {
    for (std::uint64_t done = 0; done < times; ++done) {
      if (auto once = add(store, {&hash, 1}, added); !once) return once;
    }
    return {};
  }

  static Result<void> remove(Store store, std::uint64_t hash) {
    if (Buckets(store).remove(CuckooKey(hash, store.shape))) return {};
    return error(ErrorCode::kNotFound, "key must be in the filter, got an absent key");
  }
};

}  // namespace

constinit const KindRow kCuckoo = make_row<Cuckoo>();

}  // namespace crivo
