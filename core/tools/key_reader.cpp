#include "key_reader.h"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace crivo::tool {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 16;  // fits in the cache while its lines are processed
constexpr std::size_t kBlock = 64;

/// Bit i is set if byte i of 64 ends a key. Lines are short, so searching for one newline at a time would take three
/// times as long.
std::uint64_t ends_in(const char* block, char key_end) noexcept {
  std::uint64_t found = 0;
#ifdef __SSE2__
  const __m128i wanted = _mm_set1_epi8(key_end);
  for (unsigned i = 0; i < kBlock; i += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(block + i));
    const auto equal = static_cast<std::uint16_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, wanted)));
    found |= std::uint64_t{equal} << i;
  }
#else
  for (unsigned i = 0; i < kBlock; ++i) found |= std::uint64_t{block[i] == key_end} << i;
#endif
  return found;
}

}  // namespace

void add_null_flag(CLI::App& command, KeyEnd& end) {
  command.add_flag_callback(
      "-0,--null", [&end] { end = KeyEnd::kNul; }, "A NUL ends each key instead of a newline, as in find -print0");
}

KeyReader::KeyReader(const std::string& path, KeyEnd key_end, const LineLimit& limit)
    : fd_(open_input(path, "FILE")),
      path_(path),
      key_end_(static_cast<char>(key_end)),
      limit_{std::max(limit.bytes, kBufferBytes), limit.from} {}

std::span<const std::string_view> KeyReader::next() {
  lines_before_ += lines_.size();
  lines_.clear();
  while (lines_.empty()) {
    reserve_buffer();
    // Reads at most kBufferBytes at a time, even if a long line has enlarged the buffer, because each byte could be an
    // empty line, which needs an entry in lines_.
    const std::size_t most = std::min(buffer_.size() - end_, kBufferBytes);
    const ssize_t got = ::read(fd_.get(), buffer_.data() + end_, most);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw file_error("FILE must be readable", path_);
    if (got == 0) {
      if (begin_ < end_) lines_.emplace_back(buffer_.data() + begin_, end_ - begin_);
      begin_ = end_;
      break;
    }
    bytes_read_ += static_cast<std::uint64_t>(got);
    split(end_ + static_cast<std::size_t>(got));
  }
  return lines_;
}

/// Moves the incomplete line to the front, and grows the buffer if the line fills it.
void KeyReader::reserve_buffer() {
  if (begin_ > 0) std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  if (end_ < buffer_.size()) return;
  if (end_ >= limit_.bytes) {
    throw Refused((key_end_ == '\n' ? "line " : "key ") + std::to_string(lines_before_ + 1) + " of " +
                  shown(path_, "standard input") + " must be shorter than " + std::to_string(limit_.bytes) +
                  " bytes, by " + limit_.from + ", got a longer one");
  }
  buffer_.resize(std::clamp(buffer_.size() * 2, kBufferBytes, limit_.bytes));
}

/// Appends the complete lines of the bytes just read, from end_ to `end`.
void KeyReader::split(std::size_t end) {
  const char* stop = buffer_.data() + end;
  const char* line = buffer_.data() + begin_;
  const char* search = buffer_.data() + end_;
  for (; static_cast<std::size_t>(stop - search) >= kBlock; search += kBlock) {
    for (std::uint64_t left = ends_in(search, key_end_); left != 0; left &= left - 1) {
      const char* end_of_key = search + std::countr_zero(left);
      lines_.emplace_back(line, static_cast<std::size_t>(end_of_key - line));
      line = end_of_key + 1;
    }
  }
  while (const void* found = std::memchr(search, key_end_, static_cast<std::size_t>(stop - search))) {
    const char* end_of_key = static_cast<const char*>(found);
    lines_.emplace_back(line, static_cast<std::size_t>(end_of_key - line));
    line = search = end_of_key + 1;
  }
  begin_ = static_cast<std::size_t>(line - buffer_.data());
  end_ = end;
}

void print_key(std::string_view key, KeyEnd key_end) {
  std::fwrite(key.data(), 1, key.size(), stdout);
  std::fputc(static_cast<char>(key_end), stdout);
}

void note_foreign_format(std::string_view command, const std::string& file, std::string_view first_line) {
  constexpr std::pair<std::string_view, const char*> kMarks[] = {
      {"\x1f\x8b", "gzip"},      {"\x28\xb5\x2f\xfd", "zstd"}, {"\xfd\x37zXZ", "xz"},
      {"BZh91AY&SY", "bzip2"},   {"PK\x03\x04", "zip"},        {"\xc3RVO", "a filter"},
      {"\xef\xbb\xbf", "UTF-8"}, {"\xff\xfe", "UTF-16"},       {"\xfe\xff", "UTF-16"},
  };
  const auto mark = std::ranges::find_if(kMarks, [&](const auto& each) { return first_line.starts_with(each.first); });
  if (mark == std::end(kMarks)) return;
  note(command, shown(file, "standard input") + " begins like " + mark->second + "; its lines are used unchanged");
}

void CarriageReturnNote::check(const std::string& file, std::span<const std::string_view> lines) {
  if (done_ || lines.empty() || !lines.front().ends_with('\r')) return;
  done_ = true;
  note(command_, "lines of " + shown(file, "standard input") + " end in '\\r', which is part of the key");
}

}  // namespace crivo::tool
