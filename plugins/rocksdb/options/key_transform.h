// The functions that turn keys into canonical keys, for comparators under which different bytes can be the same key.
#pragma once

#include <rocksdb/slice.h>
#include <rocksdb/status.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "crivo/hash.h"
#include "crivo/host/sst_block.h"
#include "crivo/result.h"
#include "crivo/rocksdb.h"

namespace crivo::plugin {

struct NamedKeyTransform {
  std::string name;
  KeyTransform function;
  /// That of policies with this transform.
  std::string compatibility_name = std::string(kTransformedFilters) + name;

  /// The hash of a key's canonical key. `scratch` is for the function to write to. Throws what the function throws.
  [[nodiscard]] std::uint64_t hash(const rocksdb::Slice& key, std::uint64_t seed, std::string& scratch) const {
    const rocksdb::Slice canonical = function(key, &scratch);
    return hash_key(std::string_view(canonical.data(), canonical.size()), seed);
  }
};

/// Empty if there is no transform.
[[nodiscard]] inline std::string_view name_of(const NamedKeyTransform* transform) noexcept {
  return transform != nullptr ? std::string_view(transform->name) : std::string_view();
}

/// Whether this is the name of a built-in transform to which a colon and a number belong.
[[nodiscard]] bool has_parameter(std::string_view name) noexcept;

/// See RegisterKeyTransform in crivo/rocksdb.h.
[[nodiscard]] rocksdb::Status add_key_transform(std::string_view name, KeyTransform transform);

/// The transform of this name, a built-in or a registered one. It stays where it is for as long as the process lives,
/// so that builders and readers can point to it, even those that outlive our static objects. Any thread may call this.
/// Errors: kBadArgument. Throws std::bad_alloc.
[[nodiscard]] Result<const NamedKeyTransform*> find_key_transform(std::string_view name);

}  // namespace crivo::plugin
