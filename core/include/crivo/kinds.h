// The kinds of filters, found by number and by name.
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

/// The hash function of all filters of a kind.
[[nodiscard]] HashId hash_id_of(Kind kind) noexcept;
/// KindInfo::default_fp_rate: 1 for exact, which is then as small as it can be, and 0.01 for all others.
[[nodiscard]] double default_fp_rate(Kind kind) noexcept;
/// KindInfo::default_capacity: 2^32 for growing, and 0 for all others, which must be given one.
[[nodiscard]] std::uint64_t default_capacity(Kind kind) noexcept;

/// Sets the spec's kind and option from what users write: a kind's name or alias, or a name, a colon and the option, as
/// "spectral:16". Errors: kBadArgument, with all names or with the options that the kind has.
Result<void> choose_kind(FilterSpec& spec, std::string_view text);
/// The text with which choose_kind sets this kind and option. A default option is written out ("spectral:8"), but
/// for ribbon ("ribbon").
[[nodiscard]] std::string kind_text(const FilterSpec& spec);
/// A list of all that choose_kind accepts, for help texts and messages: "classic, compressed, ..., spectral[:counter
/// bits (...)], ...".
[[nodiscard]] std::string kind_choices();

}  // namespace crivo
