// What a kind prepares for its questions, once per filter: a type of its own, which lies in View::prepared.
#pragma once

#include <array>
#include <bit>
#include <cstring>
#include <type_traits>

#include "crivo/types.h"

namespace crivo {

/// Whether a type can be prepared. Bytes of zeros must stand for a filter for which nothing was.
template <class T>
concept Preparable = std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(View::prepared);

template <Preparable T>
void set_prepared(View& view, const T& prepared) noexcept {
  std::memcpy(view.prepared.data(), &prepared, sizeof prepared);
}

/// What set_prepared was given, in a view of this kind.
template <Preparable T>
[[nodiscard]] inline T prepared_of(const View& view) noexcept {
  std::array<std::byte, sizeof(T)> bytes;
  std::memcpy(bytes.data(), view.prepared.data(), sizeof bytes);
  return std::bit_cast<T>(bytes);
}

}  // namespace crivo
