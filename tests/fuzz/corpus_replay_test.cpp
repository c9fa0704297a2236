// Replays the fuzzers' corpora in any build, and the golden and hostile files with every value of the first byte.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "fuzz_body.h"

namespace crivo::testing {
namespace {

std::vector<std::vector<std::uint8_t>> files_in(const std::filesystem::path& folder) {
  std::vector<std::vector<std::uint8_t>> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    files.emplace_back(text.begin(), text.end());
  }
  return files;
}

std::vector<std::vector<std::uint8_t>> corpus_of(const char* target) {
  auto inputs = files_in(std::filesystem::path(CRIVO_CORPUS_DIR) / target);
  EXPECT_GT(inputs.size(), 20U) << target;
  return inputs;
}

TEST(FuzzReplay, TheBlobCorpusBreaksNoPromise) {
  for (const auto& input : corpus_of("blob")) fuzz_blob(input);
}

TEST(FuzzReplay, TheCCorpusBreaksNoPromise) {
  for (const auto& input : corpus_of("c")) fuzz_c(input);
}

TEST(FuzzReplay, TheKernelsCorpusBreaksNoPromise) {
  for (const auto& input : corpus_of("kernels")) fuzz_kernels(input);
}

TEST(FuzzReplay, TheChunksCorpusBreaksNoPromiseAndMakesBlobs) {
  std::size_t whole = 0;
  const auto inputs = corpus_of("chunks");
  for (const auto& input : inputs) whole += fuzz_chunks(input) ? 1 : 0;
  EXPECT_GT(whole, 5U);
  EXPECT_LT(whole, inputs.size());
}

// If the parser rejected all inputs of a fuzzer, the fuzzer would only test the parser.
TEST(FuzzReplay, TheRibbonCorpusBreaksNoPromiseAndReachesTheLevels) {
  std::size_t accepted = 0;
  unsigned most_levels = 0;
  const auto inputs = corpus_of("ribbon");
  for (const auto& input : inputs) {
    const auto levels = fuzz_ribbon(input);
    accepted += levels ? 1 : 0;
    most_levels = std::max(most_levels, levels.value_or(0));
  }
  EXPECT_GT(2 * accepted, inputs.size());
  EXPECT_GT(most_levels, 2U);
}

#ifdef CRIVO_FUZZ_SQLITE
TEST(FuzzReplay, TheSqliteCorpusBreaksNoPromise) {
  for (const auto& input : corpus_of("sqlite")) fuzz_sqlite(input);
}
#endif

TEST(FuzzReplay, GoldenAndHostileFilesBreakNoPromise) {
  for (const char* folder : {"blobs", "hostile", "sketches"}) {
    for (auto file : files_in(std::filesystem::path(CRIVO_GOLDEN_DIR) / folder)) {
      file.insert(file.begin(), 0);
      for (std::uint8_t choice = 0; choice < 4; ++choice) {
        file.front() = choice;
        fuzz_blob(file);
      }
    }
  }
}

}  // namespace
}  // namespace crivo::testing
