#include "patterns.h"

#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <vector>

namespace hyphenation {
namespace {

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

/// libhyphen reads only files, so the wanted part of the patterns is written to a temporary file.
File part_of(const std::string& path, Patterns::Part part) {
  std::ifstream patterns(path);
  if (!patterns) throw std::runtime_error("patterns must be readable (Debian: hyphen-en-us), got " + path);
  File file(std::tmpfile(), &std::fclose);
  if (file == nullptr) throw std::runtime_error("a temporary file must be writable");
  std::string line;
  std::getline(patterns, line);  // the first line names the encoding, "UTF-8"
  std::fprintf(file.get(), "%s\n", line.c_str());
  while (std::getline(patterns, line)) {
    const bool is_exception = line.find_first_of("89") != std::string::npos;
    if (part == Patterns::Part::kRules && is_exception) break;
    std::fprintf(file.get(), "%s\n", line.c_str());
  }
  std::rewind(file.get());
  return file;
}

bool continues_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

}  // namespace

Patterns::Patterns(const std::string& path, Part part) : dictionary_(hnj_hyphen_load_file(part_of(path, part).get())) {
  if (dictionary_ == nullptr) throw std::runtime_error("patterns must be in libhyphen's format, got " + path);
}

std::string Patterns::hyphenate(std::string_view word) const {
  std::string lower(word);
  for (char& letter : lower) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  std::vector<char> levels(lower.size() + 5);  // libhyphen requires 5 bytes more than the word has
  char** replacements = nullptr;
  int* positions = nullptr;
  int* cuts = nullptr;
  hnj_hyphen_hyphenate2(dictionary_.get(), lower.data(), static_cast<int>(lower.size()), levels.data(), nullptr,
                        &replacements, &positions, &cuts);
  std::free(replacements);  // English patterns have no replacements, so only the arrays are freed
  std::free(positions);
  std::free(cuts);

  std::string hyphenated;
  std::size_t character = 0;
  for (std::size_t i = 0; i < word.size(); ++i) {
    hyphenated += word[i];
    if (i + 1 < word.size() && continues_character(word[i + 1])) continue;
    if (i + 1 < word.size() && (levels[character] & 1) != 0) hyphenated += '-';
    ++character;
  }
  return hyphenated;
}

}  // namespace hyphenation
