// Hyphenation by rules, with an exception list behind a filter: the use for which Bloom invented his filter in 1970.
//
// Most words follow the rules. The hyphenation of the others is looked up in a dictionary. A look-up for every word
// would be slow, so a filter of the exceptions is queried first. If it answers "certainly no exception", the rules
// apply.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "patterns.h"

namespace hyphenation {

using Exceptions = std::unordered_map<std::string, std::string>;  // word to hyphenated word

/// The words that rules alone get wrong.
[[nodiscard]] Exceptions find_exceptions(const Patterns& rules, const Patterns& truth,
                                         const std::vector<std::string>& words);

/// Answers whether a word may be an exception: false only if it certainly is none.
using MaybeException = std::function<bool(std::string_view)>;

/// The rules and the exceptions must outlive the object.
class Hyphenator {
 public:
  Hyphenator(const Patterns& rules, const Exceptions& exceptions, MaybeException maybe_exception)
      : rules_(rules), exceptions_(exceptions), maybe_exception_(std::move(maybe_exception)) {}

  /// Counts the dictionary's look-ups in `lookups`.
  [[nodiscard]] std::string hyphenate(const std::string& word, std::size_t& lookups) const;

 private:
  const Patterns& rules_;
  const Exceptions& exceptions_;
  MaybeException maybe_exception_;
};

/// The lines of a file. Throws std::runtime_error if the file cannot be opened.
[[nodiscard]] std::vector<std::string> read_words(const std::string& path);

inline constexpr const char* kPatternsPath = "/usr/share/hyphen/hyph_en_US.dic";
inline constexpr const char* kWordsPath = "/usr/share/dict/american-english-huge";

}  // namespace hyphenation
