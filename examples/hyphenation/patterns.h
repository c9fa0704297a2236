// Knuth-Liang hyphenation by patterns, done by libhyphen. Source: Liang 1983, "Word Hy-phen-a-tion by Com-put-er".
#pragma once

#include <hyphen.h>

#include <memory>
#include <string>
#include <string_view>

namespace hyphenation {

/// A pattern file in memory, ready to hyphenate.
class Patterns {
 public:
  /// Debian's hyphen-en-us contains Liang's patterns, followed by the exceptions that users of TeX have collected,
  /// encoded as patterns with levels 8 and 9. kRules stops before the exceptions.
  enum class Part { kRules, kRulesAndExceptions };

  /// Throws std::runtime_error if the file cannot be read or parsed, or no temporary file can be made.
  Patterns(const std::string& path, Part part);

  /// The word, in UTF-8, with '-' at every place where it may be broken. ASCII capitals are treated as small letters.
  [[nodiscard]] std::string hyphenate(std::string_view word) const;

 private:
  struct Free {
    void operator()(HyphenDict* dictionary) const { hnj_hyphen_free(dictionary); }
  };
  std::unique_ptr<HyphenDict, Free> dictionary_;
};

}  // namespace hyphenation
