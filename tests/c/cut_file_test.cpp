// Filters in files: the form that a file gets, and files that are cut off while somebody works on them.
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <functional>

#include "c_filters.h"

namespace crivo::testing {
namespace {

class InFile : public ::testing::Test {
 protected:
  ~InFile() override { unlink(path_.c_str()); }

  void save(const Filter& filter, std::int32_t form = CRIVO_FORM_AUTO) const {
    crivo_error error{};
    ASSERT_EQ(crivo_save(filter.get(), path_.c_str(), form, 0, &error), CRIVO_OK) << error.message;
  }
  [[nodiscard]] Filter open() const {
    crivo_filter* filter = nullptr;
    crivo_error error{};
    EXPECT_EQ(crivo_open(path_.c_str(), nullptr, &filter, &error), CRIVO_OK) << error.message;
    return Filter(filter);
  }
  [[nodiscard]] int codec() const {
    std::ifstream file(path_);
    file.seekg(6);  // docs/format.md
    return file.get();
  }

  std::string path_ = ::testing::TempDir() + "crivo_in_file_" + std::to_string(getpid());
};

TEST_F(InFile, HasTheFormThatTheToolGivesIt) {
  constexpr int kRaw = 0;
  constexpr int kGaps = 2;
  constexpr int kRawSums = 3;
  save(filter_of("blocked", 1000));
  EXPECT_EQ(codec(), kRaw);
  save(filter_of("blocked", 100'000));
  EXPECT_EQ(codec(), kRawSums);
  save(filter_of("ribbon", 100'000));
  EXPECT_EQ(codec(), kRawSums);
  save(create(options_of("blocked", 100'000)));
  EXPECT_EQ(codec(), kGaps);
}

/// Whether a call of `work` ended with CRIVO_CORRUPT, in a process that makes one after the other while its file is cut
/// off. Otherwise the system has ended the process.
bool ends_well(const std::string& path, const std::function<crivo_status()>& work) {
  const pid_t child = fork();
  if (child == 0) {
    crivo_status status = CRIVO_OK;
    while (status == CRIVO_OK) status = work();
    _exit(status == CRIVO_CORRUPT ? 0 : 1);
  }
  usleep(50'000);
  EXPECT_EQ(truncate(path.c_str(), 4096), 0);
  int outcome = 0;
  EXPECT_EQ(waitpid(child, &outcome, 0), child);
  return WIFEXITED(outcome) && WEXITSTATUS(outcome) == 0;
}

TEST_F(InFile, IsAnErrorForEveryFunctionThatIsAtWorkWhenItIsCutOff) {
  ASSERT_EQ(crivo_guard_files(nullptr), CRIVO_OK);
  const Filter memory = create(options_of("blocked", 10'000'000));
  Blob buffer(crivo_blob_bound(memory.get()));
  crivo_stats stats{};
  stats.size = sizeof stats;
  crivo_similarity similarity{};
  similarity.size = sizeof similarity;
  std::uint64_t written = 0;
  using Work = std::function<crivo_status(const crivo_filter*)>;
  const std::vector<std::pair<const char*, Work>> all{
      {"crivo_copy",
       [](const crivo_filter* file) {
         crivo_filter* copy = nullptr;
         const crivo_status status = crivo_copy(file, &copy, nullptr);
         crivo_free(copy);
         return status;
       }},
      {"crivo_get_stats", [&](const crivo_filter* file) { return crivo_get_stats(file, &stats, nullptr); }},
      {"crivo_write",
       [&](const crivo_filter* file) {
         return crivo_write(file, CRIVO_FORM_RAW, 0, buffer.data(), buffer.size(), &written, nullptr);
       }},
      {"crivo_unite", [&](const crivo_filter* file) { return crivo_unite(memory.get(), file, nullptr); }},
      {"crivo_intersect", [&](const crivo_filter* file) { return crivo_intersect(memory.get(), file, nullptr); }},
      {"crivo_compare, as the first",
       [&](const crivo_filter* file) { return crivo_compare(file, memory.get(), &similarity, nullptr); }},
      {"crivo_compare, as the second",
       [&](const crivo_filter* file) { return crivo_compare(memory.get(), file, &similarity, nullptr); }},
  };
  for (const auto& [name, work] : all) {
    save(memory, CRIVO_FORM_MAPPABLE);
    const Filter file = open();
    ASSERT_EQ(crivo_verify(file.get(), nullptr), CRIVO_OK);
    EXPECT_TRUE(ends_well(path_, [&] { return work(file.get()); })) << name;
  }
}

}  // namespace
}  // namespace crivo::testing
