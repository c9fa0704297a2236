// Opens input files, flushes the output, and makes messages with paths and the system's errors.
#pragma once

#include <string>
#include <string_view>

#include "crivo/host/owned_fd.h"
#include "crivo/host/unwrap.h"

namespace crivo::tool {

/// A path for messages: quoted if a shell requires quotes. `dash` is shown instead of "-".
[[nodiscard]] std::string shown(const std::string& path, const char* dash = "-");

/// The error for a failed operation on a file, with errno's text: "FILE must be readable, got /x: No such file or
/// directory".
[[nodiscard]] Refused file_error(const std::string& rule, const std::string& path, const char* dash = "-");

/// Prints a note on standard error: "crivo build: note: TEXT".
void note(std::string_view command, const std::string& text);

/// Flushes standard output. Throws Refused if it could not be written, now or before.
void flush_output();

/// Opens a file for reading; "-" is standard input. Prints a note if standard input is a terminal, because the program
/// then waits for the user. Throws Refused, which names the file by its `role`.
[[nodiscard]] OwnedFd open_input(const std::string& path, const std::string& role);

}  // namespace crivo::tool
