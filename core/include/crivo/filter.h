// The filters: AnyFilter owns one and can change it, FilterRef borrows one and asks it.
//
// A filter is a byte payload and pure functions over it; the same bytes lie in memory, in a blob, in an SST block.
// There are no false negatives: a key that was added, and not removed, is always found.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "crivo/build_options.h"
#include "crivo/hash.h"
#include "crivo/memory.h"
#include "crivo/result.h"

namespace crivo {

/// The kinds a stored filter can name. Values are part of the format (docs/format.md) and are never reused.
enum class Kind : std::uint8_t {
  kClassic = 1,     // Bloom 1970
  kBlocked = 2,     // Putze, Sanders & Singler 2007
  kCounting = 3,    // Fan, Cao, Almeida & Broder 2000
  kSpectral = 4,    // Cohen & Matias 2003
  kScalable = 5,    // Almeida, Baquero, Preguica & Hutchison 2007
  kCuckoo = 6,      // Fan, Andersen, Kaminsky & Mitzenmacher 2014
  kCompaction = 7,  // Wolper & Leroy 1993
  kRibbon = 8,      // Dillinger, Huebschle-Schneider, Sanders & Walzer 2022
};

/// What a kind can do.
struct Capabilities {
  bool add = false;  // keys after it was made; a kind without it is built once, from all its hashes
  bool remove = false;
  bool count = false;  // how often was this key added
  bool unite = false;
  bool intersect = false;
  bool grow = false;  // beyond its capacity, at the promised rate
};

/// A kind's name and what it can do.
struct KindInfo {
  Kind kind;
  std::string_view name;
  Capabilities can;
};

/// Every kind there is, in the order of their numbers.
[[nodiscard]] std::span<const KindInfo> kinds() noexcept;
/// The kind's lower-case name, "blocked".
[[nodiscard]] std::string_view kind_name(Kind kind) noexcept;
/// The kind of exactly this name. Errors: kBadArgument, with the names there are.
[[nodiscard]] Result<Kind> kind_from_name(std::string_view name);

/// What a new filter is to be. Sizing takes the rate, unless bits_per_key is given.
struct FilterSpec {
  Kind kind = Kind::kBlocked;
  std::uint64_t capacity = 0;                         // keys, 1 to 2^40
  double fp_rate = 0.01;                              // wanted at capacity, in (0, 1)
  std::optional<double> bits_per_key = std::nullopt;  // instead of fp_rate: finite, > 0, at most 1000
  std::uint64_t seed = 0;                             // of the hash
  bool compressed =
      false;  // classic: sized for the smallest blob (Mitzenmacher 2002); bits_per_key then counts the blob's
  unsigned counter_bits = 8;  // spectral: 4, 8, 16 or 32
  unsigned growth = 2;        // scalable: each layer's capacity over the one before, 2 to 16
};

/// Sets the spec's kind from what users write: a kind's name, "compressed", "spectral:16" (counter bits) or
/// "scalable:4" (growth). Errors: kBadArgument with the names there are.
Result<void> choose_kind(FilterSpec& spec, std::string_view name);

/// Everything two filters must have in common to be merged, and all that a query needs beside the payload.
struct Shape {
  Kind kind = Kind::kBlocked;
  HashId hash_id = HashId::kXxh3_64;
  std::uint8_t probes = 0;  // k, bits tested per key
  std::uint16_t param = 0;  // of the kind; 0 where the kind has none
  std::uint64_t units = 0;  // what a size counts: bits, blocks, counters; docs/format.md
  std::uint64_t seed = 0;   // of the hash
  friend bool operator==(const Shape&, const Shape&) = default;
};

/// What a filter tells about itself; no answer of may_contain depends on it.
struct Facts {
  std::uint64_t keys = 0;      // successful additions, duplicates included, saturating
  std::uint64_t capacity = 0;  // what it was sized for
  double fp_rate = 0;          // what it promised at capacity
  bool pinned_raw = false;     // came from a raw blob, and is stored raw again
  friend bool operator==(const Facts&, const Facts&) = default;
};

/// How full a filter is, and what follows from it. Takes a pass over the payload.
struct Stats {
  std::uint64_t bits = 0;             // in use by the kind, without padding; counters, where it has them
  std::uint64_t bits_set = 0;         // of those; counters above 0
  double fp_rate = 0;                 // probability that an absent key is found, at this fill; 1 when saturated
  std::optional<double> cardinality;  // estimated distinct keys; nothing when saturated
};

/// A payload with its shape, borrowed. What the functions of a kind see.
struct View {
  Shape shape;
  const std::byte* payload = nullptr;
  std::size_t payload_bytes = 0;
  /// What the kind computed from the others, once per filter, to answer faster; zeros where it did not.
  std::array<std::uint64_t, 3> prepared{};
};

class BuildTask;  // a build while it runs; core/src/build_task.h
struct KindRow;   // a kind's functions; core/src/registry.h

/// A validated filter, borrowed: a small value that is free to copy. Valid while the payload it came from is neither
/// changed nor freed. Any number of threads may ask at once.
class FilterRef {
 public:
  /// Validates payload, shape and facts (capacity 1 to 2^40, rate above 0 and at most 1) against each other; every
  /// later query is then safe. Errors: kCorrupt, naming the field. Opening is O(1) but for kinds that say otherwise in
  /// docs/format.md.
  [[nodiscard]] static Result<FilterRef> open(const Shape& shape, const Facts& facts,
                                              std::span<const std::byte> payload);

  /// False: the key was certainly never added. True: it was, or this is one of the fp_rate() false hits.
  [[nodiscard]] bool may_contain(std::string_view key) const noexcept { return contains_key_(view_, key); }
  [[nodiscard]] bool may_contain_hash(std::uint64_t key_hash) const noexcept { return contains_(view_, key_hash); }
  /// Asks for many at once, with prefetching; `hits` must be as long as `hashes`. Any length, 0 included.
  void may_contain_hashes(std::span<const std::uint64_t> hashes, std::span<bool> hits) const noexcept;

