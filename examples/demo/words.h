// Reads real words, and makes misspelt ones that look similar but are not in the list.
#pragma once

#include <string>
#include <vector>

/// The lines of a file. Ends the program with a message if the file cannot be read.
std::vector<std::string> read_words(const char* path);

/// For almost every word, a misspelling that is not in the list: two neighbouring letters are swapped, or one letter is
/// replaced. All misspellings are different, and depend only on the words.
std::vector<std::string> misspell(const std::vector<std::string>& words);
