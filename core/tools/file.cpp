#include "file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

namespace crivo::tool {

std::string shown(const std::string& path, const char* dash) {
  if (path == "-") return dash;
  constexpr std::string_view kPlain = "+-./:=@_%,";  // besides letters and digits
  const auto is_plain = [&](unsigned char c) {
    return c >= 0x80 || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
           kPlain.find(static_cast<char>(c)) != std::string_view::npos;
  };
  if (!path.empty() && std::ranges::all_of(path, is_plain)) return path;
  std::string quoted = "'";
  for (const char c : path) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

Refused file_error(const std::string& rule, const std::string& path, const char* dash) {
  return Refused(rule + ", got " + shown(path, dash) + ": " + std::strerror(errno));
}

void note(std::string_view command, const std::string& text) {
  std::fputs(("crivo " + std::string(command) + ": note: " + text + '\n').c_str(), stderr);
}

void flush_output() {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return;
  throw file_error("output must be writable", "-", "standard output");
}

OwnedFd open_input(const std::string& path, const std::string& role) {
  if (path == "-" && ::isatty(STDIN_FILENO) != 0) {
    std::fputs("crivo: reading from this terminal, until Ctrl-D\n", stderr);
  }
  OwnedFd fd(path == "-" ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (fd.get() < 0) throw file_error(role + " must be readable", path);
  return fd;
}

}  // namespace crivo::tool
