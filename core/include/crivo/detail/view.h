// The types of the data members of FilterRef (crivo/filter.h). Not part of the public interface.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "crivo/types.h"

namespace crivo {

/// A borrowed payload with its shape: the argument of a kind's functions.
struct View {
  Shape shape;
  const std::byte* payload = nullptr;
  std::size_t payload_bytes = 0;
  /// Values that the kind computed from shape and payload to speed up queries (core/src/kinds/prepared.h), or zeros.
  alignas(std::uint64_t) std::array<std::byte, 64> prepared{};
};

/// The query functions of a filter, chosen once per filter according to its kind, its shape and the CPU.
struct Probe {
  bool (*contains)(const View&, std::uint64_t hash) noexcept;
  /// Also hashes the key, so that a query by key is one call.
  bool (*contains_key)(const View&, std::string_view key) noexcept;
  void (*contains_batch)(const View&, const std::uint64_t* hashes, std::size_t count, bool* hits) noexcept;
  void (*contains_keys)(const View&, const std::string_view* keys, std::size_t count, bool* hits) noexcept;
  /// Requires ordered numbers, with low <= high. Null for a kind without range queries.
  bool (*contains_range)(const View&, std::uint64_t low, std::uint64_t high) noexcept = nullptr;
  /// Whether the hash may have a value. If so, stores the value in `value`. The three find functions are null for a
  /// kind without values.
  bool (*find)(const View&, std::uint64_t hash, std::uint64_t& value) noexcept = nullptr;
  bool (*find_key)(const View&, std::string_view key, std::uint64_t& value) noexcept = nullptr;
  void (*find_batch)(const View&, const std::uint64_t* hashes, std::size_t count, std::uint64_t* values,
                     bool* hits) noexcept = nullptr;
};

}  // namespace crivo
