// Real words, and words that look real and are none.
#pragma once

#include <string>
#include <vector>

/// The file's lines. Exits with a message if it cannot be read.
std::vector<std::string> read_words(const char* path);

/// For each word one that is in nobody's list: two neighbouring letters swapped, or one letter replaced. No word twice.
/// The same words give the same misspellings.
std::vector<std::string> misspell(const std::vector<std::string>& words);
