// `./dev bench hyphenation`: hyphenates a dictionary, with a filter before the list of exceptions. It follows the
// experiment of a thesis on Bloom and cuckoo filters (USP, 2022): build time and total time at rates from 1% to 20%, 30
// repetitions, 95% confidence intervals.
//
// One word in ten is an exception, as in Bloom 1970 (50,000 of 500,000). --share 0 uses the real exceptions of Debian's
// English patterns, which are few. Repetitions are interleaved: each measures all contestants.
#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <memory>

#include "crivo/filter.h"
#include "hyphenator.h"
#include "measure.h"

namespace crivo::bench {
namespace {

using namespace hyphenation;

struct Options {
  unsigned repetitions = 30;
  unsigned share = 10;
  std::string csv;
};

struct Contestant {
  std::string kind;  // "exact" uses the dictionary without a filter
  double fp_rate = 0;
  std::vector<double> build_ms{};
  std::vector<double> check_ms{};
  std::vector<double> total_ms{};
  std::size_t bytes = 0;
  std::size_t lookups = 0;
};

struct Text {
  std::vector<std::string> words;
  Patterns rules{kPatternsPath, Patterns::Part::kRules};
  Patterns truth{kPatternsPath, Patterns::Part::kRulesAndExceptions};
  Exceptions exceptions;
};

Exceptions choose_exceptions(const Text& text, unsigned share) {
  if (share == 0) return find_exceptions(text.rules, text.truth, text.words);
  Exceptions exceptions;
  for (std::size_t i = 0; i < text.words.size(); ++i) {
    if (i % 100 < share) exceptions.emplace(text.words[i], text.truth.hyphenate(text.words[i]));
  }
  return exceptions;
}

AnyFilter build_filter(const Contestant& contestant, const Exceptions& exceptions) {
  FilterSpec spec{.capacity = exceptions.size(), .fp_rate = contestant.fp_rate};
  if (auto chosen = choose_kind(spec, contestant.kind); !chosen) throw std::runtime_error(chosen.error().message);
  std::vector<std::uint64_t> hashes;
  hashes.reserve(exceptions.size());
  for (const auto& [word, hyphenated] : exceptions) hashes.push_back(hash_key(word, spec.seed));
  auto filter = AnyFilter::build(spec, hashes);
  if (!filter) throw std::runtime_error(filter.error().message);
  return *std::move(filter);
}

/// One repetition: builds the filter, looks up every word and hyphenates it.
void repeat(Contestant& contestant, const Text& text) {
  std::unique_ptr<AnyFilter> filter;
  std::unique_ptr<Exceptions> exact;
  MaybeException maybe = [](std::string_view) { return true; };
  const double build = nanoseconds([&] {
    // Without a filter, the build is that of the dictionary.
    if (contestant.kind == "exact") {
      exact = std::make_unique<Exceptions>();
      for (const auto& [word, hyphenated] : text.exceptions) exact->emplace(word, hyphenated);
    } else {
      filter = std::make_unique<AnyFilter>(build_filter(contestant, text.exceptions));
    }
  });
  if (filter != nullptr) {
    contestant.bytes = filter->payload().size();
    maybe = [ref = filter->ref()](std::string_view word) { return ref.may_contain(word); };
  }
  const Exceptions& dictionary = exact != nullptr ? *exact : text.exceptions;
  volatile std::size_t found = 0;
  const double check = nanoseconds([&] {
    std::size_t count = 0;
    for (const std::string& word : text.words) count += maybe(word) && dictionary.contains(word);
    found = count;
  });
  const Hyphenator hyphenator(text.rules, dictionary, maybe);
  contestant.lookups = 0;
  volatile std::size_t letters = 0;
  const double hyphenate = nanoseconds([&] {
    std::size_t sum = 0;
    for (const std::string& word : text.words) sum += hyphenator.hyphenate(word, contestant.lookups).size();
    letters = sum;
  });
  contestant.build_ms.push_back(build / 1e6);
  contestant.check_ms.push_back(check / 1e6);
  contestant.total_ms.push_back((build + hyphenate) / 1e6);
}

struct Interval {
  double mean;
  double half_width;
};

/// The mean, and half the width of its 95% confidence interval, by the normal approximation.
Interval interval(const std::vector<double>& samples) {
  const auto n = static_cast<double>(samples.size());
  double mean = 0;
  for (const double sample : samples) mean += sample / n;
  double squares = 0;
  for (const double sample : samples) squares += (sample - mean) * (sample - mean);
  return {mean, n > 1 ? 1.96 * std::sqrt(squares / (n - 1) / n) : 0};
}

void report(const std::vector<Contestant>& contestants, const Options& options) {
  std::printf("%-11s %6s %9s %9s %18s %18s %18s\n", "", "rate", "bytes", "look-ups", "build ms", "check ms",
              "total ms");
  std::ofstream csv;
  if (!options.csv.empty()) csv.open(options.csv);
  if (csv) csv << "kind,fp_rate,bytes,lookups,build_ms,build_ci,check_ms,check_ci,total_ms,total_ci\n";
  for (const Contestant& one : contestants) {
    const Interval build = interval(one.build_ms);
    const Interval check = interval(one.check_ms);
    const Interval total = interval(one.total_ms);
    std::printf("%-11s %5.0f%% %9zu %9zu %9.3f +- %5.3f %9.3f +- %5.3f %9.1f +- %5.1f\n", one.kind.c_str(),
                100 * one.fp_rate, one.bytes, one.lookups, build.mean, build.half_width, check.mean, check.half_width,
                total.mean, total.half_width);
    if (csv) {
      csv << one.kind << ',' << one.fp_rate << ',' << one.bytes << ',' << one.lookups << ',' << build.mean << ','
          << build.half_width << ',' << check.mean << ',' << check.half_width << ',' << total.mean << ','
          << total.half_width << '\n';
    }
  }
}

int run(const Options& options) {
  Text text;
  text.words = read_words(kWordsPath);
  text.exceptions = choose_exceptions(text, options.share);
  std::printf("%zu words, %zu exceptions, %u repetitions, mean +- 95%% confidence\n\n", text.words.size(),
              text.exceptions.size(), options.repetitions);
  std::vector<Contestant> contestants = {{.kind = "exact"}};
  for (const double rate : {0.01, 0.02, 0.05, 0.10, 0.15, 0.20}) {
    for (const char* kind : {"hash_compaction", "classic", "blocked", "cuckoo"}) {
      contestants.push_back({.kind = kind, .fp_rate = rate});
    }
  }
  for (unsigned i = 0; i < options.repetitions; ++i) {
    for (Contestant& contestant : contestants) repeat(contestant, text);
  }
  report(contestants, options);
  return 0;
}

}  // namespace
}  // namespace crivo::bench

int main(int argc, char** argv) {
  crivo::bench::Options options;
  CLI::App app("Hyphenation with the exceptions behind a filter", "bench_hyphenation");
  app.add_option("--repetitions", options.repetitions, "of every measurement (default 30)")
      ->check(CLI::Range(1U, 1000U));
  app.add_option("--share", options.share, "percent of the words that are exceptions; 0: the real ones (default 10)")
      ->check(CLI::Range(0U, 100U));
  app.add_option("--csv", options.csv, "write the rows to this file as well");
  CLI11_PARSE(app, argc, argv);
  try {
    return crivo::bench::run(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_hyphenation: %s\n", error.what());
    return 2;
  }
}
