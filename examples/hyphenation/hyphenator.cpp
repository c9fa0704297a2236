#include "hyphenator.h"

#include <fstream>
#include <stdexcept>

namespace hyphenation {

Exceptions find_exceptions(const Patterns& rules, const Patterns& truth, const std::vector<std::string>& words) {
  Exceptions exceptions;
  for (const std::string& word : words) {
    std::string right = truth.hyphenate(word);
    if (right != rules.hyphenate(word)) exceptions.emplace(word, std::move(right));
  }
  return exceptions;
}

std::string Hyphenator::hyphenate(const std::string& word, std::size_t& lookups) const {
  if (maybe_exception_(word)) {
    ++lookups;
    const auto exception = exceptions_.find(word);
    if (exception != exceptions_.end()) return exception->second;
  }
  return rules_.hyphenate(word);
}

std::vector<std::string> read_words(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("words must be readable (Debian: wamerican-huge), got " + path);
  std::vector<std::string> words;
  for (std::string line; std::getline(file, line);) words.push_back(std::move(line));
  return words;
}

}  // namespace hyphenation
