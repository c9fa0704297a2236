// The kinds there are, by number and by name.
#pragma once

#include <span>
#include <string_view>

#include "crivo/result.h"
#include "crivo/types.h"

namespace crivo {

/// Every kind there is, in the order of their numbers.
[[nodiscard]] std::span<const KindInfo> kinds() noexcept;
/// The kind's lower-case name, "blocked".
[[nodiscard]] std::string_view kind_name(Kind kind) noexcept;
/// The kind of exactly this name. Errors: kBadArgument, with the names there are.
[[nodiscard]] Result<Kind> kind_from_name(std::string_view name);

/// Sets the spec's kind from what users write: a kind's name, "compressed", "spectral:16" (counter bits) or
/// "scalable:4" (growth). Errors: kBadArgument with the names there are.
Result<void> choose_kind(FilterSpec& spec, std::string_view name);

}  // namespace crivo
