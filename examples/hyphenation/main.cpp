// Hyphenates a word list with the rules and the exceptions, and prints how many dictionary look-ups the filter saved.
//   hyphenation [WORDS FILE]
#include <cstdio>
#include <exception>

#include "crivo/builder.h"
#include "hyphenator.h"

namespace {

using namespace hyphenation;

int run(const std::string& words_path) {
  const std::vector<std::string> words = read_words(words_path);
  const Patterns rules(kPatternsPath, Patterns::Part::kRules);
  const Patterns truth(kPatternsPath, Patterns::Part::kRulesAndExceptions);
  const Exceptions exceptions = find_exceptions(rules, truth, words);

  auto builder = crivo::FilterBuilder::create({.fp_rate = 0.01});
  for (const auto& [word, hyphenated] : exceptions) {
    if (auto added = builder->add(word); !added) throw std::runtime_error(added.error().message);
  }
  const auto filter = builder->finish();
  if (!filter) throw std::runtime_error(filter.error().message);
  const crivo::FilterRef ref = filter->ref();

  const Hyphenator hyphenator(rules, exceptions, [&](std::string_view word) { return ref.may_contain(word); });
  std::size_t lookups = 0;
  std::size_t wrong = 0;
  for (const std::string& word : words) wrong += hyphenator.hyphenate(word, lookups) != truth.hyphenate(word);

  std::printf("words                    %zu\n", words.size());
  std::printf("exceptions to the rules  %zu, such as:", exceptions.size());
  int shown = 0;
  for (const std::string& word : words) {
    const auto exception = exceptions.find(word);
    if (exception == exceptions.end() || word.size() < 9) continue;
    std::printf(" %s (not %s)", exception->second.c_str(), rules.hyphenate(word).c_str());
    if (++shown == 2) break;
  }
  std::printf("\nfilter                   %zu bytes, %.2f bits per exception\n", filter->payload().size(),
              8.0 * static_cast<double>(filter->payload().size()) / static_cast<double>(exceptions.size()));
  std::printf(
      "dictionary look-ups      %zu of %zu: %zu wasted, %.2f%% of the words that follow the rules\n", lookups,
      words.size(), lookups - exceptions.size(),
      100.0 * static_cast<double>(lookups - exceptions.size()) / static_cast<double>(words.size() - exceptions.size()));
  std::printf("wrong hyphenations       %zu\n", wrong);
  return wrong == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc > 1 ? argv[1] : hyphenation::kWordsPath);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "hyphenation: %s\n", error.what());
    return 2;
  }
}
