// Building a map: a filter of the kind `map`, which has a value for each key and stores no keys.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "crivo/build_options.h"
#include "crivo/filter.h"
#include "crivo/result.h"

namespace crivo {

/// Builds one map. Call create() once, add() for each key, then finish() once, all from one thread at a time.
///
/// Ask it by FilterRef::find. A key that was added has its value, certainly. Another key is "absent", or, at the
/// probability fp_rate, has any value; with an fp_rate of 1 no key is absent, and no bits are spent on telling.
///
/// Memory is 16 bytes per key, and the same under options.max_memory as for FilterBuilder (crivo/builder.h).
class MapBuilder {
 public:
  /// spec.kind: kMap. spec.value_bits: at most 32; 0: as many as the largest value needs. spec.capacity: 0, or a
  /// number that the map states; it is sized by its keys. Errors: kBadArgument naming the field; kTooLarge.
  [[nodiscard]] static Result<MapBuilder> create(const FilterSpec& spec, const BuildOptions& options = {});

  MapBuilder(MapBuilder&& other) noexcept;
  MapBuilder& operator=(MapBuilder&& other) noexcept;
  ~MapBuilder();

  /// Adds a key with its value; to add the same pair again is harmless. Errors: kBadArgument for a value of more bits
  /// than the spec allows; kSystem for a temporary file; and for a key whose other value is found by then, as finish().
  Result<void> add(std::string_view key, std::uint64_t value);
  /// The same for a key's hash (hash_key with spec.seed).
  Result<void> add_hash(std::uint64_t key_hash, std::uint64_t value);
  /// The number of successful additions.
  [[nodiscard]] std::uint64_t keys() const noexcept;

  /// Makes the map. Errors: kBadArgument for a key that has two values, naming both and the key's hash (different keys
  /// with the same 64-bit hash are one key; another seed parts them); kTooLarge; kCancelled; kSystem.
  [[nodiscard]] Result<AnyFilter> finish();

 private:
  class State;
  explicit MapBuilder(std::unique_ptr<State> state) noexcept;
  std::unique_ptr<State> state_;
};

}  // namespace crivo
