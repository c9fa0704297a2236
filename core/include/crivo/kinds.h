// The list of kinds, and their names.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "crivo/result.h"
#include "crivo/types.h"

namespace crivo {

/// All kinds of filters; related kinds are adjacent. The order can change with each version.
[[nodiscard]] std::span<const KindInfo> kinds() noexcept;
/// The kind's lower-case name, such as "blocked".
[[nodiscard]] std::string_view kind_name(Kind kind) noexcept;

/// The hash function of all filters of a kind.
[[nodiscard]] HashId hash_id_of(Kind kind) noexcept;
/// KindInfo::default_fp_rate: 1 for exact, which gives the smallest filter; 0.01 for all other kinds.
[[nodiscard]] double default_fp_rate(Kind kind) noexcept;
/// KindInfo::default_capacity: 2^32 for growing; 0 for all other kinds, which have no default.
[[nodiscard]] std::uint64_t default_capacity(Kind kind) noexcept;

/// Sets the spec's kind and option from text: a name ("ribbon"), an alias ("compressed"), or a name, a colon and the
/// option ("spectral:16"). Errors: kBadArgument, listing the names or the options of the kind.
Result<void> choose_kind(FilterSpec& spec, std::string_view text);
/// The inverse of choose_kind: the text for this kind and option. Default options are written out ("spectral:8"),
/// except for classic, ribbon and map.
[[nodiscard]] std::string kind_text(const FilterSpec& spec);
/// The list of all texts that choose_kind accepts, for help and messages: "classic, compressed, ..., spectral[:counter
/// bits (...)], ...".
[[nodiscard]] std::string kind_choices();

}  // namespace crivo
