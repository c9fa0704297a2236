// The kinds there are, by their numbers in the format.
#pragma once

#include "kinds/kind.h"

namespace crivo {

/// The kinds in the order of their numbers.
[[nodiscard]] std::span<const KindInfo> kind_infos() noexcept;

/// The row of a kind, or nullptr for a number that names none.
[[nodiscard]] const KindRow* find_kind(Kind kind) noexcept;

}  // namespace crivo
