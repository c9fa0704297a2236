// What a program takes, for other programs to read: the shells' completion is made of this.
#pragma once

#include <CLI/CLI.hpp>

namespace crivo::tool {

/// The argument that asks for the outline. `--help` does not list it, because it answers packagers and not users.
inline constexpr const char* kOutlineFlag = "--outline";

/// Prints a line for each fact on standard output, with a tab between two fields. A subcommand's facts follow its
/// `command`, which for the program itself has an empty name; values follow the `option` or `positional` that can have
/// no others.
///
///     command     NAME   DESCRIPTION
///     positional  NAME   one|many
///     option      NAMES  one|many  DESCRIPTION  ARGUMENT  EXCLUDES
///     value       VALUE
///
/// NAMES and EXCLUDES are separated by commas. ARGUMENT is empty for an option that takes none.
void print_outline(const CLI::App& program);

}  // namespace crivo::tool
