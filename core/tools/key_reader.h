// Reads keys, one per line, from a file or from standard input. With -0 a NUL ends them in the place of the '\n'.
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

/// How long a line may be, and what says so, for the error: "max-memory 16M".
struct LineLimit {
  std::size_t bytes = std::size_t{64} << 20;
  std::string from = "this program";
};

/// Reads lines in batches of as many as can be read without waiting: one line from a person at a terminal, some
/// thousand from a file. Throws Refused for a file that cannot be read, and for a line that is too long.
class KeyReader {
 public:
  /// "-" is standard input. A limit below what is read at a time, 64 KiB, is taken for that.
  KeyReader(const std::string& path, KeyEnd key_end, const LineLimit& limit = {});

  /// The next lines, without what ends them, valid until the next call; an empty span at the end.
  [[nodiscard]] std::span<const std::string_view> next();

  [[nodiscard]] std::uint64_t bytes_read() const noexcept { return bytes_read_; }

 private:
  void make_room();
  void split(std::size_t end);

  OwnedFd fd_;
  std::string path_;
  char key_end_;
  LineLimit limit_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;  // where the bytes begin that next() has not returned yet
  std::size_t end_ = 0;
  std::vector<std::string_view> lines_;
  std::uint64_t lines_before_ = 0;  // those of earlier calls
  std::uint64_t bytes_read_ = 0;
};

/// Prints a key, and what ends it.
void print_key(std::string_view key, KeyEnd key_end);

/// Warns, on standard error, if a file begins like a compressed file, a filter, or a text with a byte order mark. Its
/// lines are then probably not the keys that the user means, and a filter of them would answer "certainly not" to
/// those.
void note_mark(std::string_view command, const std::string& file, std::string_view first_line);

/// Warns once, on standard error, if lines end in '\r', as Windows writes them, because the '\r' is then part of the
/// key. With -0 there is no warning.
class CarriageReturnNote {
 public:
  CarriageReturnNote(std::string_view command, KeyEnd key_end)
      : command_(command), done_(key_end != KeyEnd::kNewline) {}
  void look_at(const std::string& file, std::span<const std::string_view> lines);

 private:
  std::string_view command_;
  bool done_;
};

}  // namespace crivo::tool
