// The bytes of a manifest: docs/format.md, "Parts".
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "crivo/parts.h"

namespace crivo {

[[nodiscard]] std::vector<std::byte> manifest_blob(const Manifest& manifest);
/// Whether bytes begin as those of a manifest do.
[[nodiscard]] bool is_manifest(std::span<const std::byte> blob) noexcept;
/// Errors: kCorrupt naming the field.
[[nodiscard]] Result<Manifest> parse_manifest(std::span<const std::byte> blob);

/// A kind whose keys lie in parts has no order, no values and no time. Errors: kUnsupported.
[[nodiscard]] Result<void> check_kind_of_parts(const KindInfo& kind);

}  // namespace crivo
