// Functions that canonicalize keys, for comparators under which different bytes can be equal keys.
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
  /// The compatibility name of policies with this transform.
  std::string compatibility_name = std::string(kTransformedFilters) + name;

  /// The hash of the canonical key. `scratch` is a buffer for the function. Rethrows what the function throws.
  [[nodiscard]] std::uint64_t hash(const rocksdb::Slice& key, std::uint64_t seed, std::string& scratch) const {
    const rocksdb::Slice canonical = function(key, &scratch);
    return hash_key(std::string_view(canonical.data(), canonical.size()), seed);
  }
};

[[nodiscard]] inline std::string_view name_of(const NamedKeyTransform* transform) noexcept {
  return transform != nullptr ? std::string_view(transform->name) : std::string_view();
}

/// Whether a built-in transform of this name has a number after a colon.
[[nodiscard]] bool has_parameter(std::string_view name) noexcept;

/// See RegisterKeyTransform in crivo/rocksdb.h.
[[nodiscard]] rocksdb::Status add_key_transform(std::string_view name, KeyTransform transform);

/// The built-in or registered transform of this name. It is never moved or destroyed, so builders and readers may refer
/// to it even if they outlive this library's static objects. Thread-safe. Errors: kBadArgument. Throws std::bad_alloc.
[[nodiscard]] Result<const NamedKeyTransform*> find_key_transform(std::string_view name);

}  // namespace crivo::plugin
