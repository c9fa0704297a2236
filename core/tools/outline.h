// A machine-readable description of a program's arguments, from which shell completion is made.
#pragma once

#include <CLI/CLI.hpp>

namespace crivo::tool {

/// The argument that prints the outline. --help does not list it, because it is for packagers.
inline constexpr const char* kOutlineFlag = "--outline";

/// Prints tab-separated facts, one per line. The facts about a subcommand follow its `command`; the program itself is a
/// command with an empty name. The lines `value` follow the `option` or `positional` whose values they list.
///
///     command     NAME   DESCRIPTION
///     positional  NAME   one|many
///     option      NAMES  one|many  DESCRIPTION  ARGUMENT  EXCLUDES
///     value       VALUE
///
/// NAMES and EXCLUDES are comma-separated. ARGUMENT is empty for a flag.
void print_outline(const CLI::App& program);

}  // namespace crivo::tool