  /// How often the key was added: never less than it was, sometimes more. Errors: kUnsupported for a kind that cannot
  /// count.
  [[nodiscard]] Result<std::uint64_t> count(std::string_view key) const { return count_hash(hash(key)); }
  [[nodiscard]] Result<std::uint64_t> count_hash(std::uint64_t key_hash) const;

  /// The hash this filter expects of a key.
  [[nodiscard]] std::uint64_t hash(std::string_view key) const noexcept { return hash_key(key, view_.shape.seed); }

  [[nodiscard]] const View& view() const noexcept { return view_; }
  [[nodiscard]] const Shape& shape() const noexcept { return view_.shape; }
  [[nodiscard]] const Facts& facts() const noexcept { return facts_; }
  [[nodiscard]] std::span<const std::byte> payload() const noexcept { return {view_.payload, view_.payload_bytes}; }
  [[nodiscard]] const KindInfo& kind() const noexcept;
  [[nodiscard]] Stats stats() const noexcept;
  /// The model's false-positive rate with `keys` distinct keys in a filter of this shape.
  [[nodiscard]] double predicted_fp_rate(double keys) const noexcept;
  /// Whether this fill is worth compressing (docs/format.md, "Which codec"). Takes a pass over the payload.
  [[nodiscard]] bool compresses() const noexcept;

 private:
  friend class AnyFilter;
  FilterRef(const KindRow& row, const View& view, const Facts& facts) noexcept;

  View view_;
  Facts facts_;
  const KindRow* row_;
  bool (*contains_)(const View&, std::uint64_t) noexcept;
  bool (*contains_key_)(const View&, std::string_view) noexcept;
  void (*contains_batch_)(const View&, const std::uint64_t*, std::size_t, bool*) noexcept;
};

/// A filter that owns its payload. One thread may change it, or any number may ask it.
class AnyFilter {
 public:
  /// An empty filter. Errors: kBadArgument naming the field; kTooLarge when the payload would need more than max_bytes.
  [[nodiscard]] static Result<AnyFilter> create(const FilterSpec& spec, std::uint64_t max_bytes = UINT64_MAX);
  /// A filter with these hashes (duplicates are harmless): for kinds that are built once, and any other. A kind that is
  /// built once sorts a copy of hashes that are not in ascending order and distinct. Errors: as create, where the keys
  /// there are can be too many as well; kFull; kCancelled.
  [[nodiscard]] static Result<AnyFilter> build(const FilterSpec& spec, std::span<const std::uint64_t> hashes,
                                               const BuildOptions& options = {});
  /// The same without that copy: the hashes are sorted where they are, and are the caller's no more.
  [[nodiscard]] static Result<AnyFilter> build(const FilterSpec& spec, std::vector<std::uint64_t>&& hashes,
                                               const BuildOptions& options = {});
  /// An owning copy.
  [[nodiscard]] static AnyFilter copy_of(const FilterRef& filter);
  /// Takes over a payload that FilterRef::open accepts. Errors: as there.
  [[nodiscard]] static Result<AnyFilter> adopt(const Shape& shape, const Facts& facts, AlignedBytes payload);

  /// Adds a key. Errors: kUnsupported for a static kind; kFull, with the filter unchanged.
  Result<void> add(std::string_view key);
  /// Adds keys by their hashes, in order. On an error those before the failing one are added and counted.
  Result<void> add_hashes(std::span<const std::uint64_t> hashes);

  /// Takes back one addition of a key. Errors: kUnsupported; kNotFound, with the filter unchanged, when the key is
  /// certainly not in it. Removing a key that was never added but is found (a false hit) can lose other keys: see
  /// docs/format.md.
  Result<void> remove(std::string_view key) { return remove_hash(hash_key(key, shape_.seed)); }
  Result<void> remove_hash(std::uint64_t key_hash);

  /// Adds every key of `other`: afterwards this is the filter that was built from both sets.
  /// Errors: kIncompatible naming the field that differs; kUnsupported. Unchanged on error.
  Result<void> unite(const FilterRef& other);
  /// Keeps what is in both: finds every common key, and some of the others. Errors: as unite.
  Result<void> intersect(const FilterRef& other);
  /// Forgets every key; capacity and rate stay. Errors: kUnsupported for a kind that is built once.
  Result<void> clear();

  /// Says how the filter is stored: pinned filters are stored raw through every later operation.
  void pin_raw(bool pinned) noexcept { facts_.pinned_raw = pinned; }

  /// Borrows; valid until this filter is next changed, moved from or destroyed.
  [[nodiscard]] FilterRef ref() const noexcept;

  [[nodiscard]] bool may_contain(std::string_view key) const noexcept { return ref().may_contain(key); }
  [[nodiscard]] const Shape& shape() const noexcept { return shape_; }
  [[nodiscard]] const Facts& facts() const noexcept { return facts_; }
  [[nodiscard]] std::span<const std::byte> payload() const noexcept { return payload_; }

 private:
  friend class FilterBuilder;
  AnyFilter(const KindRow& row, const Shape& shape, const Facts& facts, AlignedBytes payload) noexcept
      : row_(&row), shape_(shape), facts_(facts), payload_(std::move(payload)) {}
  Result<void> fill(std::span<const std::uint64_t> hashes, std::uint64_t max_bytes, BuildTask& task);
  void count_added(std::uint64_t keys) noexcept;

  const KindRow* row_;
  Shape shape_;
  Facts facts_;
  AlignedBytes payload_;
};

}  // namespace crivo
