// What a FilterRef (crivo/filter.h) keeps: what is asked, and what asks it. Not for programs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "crivo/types.h"

namespace crivo {

/// A borrowed payload with its shape, for the functions of a kind.
struct View {
  Shape shape;
  const std::byte* payload = nullptr;
  std::size_t payload_bytes = 0;
  /// What the kind computed from the shape and the payload, once per filter, to answer faster: a type of its own
  /// (core/src/kinds/prepared.h). Zeros if it computed nothing.
  alignas(std::uint64_t) std::array<std::byte, 64> prepared{};
};

/// The functions that answer a filter's questions. They are chosen once per filter, by its kind, its shape and the
/// machine, and not again for each key.
struct Probe {
  bool (*contains)(const View&, std::uint64_t hash) noexcept;
  /// The same for the key's own bytes: the hash is computed inside, so that a query is one call.
  bool (*contains_key)(const View&, std::string_view key) noexcept;
  void (*contains_batch)(const View&, const std::uint64_t* hashes, std::size_t count, bool* hits) noexcept;
  void (*contains_keys)(const View&, const std::string_view* keys, std::size_t count, bool* hits) noexcept;
  /// For ordered numbers, low <= high; null for a kind that cannot tell.
  bool (*contains_range)(const View&, std::uint64_t low, std::uint64_t high) noexcept = nullptr;
  /// Whether the hash may have a value, which is then in `value`. Null for a kind without values, as the next two are.
  bool (*find)(const View&, std::uint64_t hash, std::uint64_t& value) noexcept = nullptr;
  bool (*find_key)(const View&, std::string_view key, std::uint64_t& value) noexcept = nullptr;
  void (*find_batch)(const View&, const std::uint64_t* hashes, std::size_t count, std::uint64_t* values,
                     bool* hits) noexcept = nullptr;
};

}  // namespace crivo
