// Validates the caller's arguments before they are used: pointers, arrays, keys and options.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "crivo.h"
#include "crivo/blob.h"
#include "crivo/build_options.h"
#include "crivo/hash.h"
#include "crivo/result.h"
#include "crivo/sketch.h"
#include "crivo/types.h"

namespace crivo::c {

/// The maximum size of an object in memory.
inline constexpr std::uint64_t kMaxObjectBytes = std::numeric_limits<std::ptrdiff_t>::max();

// The functions below throw Refused, except those that are noexcept.

/// Rejects NULL and a misaligned pointer.
void check_pointer(const char* name, const void* pointer, std::size_t alignment);
/// As check_pointer; also rejects an impossible size. Accepts any pointer if the array is empty.
void check_array(const char* name, const void* pointer, std::uint64_t count, std::size_t element_bytes,
                 std::size_t alignment);

template <class T>
void check_given(const char* name, const T* pointer) {
  check_pointer(name, pointer, alignof(T));
}
/// As check_given, for functions that return no error.
template <class T>
[[nodiscard]] bool is_given(const T* pointer) noexcept {
  return pointer != nullptr && reinterpret_cast<std::uintptr_t>(pointer) % alignof(T) == 0;
}

/// False for NULL with a length above 0, and for an impossible length.
[[nodiscard]] inline bool is_key(const void* key, std::size_t bytes) noexcept {
  return (key != nullptr || bytes == 0) && bytes <= kMaxObjectBytes;
}
[[nodiscard]] inline std::string_view key_view(const void* key, std::size_t bytes) noexcept {
  return {static_cast<const char*>(key), bytes};
}
/// The bytes of a key. Throws Refused unless is_key().
[[nodiscard]] std::string_view checked_key(const void* key, std::size_t bytes);
[[nodiscard]] std::span<const std::uint64_t> checked_hashes(const std::uint64_t* hashes, std::uint64_t count,
                                                            const char* name = "hashes");

inline void check_values(const std::uint64_t* values, std::uint64_t count) {
  check_array("values", values, count, sizeof *values, alignof(std::uint64_t));
}

/// Keys with validated offsets or width.
class Keys {
 public:
  explicit Keys(const crivo_keys* keys);

  [[nodiscard]] std::uint64_t count() const noexcept { return keys_.count; }

  /// Calls `Result<void> work(keys)` for batches of the keys, until a call fails.
  template <class Work>
  Result<void> for_each_batch(Work&& work) const {
    Batch batch;
    for (std::uint64_t first = 0; first < keys_.count; first += kBatch) {
      const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(kBatch, keys_.count - first));
      for (std::size_t i = 0; i < size; ++i) std::construct_at(batch.keys + i, key(first + i));
      if (auto done = work(std::span<const std::string_view>(batch.keys, size)); !done) return done;
    }
    return {};
  }

  /// Calls `Result<void> work(hashes)` for batches of the keys' hashes, until a call fails.
  template <class Work>
  Result<void> hash(HashId id, std::uint64_t seed, Work&& work) const {
    std::array<std::uint64_t, kBatch> hashes;
    return for_each_batch([&](std::span<const std::string_view> keys) {
      hash_keys(id, keys, seed, hashes);
      return work(std::span<const std::uint64_t>(hashes).first(keys.size()));
    });
  }

  /// The same with values: calls `Result<void> work(hashes, values)`.
  template <class Work>
  Result<void> hash_with_values(HashId id, std::uint64_t seed, const std::uint64_t* values, Work&& work) const {
    check_values(values, count());
    return hash(id, seed, [&](std::span<const std::uint64_t> hashes) {
      return work(hashes, std::span(std::exchange(values, values + hashes.size()), hashes.size()));
    });
  }

 private:
  static constexpr std::size_t kBatch = 512;  // keys per batch, which fits in the first-level cache with its hashes

  /// An uninitialized buffer, because zeroing the buffer would take longer than the work on a few keys.
  union Batch {
    Batch() noexcept {}  // NOLINT(modernize-use-equals-default): a defaulted constructor would be deleted
    std::string_view keys[kBatch];
  };

  [[nodiscard]] std::string_view key(std::uint64_t index) const noexcept {
    const auto* bytes = static_cast<const char*>(keys_.bytes);
    const std::uint64_t begin = keys_.offsets == nullptr ? index * keys_.width : keys_.offsets[index];
    const std::uint64_t size = keys_.offsets == nullptr ? keys_.width : keys_.offsets[index + 1] - begin;
    return {bytes + begin, static_cast<std::size_t>(size)};
  }

  crivo_keys keys_{};
};

struct Request {
  FilterSpec spec;
  BuildOptions options = {};
};
/// Validates the options; NULL stands for the defaults. Also rejects an unknown name in CRIVO_ISA.
[[nodiscard]] Request read_options(const crivo_options* options, Kind by_default = Kind::kBlocked);
struct SketchRequest {
  SketchSpec spec;
  std::uint64_t max_bytes;
};
[[nodiscard]] SketchRequest read_sketch_options(const crivo_sketch_options* options);
[[nodiscard]] ReadLimits read_limits(const crivo_limits* limits);

/// Validates a structure's field `size`. Structures of other versions may have fewer or more fields, but must have at
/// least one field besides `size`. (This rejects the size of a pointer, a common mistake.)
void check_size(const char* name, std::size_t size, std::size_t known, std::size_t alignment);

struct Form {
  BlobForm form;
  int level;  // zstd's compression level
};
/// `automatic` is the meaning of CRIVO_FORM_AUTO. Throws Refused for an invalid form or level.
[[nodiscard]] Form checked_form(int32_t form, int32_t level, BlobForm automatic);

/// The capabilities of a kind as CRIVO_CAN_ bits.
[[nodiscard]] std::uint32_t capability_bits(const Capabilities& can) noexcept;

/// Fills the caller's structure up to its `size`, with 0 in fields that this version does not know.
template <class T>
void write_struct(T* caller, T known) noexcept {
  const std::size_t size = caller->size;
  known.size = size;
  std::memcpy(caller, &known, std::min(size, sizeof(T)));
  if (size > sizeof(T)) std::memset(reinterpret_cast<char*>(caller) + sizeof(T), 0, size - sizeof(T));
}

}  // namespace crivo::c
