// All functions except lookups read whole files. Another program may truncate or overwrite the file meanwhile.

#include <chrono>
#include <cstdlib>
#include <functional>
#include <thread>

#include "c_filters.h"
#include "missing_page.h"

namespace crivo::testing {
namespace {

constexpr int kDelays = 6;  // the change comes 0 to kDelays - 1 milliseconds after the start of a call

/// Copies a 16 MB filter to a new file, opens the file, and verifies it.
class OpenedCopy {
 public:
  OpenedCopy() {
    const crivo_options options = options_of("blocked", 13'000'000);
    crivo_filter* made = nullptr;
    if (crivo_create(&options, &made, nullptr) != CRIVO_OK) std::abort();
    filter_.reset(made);
    if (crivo_save(made, original_.c_str(), CRIVO_FORM_MAPPABLE, 0, nullptr) != CRIVO_OK) std::abort();
  }
  crivo_filter* renew() {
    opened_.reset();
    std::filesystem::remove(path_);
    std::filesystem::copy_file(original_, path_);
    crivo_filter* opened = nullptr;
    if (crivo_open(path_.c_str(), nullptr, &opened, nullptr) != CRIVO_OK) std::abort();
    opened_.reset(opened);
    if (crivo_verify(opened, nullptr) != CRIVO_OK) std::abort();
    return opened;
  }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] crivo_filter* in_memory() const { return filter_.get(); }
  [[nodiscard]] std::string file(const std::string& name) const { return folder_.file(name); }

 private:
  TempFolder folder_;
  std::string original_ = folder_.file("original");
  std::string path_ = folder_.file("copy");
  Filter filter_;
  Filter opened_;
};

/// Calls `call`. Another thread calls `change` after `delay` milliseconds.
crivo_status call_during(int delay, const std::function<void()>& change, const std::function<crivo_status()>& call) {
  std::thread changer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(delay));
    change();
  });
  const crivo_status status = call();
  changer.join();
  return status;
}

/// Truncates the file during each function. Exits with 0 if every function returns CRIVO_OK or CRIVO_CORRUPT.
[[noreturn]] void survive_every_cut() {
  ::signal(SIGBUS, SIG_DFL);  // the sanitizers install their own handler
  if (crivo_guard_files(nullptr) != CRIVO_OK) std::_Exit(2);
  OpenedCopy copy;
  crivo_filter* opened = nullptr;
  std::vector<unsigned char> room(crivo_blob_bound(copy.in_memory()));
  const std::vector<std::function<crivo_status()>> calls = {
      [&] {
        auto stats = sized<crivo_stats>();
        return crivo_get_stats(opened, &stats, nullptr);
      },
      [&] {
        auto similarity = sized<crivo_similarity>();
        return crivo_compare(opened, opened, &similarity, nullptr);
      },
      [&] {
        crivo_filter* made = nullptr;
        const crivo_status status = crivo_copy(opened, &made, nullptr);
        crivo_free(made);
        return status;
      },
      [&] { return crivo_unite(copy.in_memory(), opened, nullptr); },
      [&] {
        std::uint64_t written = 0;
        return crivo_write(opened, CRIVO_FORM_RAW, 0, room.data(), room.size(), &written, nullptr);
      },
      [&] { return crivo_save(opened, copy.file("saved").c_str(), CRIVO_FORM_RAW, 0, nullptr); },
  };
  for (const auto& call : calls) {
    for (int delay = 0; delay < kDelays; ++delay) {
      opened = copy.renew();
      const auto cut_off = [&] { std::filesystem::resize_file(copy.path(), 4096); };
      const crivo_status status = call_during(delay, cut_off, call);
      if (status != CRIVO_OK && status != CRIVO_CORRUPT) std::_Exit(3);
    }
  }
  std::_Exit(0);
}

TEST(FileChangesDeathTest, WithAGuardNoFunctionDiesOfAFileThatIsCutOff) {
  if (!sigbus_reports_the_address()) GTEST_SKIP() << kNoFaultAddress;
  EXPECT_EXIT(survive_every_cut(), ::testing::ExitedWithCode(0), "");
}

// A copy must not get checksums of bytes that were never verified.
TEST(FileChanges, WhatIsSavedOrCopiedIsWhatTheFileHeld) {
  OpenedCopy copy;
  auto empty = sized<crivo_stats>();
  for (int delay = 0; delay < kDelays; ++delay) {
    const crivo_filter* opened = copy.renew();
    const auto fill = [&] {
      const int fd = ::open(copy.path().c_str(), O_WRONLY | O_CLOEXEC);
      const std::vector<char> ones(1 << 20, '\xff');
      for (int i = 1; i < 16; ++i) EXPECT_GT(::pwrite(fd, ones.data(), ones.size(), i << 20), 0);
      ::close(fd);
    };
    crivo_filter* made = nullptr;
    const crivo_status status = call_during(delay, fill, [&] { return crivo_copy(opened, &made, nullptr); });
    const Filter owner(made);
    if (status != CRIVO_OK) {
      EXPECT_EQ(status, CRIVO_CORRUPT);
      continue;
    }
    ASSERT_EQ(crivo_get_stats(made, &empty, nullptr), CRIVO_OK);
    EXPECT_EQ(empty.bits_set, 0U) << "after " << delay << " ms";
  }
}

}  // namespace
}  // namespace crivo::testing
