// Words and misspellings; see words.h.
#include "words.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>
#include <string_view>
#include <unordered_set>
#include <utility>

namespace {

std::string misspelt(std::string word, std::mt19937& random) {
  const std::size_t at = random() % word.size();
  if (random() % 2 == 0 && at + 1 < word.size()) {
    std::swap(word[at], word[at + 1]);
  } else {
    word[at] = static_cast<char>('a' + random() % 26);
  }
  return word;
}

}  // namespace

std::vector<std::string> read_words(const char* path) {
  std::vector<std::string> words;
  std::ifstream file(path);
  for (std::string word; std::getline(file, word);) words.push_back(word);
  if (words.empty()) {
    std::fprintf(stderr, "demo: %s must be a list of words, got nothing\n", path);
    std::exit(2);
  }
  return words;
}

std::vector<std::string> misspell(const std::vector<std::string>& words) {
  std::unordered_set<std::string_view> taken(words.begin(), words.end());
  std::vector<std::string> result;
  result.reserve(words.size());  // `taken` refers to the strings of the result, which must not move
  std::mt19937 random(1970);     // a fixed seed: the year of Bloom's paper
  for (const std::string& word : words) {
    std::string candidate = misspelt(word, random);
    for (int attempt = 0; taken.contains(candidate) && attempt < 100; ++attempt) candidate = misspelt(word, random);
    if (taken.contains(candidate))
      continue;  // a short word such as "a" has few misspellings, and they may all be taken
    result.push_back(std::move(candidate));
    taken.insert(result.back());
  }
  return result;
}
