// Reads keys, one per line, from a file or standard input, and prints keys. With -0, a NUL ends a key.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "file.h"

namespace crivo::tool {

/// What ends a key.
enum class KeyEnd : char { kNewline = '\n', kNul = '\0' };

/// Declares -0, which sets `end` to kNul.
void add_null_flag(CLI::App& command, KeyEnd& end);

/// A line must have fewer than `bytes` bytes. `from` is the origin of this limit, for the error: "max-memory 16M".
struct LineLimit {
  std::size_t bytes = std::size_t{64} << 20;
  std::string from = "this program";
};

/// Reads lines in batches, without waiting for more: one line from a terminal, about 64 KiB from a file. Throws Refused
/// if the file cannot be read, or a line is too long.
class KeyReader {
 public:
  /// "-" is standard input. A limit below the buffer size of 64 KiB is raised to 64 KiB.
  KeyReader(const std::string& path, KeyEnd key_end, const LineLimit& limit = {});

  /// The next lines, without their ends, valid until the next call; empty at the end.
  [[nodiscard]] std::span<const std::string_view> next();

  [[nodiscard]] std::uint64_t bytes_read() const noexcept { return bytes_read_; }

 private:
  void reserve_buffer();
  void split(std::size_t end);

  OwnedFd fd_;
  std::string path_;
  char key_end_;
  LineLimit limit_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;  // the start of the bytes that next() has not returned yet
  std::size_t end_ = 0;
  std::vector<std::string_view> lines_;
  std::uint64_t lines_before_ = 0;  // the lines that earlier calls returned
  std::uint64_t bytes_read_ = 0;
};

/// Prints a key and its end.
void print_key(std::string_view key, KeyEnd key_end);

/// Prints a warning if a file begins like a compressed file, a filter, or text with a byte order mark. Its lines are
/// probably not the intended keys, for which the filter would then answer "certainly not".
void note_foreign_format(std::string_view command, const std::string& file, std::string_view first_line);

/// Prints a warning once if lines end in CR LF, as on Windows, because the CR is part of the key. Not with -0.
class CarriageReturnNote {
 public:
  CarriageReturnNote(std::string_view command, KeyEnd key_end)
      : command_(command), done_(key_end != KeyEnd::kNewline) {}
  void check(const std::string& file, std::span<const std::string_view> lines);

 private:
  std::string_view command_;
  bool done_;
};

}  // namespace crivo::tool
