// What a kind prepares for its questions, once per filter: a type of its own, which lies in View::prepared.
#pragma once

#include <new>
#include <type_traits>

#include "crivo/detail/view.h"

namespace crivo {

/// Whether a type can be prepared. Bytes of zeros must stand for a filter for which nothing was.
template <class T>
concept Preparable = std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(View::prepared) &&
                     alignof(T) <= alignof(std::uint64_t);

/// The view's preparation, as this kind has it. It is there from the start, as an array of bytes creates what is read
/// in it (C++20, [intro.object]), and is not copied: a question would take a tenth more instructions.
template <Preparable T>
[[nodiscard]] const T& prepared_of(const View& view) noexcept {
  return *std::launder(reinterpret_cast<const T*>(view.prepared.data()));
}
template <Preparable T>
void set_prepared(View& view, const T& prepared) noexcept {
  new (view.prepared.data()) T(prepared);
}

}  // namespace crivo
