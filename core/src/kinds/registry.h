// The list of all kinds, found by their numbers in the format. A new kind is one row in registry.cpp, and a name in
// kind.h.
#pragma once

#include "kinds/kind.h"

namespace crivo {

/// The public information on each kind, in the order in which kinds() lists them.
[[nodiscard]] std::span<const KindInfo> kind_infos() noexcept;

/// The row of a kind, or nullptr for an unknown number.
[[nodiscard]] const KindRow* find_kind(Kind kind) noexcept;

/// Checks that a filter's hash function is that of its kind. Errors: kCorrupt.
[[nodiscard]] Result<void> check_hash_id(const KindInfo& kind, const Shape& shape);

/// KindRow::check_whole, for any kind. Errors: kCorrupt.
[[nodiscard]] Result<void> check_whole(const View& view);

/// The error for an operation that a kind does not support; it lists the kinds that do.
[[nodiscard]] Error unsupported(const KindInfo& kind, std::string_view operation, bool Capabilities::*capability);

}  // namespace crivo
