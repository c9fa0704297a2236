// Data that a kind computes once per filter for its queries: a type per kind, stored in View::prepared.
#pragma once

#include <new>
#include <type_traits>

#include "crivo/detail/view.h"

namespace crivo {

/// A type that fits in View::prepared. All-zero bytes must represent a filter that was not prepared.
template <class T>
concept Preparable = std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(View::prepared) &&
                     alignof(T) <= alignof(std::uint64_t);

/// The prepared data of a view. The array of bytes implicitly creates the object (C++20, [intro.object]). Returns a
/// reference, because a copy would cost a query 10% more instructions.
template <Preparable T>
[[nodiscard]] const T& prepared_of(const View& view) noexcept {
  return *std::launder(reinterpret_cast<const T*>(view.prepared.data()));
}
template <Preparable T>
void set_prepared(View& view, const T& prepared) noexcept {
  new (view.prepared.data()) T(prepared);
}

}  // namespace crivo
