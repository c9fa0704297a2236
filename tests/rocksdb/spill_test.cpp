// Builders that spill hashes to a temporary file, on disks that fail. The file never has a name, every key is found,
// and LOG says what happened.
#include <fcntl.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>

#include "capture_log.h"
#include "crivo/host/system.h"
#include "disk.h"
#include "environment.h"
#include "limits_support.h"

namespace crivo::testing {
namespace {

/// A builder with a temporary folder for its hashes, and its log.
class FailingFile : public ::testing::TestWithParam<Kind> {
 protected:
  static constexpr std::uint64_t kKeys = 300'000;

  void expect_no_filter(const std::string& block, const std::string& why) {
    EXPECT_EQ(block.size(), 6U) << "every key passes";
    EXPECT_TRUE(new_reader(*crivo_bloom(), block)->MayMatch("key"));
    const std::string log = log_.take();
    EXPECT_NE(log.find("lets every key pass"), std::string::npos) << log;
    EXPECT_NE(log.find(why), std::string::npos) << log;
    EXPECT_EQ(std::ranges::count(log, '\n'), 1) << log;
  }
  void expect_filters_again() {
    EXPECT_EQ(count_missing(build(builder_, 0, kKeys), 0, kKeys), 0U);
    EXPECT_EQ(log_.take(), "");
  }
  /// The builder's temporary file, or -1.
  [[nodiscard]] int descriptor() const {
    const std::vector<int> found = unnamed_files_in(folder_.path());
    return found.empty() ? -1 : found.front();
  }

  TempFolder folder_;
  Environment tmpdir_{"TMPDIR", folder_.path()};
  BuildMemory memory_;
  CaptureLog log_;
  BlockBuilder builder_ = make_builder(GetParam(), {.max_build_bytes = kChunk, .memory = &memory_, .log = &log_});
};
CRIVO_FOR_BOTH_KINDS(FailingFile);

TEST_P(FailingFile, NeverHasANameAndIsGoneAfterwards) {
  const int probe = open(folder_.path().c_str(), O_TMPFILE | O_RDWR, 0600);
  if (probe < 0) GTEST_SKIP() << "this file system has no files without a name";
  close(probe);
  const int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  ASSERT_GE(inotify_add_watch(watch, folder_.path().c_str(), IN_CREATE | IN_DELETE), 0);
  for (std::uint64_t i = 0; i < kKeys; ++i) builder_.AddKey(short_key(i));
  EXPECT_NE(descriptor(), -1);
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
  char event[512];
  EXPECT_LT(read(watch, event, sizeof event), 0) << "a process that is killed in between would leave a file";
  close(watch);
  std::unique_ptr<const char[]> buffer;
  EXPECT_GT(builder_.Finish(&buffer).size(), kKeys);
  EXPECT_EQ(descriptor(), -1);
}

TEST_P(FailingFile, OnAFullDiskMeansEveryKeyPasses) {
  std::string block;
  {
    const FullDisk disk(1 << 20);
    block = build(builder_, 0, kKeys);
  }
  expect_no_filter(block, "File too large");
  expect_filters_again();
}

TEST_P(FailingFile, ThatCannotBeMadeMeansEveryKeyPasses) {
  {
    const Environment nowhere("TMPDIR", "/proc");
    expect_no_filter(build(builder_, 0, kKeys), "folder of temporary files must be writable, got /proc");
  }
  expect_filters_again();
}

TEST_P(FailingFile, WithOtherBytesThanWereWrittenMeansEveryKeyPasses) {
  for (std::uint64_t i = 0; i < kKeys; ++i) builder_.AddKey(short_key(i));
  for (const off_t offset : {off_t{0}, off_t{65536 * 5 + 77}}) {
    unsigned char byte = 0;
    ASSERT_EQ(pread(descriptor(), &byte, 1, offset), 1);
    byte ^= 4;
    ASSERT_EQ(pwrite(descriptor(), &byte, 1, offset), 1);
    expect_no_filter(build(builder_, 0, 0), "Input/output error");
    for (std::uint64_t i = 0; i < kKeys; ++i) builder_.AddKey(short_key(i));
  }
  ASSERT_EQ(ftruncate(descriptor(), 1'000'000), 0);
  expect_no_filter(build(builder_, 0, 0), "Input/output error");
  expect_filters_again();
}

TEST(SpillFolder, IsTheDatabasesOwnUnlessTmpdirNamesOne) {
  const TempFolder folder;
  const TempFolder other;
  const Environment unset("TMPDIR", "");
  const auto db = open_database(configured({.max_build_bytes = kChunk}), folder.path());
  put_keys(*db, 0, 1);  // the listener finds the database at the first flush
  const auto policy = db->GetOptions().table_factory->GetOptions<rocksdb::BlockBasedTableOptions>()->filter_policy;
  const auto spill = [&](const std::string& where) {
    const auto builder = new_builder(*policy, db->GetDBOptions().info_log.get());
    for (std::uint64_t i = 0; i < 300'000; ++i) builder->AddKey(short_key(i));
    return unnamed_files_in(where).size();
  };
  EXPECT_EQ(spill(folder.path()), 1U);
  const Environment named("TMPDIR", other.path());
  EXPECT_EQ(spill(folder.path()), 0U);
  EXPECT_EQ(spill(other.path()), 1U);
}

TEST(SpillFolder, ThatIsMemoryIsSaidOnceInLog) {
  if (!system::is_memory_folder("/dev/shm")) GTEST_SKIP() << "/dev/shm is no memory here";
  const Environment memory("TMPDIR", "/dev/shm");
  CaptureLog log;
  const Policy limited = policy_from_string("crivo.Bloom:10:max_build_bytes:1000000");
  const auto first = new_builder(*limited, &log);
  EXPECT_THAT(log.take(), HasSubstr("crivo.Bloom: max_build_bytes saves no memory: hashes go to /dev/shm, "
                                    "which is in memory; set TMPDIR"));
  const auto second = new_builder(*limited, &log);
  const auto without_limit = new_builder(*policy_from_string("crivo.Bloom:10"), &log);
  EXPECT_EQ(log.take(), "");
}

}  // namespace
}  // namespace crivo::testing
