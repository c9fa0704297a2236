// How one filter is asked: chosen once per filter, by its kind, its shape and the machine, not per key.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "crivo/types.h"

namespace crivo {

struct Probe {
  bool (*contains)(const View&, std::uint64_t hash) noexcept;
  /// The same with the key's hash, without a call in between.
  bool (*contains_key)(const View&, std::string_view key) noexcept;
  void (*contains_batch)(const View&, const std::uint64_t* hashes, std::size_t count, bool* hits) noexcept;
};

}  // namespace crivo
