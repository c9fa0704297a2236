// The fuzzer's corpus, and the golden and hostile files with every choice of its first byte, in an ordinary build.
#include <gtest/gtest.h>

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

TEST(FuzzReplay, TheCorpusBreaksNoPromise) {
  const auto inputs = files_in(std::filesystem::path(CRIVO_CORPUS_DIR) / "blob");
  EXPECT_GT(inputs.size(), 20U);
  for (const auto& input : inputs) fuzz_blob(input);
}

TEST(FuzzReplay, GoldenAndHostileFilesBreakNoPromise) {
  for (const char* folder : {"blobs", "hostile"}) {
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
