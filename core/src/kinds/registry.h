// The list of all kinds, and the lookup of a kind by its number in the format. To add a kind, add its row to
// registry.cpp and declare the row in kind.h.
#pragma once

#include "kinds/kind.h"

namespace crivo {

/// The public information on each kind, in the order in which kinds() lists them.
[[nodiscard]] std::span<const KindInfo> kind_infos() noexcept;

/// The row of a kind, or nullptr for an unknown number.
[[nodiscard]] const KindRow* find_kind(Kind kind) noexcept;

/// Checks that a shape has the hash id of its kind. Errors: kCorrupt.
[[nodiscard]] Result<void> check_hash_id(const KindInfo& kind, const Shape& shape);

/// Calls KindRow::check_whole if the kind has it. Errors: kCorrupt.
[[nodiscard]] Result<void> check_whole(const View& view);

/// The error for an operation that a kind does not support; it lists the kinds that do.
[[nodiscard]] Error unsupported(const KindInfo& kind, std::string_view operation, bool Capabilities::*capability);

}  // namespace crivo
