// The kinds there are, by number and by name.
#pragma once

#include <span>
#include <string>
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

/// Sets the spec's kind and option from what users write: a kind's name or alias, or a name, a colon and the option, as
/// "spectral:16". Errors: kBadArgument with the names, or the options, there are.
Result<void> choose_kind(FilterSpec& spec, std::string_view text);
/// What choose_kind takes for this kind and option, the default option written out: "blocked", "spectral:8".
[[nodiscard]] std::string kind_text(const FilterSpec& spec);
/// What choose_kind takes, for help texts and messages: "classic, compressed, ..., spectral[:counter bits (...)], ...".
[[nodiscard]] std::string kind_choices();

}  // namespace crivo
