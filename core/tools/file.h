// Opening files, and the messages for the system's errors.
#pragma once

#include <string>

#include "crivo/host/owned_fd.h"
#include "crivo/host/unwrap.h"

namespace crivo::tool {

/// A path as messages show it: in the quotes of a shell, where a shell would not take it as it stands. `dash` is what
/// "-" stands for.
[[nodiscard]] std::string shown(const std::string& path, const char* dash = "-");

/// The error for a rule about a file that the system refused, with errno's text: "FILE must be readable, got /x: No
/// such file or directory".
[[nodiscard]] Refused file_error(const std::string& rule, const std::string& path, const char* dash = "-");

/// Throws Refused for standard output that could not be written, now or before.
void flush_output();

/// Opens a file for reading; "-" is standard input, which says so if it is a terminal, because it waits there. Throws
/// Refused, which names the file by its `role`.
[[nodiscard]] OwnedFd open_input(const std::string& path, const std::string& role);

}  // namespace crivo::tool
