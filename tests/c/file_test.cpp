// Filters in files, and builds with a memory limit.

#include <cerrno>

#include "c_filters.h"
#include "missing_page.h"

namespace crivo::testing {
namespace {

class Files : public ::testing::Test {
 protected:
  [[nodiscard]] std::string path(const char* name) const { return folder_.file(name); }
  static void save(const Filter& filter, const std::string& path, std::int32_t form) {
    crivo_error error{};
    ASSERT_EQ(crivo_save(filter.get(), path.c_str(), form, 0, &error), CRIVO_OK) << error.message;
  }
  static Filter open(const std::string& path) { return make(crivo_open, path.c_str(), nullptr); }

  const TempFolder folder_;
};

TEST_F(Files, OfEveryFormGiveTheFilterBack) {
  const Filter filter = build(options_of("blocked"), present_keys(1000));
  for (const std::int32_t form : {CRIVO_FORM_AUTO, CRIVO_FORM_RAW, CRIVO_FORM_SMALLEST, CRIVO_FORM_MAPPABLE}) {
    SCOPED_TRACE("form " + std::to_string(form));
    save(filter, path("f"), form);
    const Filter opened = open(path("f"));
    ASSERT_NE(opened, nullptr);
    for (std::uint64_t i = 0; i < 1000; ++i) ASSERT_TRUE(has(opened, present(i)));
    EXPECT_EQ(blob_of(opened, CRIVO_FORM_RAW), blob_of(filter, CRIVO_FORM_RAW));
    EXPECT_EQ(crivo_verify(opened.get(), nullptr), CRIVO_OK);
    EXPECT_THAT(failure(CRIVO_UNSUPPORTED, crivo_add, opened.get(), "a", 1), HasSubstr("change a copy of it"));
  }
}

TEST_F(Files, AnswerEveryQuestionAsTheFilterDoes) {
  std::vector<std::string> keys;
  for (std::uint64_t i = 0; i < 1000; ++i) keys.insert(keys.end(), {present(i), absent(i)});
  for (const char* kind : {"counting", "ribbon"}) {
    SCOPED_TRACE(kind);
    const Filter filter = build(options_of(kind), present_keys(1000));
    save(filter, path("f"), CRIVO_FORM_MAPPABLE);
    const Filter opened = open(path("f"));
    const std::vector<std::uint8_t> expected = hits_of(filter, KeyList(keys));
    EXPECT_EQ(hits_of(opened, KeyList(keys)), expected);
    std::vector<std::uint64_t> hashes;
    for (const std::string& key : keys) hashes.push_back(crivo_hash_key(key.data(), key.size(), 0));
    std::vector<std::uint8_t> hits(keys.size(), 9);
    EXPECT_EQ(crivo_contains_hashes(opened.get(), hashes.data(), hashes.size(), hits.data(), nullptr), CRIVO_OK);
    EXPECT_EQ(hits, expected);
    const bool counts = (facts_of(opened).can & CRIVO_CAN_COUNT) != 0;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      ASSERT_EQ(crivo_contains_hash(opened.get(), hashes[i], nullptr), expected[i]);
      ASSERT_EQ(counts ? count_of(opened, keys[i]) : 0, counts ? count_of(filter, keys[i]) : 0);
    }
  }
}

TEST_F(Files, ThatAreDamagedAreErrorsAndNeverAnAnswer) {
  const Filter filter = build(options_of("blocked"), present_keys(100'000));
  save(filter, path("f"), CRIVO_FORM_MAPPABLE);
  {
    std::fstream file(path("f"), std::ios::in | std::ios::out | std::ios::binary);
    for (int at = 64; at < 64 + 100'000; at += 1000) {
      file.seekp(at);
      file.put(0);
      file.put(0);
    }
  }
  const Filter opened = open(path("f"));
  ASSERT_NE(opened, nullptr) << "the damage is where no question has looked yet";
  int damaged = 0;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const std::string key = present(i);
    const std::int32_t answer = crivo_contains(opened.get(), key.data(), key.size(), nullptr);
    ASSERT_TRUE(answer == 1 || answer == -CRIVO_CORRUPT) << answer;
    if (answer < 0) ++damaged;
  }
  EXPECT_GT(damaged, 500);
  failure(CRIVO_CORRUPT, crivo_verify, opened.get());
  crivo_filter* copy = nullptr;
  failure(CRIVO_CORRUPT, crivo_copy, opened.get(), &copy);
  EXPECT_EQ(copy, nullptr);
}

TEST_F(Files, ThatShrinkAreErrorsWhereFilesAreGuarded) {
  if (!sigbus_reports_the_address()) GTEST_SKIP() << kNoFaultAddress;
  ASSERT_EQ(crivo_guard_files(nullptr), CRIVO_OK);
  save(build(options_of("blocked"), present_keys(100'000)), path("f"), CRIVO_FORM_MAPPABLE);
  const Filter opened = open(path("f"));
  std::filesystem::resize_file(path("f"), 64);
  EXPECT_EQ(crivo_contains(opened.get(), "a", 1, nullptr), -CRIVO_CORRUPT);
}

TEST_F(Files, ArgumentsThatAreNullOrMisalignedAreRefused) {
  const Filter filter = filter_of("blocked", 100);
  crivo_filter* made = nullptr;
  for (crivo_filter* bad : {static_cast<crivo_filter*>(nullptr), misaligned<crivo_filter>()}) {
    failure(CRIVO_BAD_ARGUMENT, crivo_save, bad, path("f").c_str(), 0, 0);
    failure(CRIVO_BAD_ARGUMENT, crivo_verify, bad);
    failure(CRIVO_BAD_ARGUMENT, crivo_open, path("f").c_str(), nullptr, reinterpret_cast<crivo_filter**>(bad));
  }
  for (const char* bad : {static_cast<const char*>(nullptr), ""}) {
    failure(CRIVO_BAD_ARGUMENT, crivo_save, filter.get(), bad, 0, 0);
    failure(CRIVO_BAD_ARGUMENT, crivo_open, bad, nullptr, &made);
  }
  failure(CRIVO_BAD_ARGUMENT, crivo_save, filter.get(), path("f").c_str(), 4, 0);
  failure(CRIVO_BAD_ARGUMENT, crivo_save, filter.get(), path("f").c_str(), 0, 23);
  EXPECT_FALSE(std::filesystem::exists(path("f")));
  EXPECT_EQ(made, nullptr);
}

TEST_F(Files, ThatTheSystemRefusesNameThePathAndTheReason) {
  const Filter filter = filter_of("blocked", 100);
  const std::string nowhere = path("nowhere/f");
  crivo_filter* made = nullptr;
  EXPECT_THAT(failure(CRIVO_SYSTEM, crivo_save, filter.get(), nowhere.c_str(), 0, 0),
              HasSubstr(nowhere + ": No such file"));
  EXPECT_EQ(errno, ENOENT);
  EXPECT_THAT(failure(CRIVO_SYSTEM, crivo_open, nowhere.c_str(), nullptr, &made),
              HasSubstr(nowhere + ": No such file"));
  EXPECT_EQ(errno, ENOENT);
  failure(CRIVO_BAD_ARGUMENT, crivo_open, folder_.path().c_str(), nullptr, &made);
  EXPECT_EQ(crivo_save(filter.get(), "/dev/full", 0, 0, nullptr), CRIVO_SYSTEM);
  EXPECT_EQ(errno, ENOSPC);
}

TEST_F(Files, OfTemporaryHashesNeedAFolderAndEnoughMemory) {
  const KeyList list = present_keys(3'000'000);  // the hashes exceed the limit
  crivo_filter* made = nullptr;
  const std::string nowhere = path("nowhere");
  for (const std::uint64_t capacity : {std::uint64_t{0}, list.count()}) {
    crivo_options options = options_of("ribbon", capacity);
    options.temp_folder = nowhere.c_str();
    options.max_memory = 1 << 20;
    EXPECT_THAT(failure(CRIVO_BAD_ARGUMENT, crivo_build, &options, list.keys(), &made),
                HasSubstr("must be at least 16777216, got 1048576"));
    options.max_memory = 16 << 20;
    EXPECT_THAT(failure(CRIVO_SYSTEM, crivo_build, &options, list.keys(), &made),
                HasSubstr(nowhere + ": No such file"));
    EXPECT_EQ(errno, ENOENT);
  }
  EXPECT_EQ(made, nullptr);
}

}  // namespace
}  // namespace crivo::testing
