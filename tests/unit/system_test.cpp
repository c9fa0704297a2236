// Tests crivo/host/system.h: with Linux's own calls, and under ./dev clang with the portable replacements.
#include "crivo/host/system.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <ctime>
#include <filesystem>
#include <limits>
#include <vector>

#include "crivo/host/temporary_file.h"
#include "environment.h"

namespace crivo::testing {
namespace {

TemporaryFile temporary() { return *TemporaryFile::make(""); }

struct stat status_of(const TemporaryFile& file) {
  struct stat status {};
  EXPECT_EQ(::fstat(file.descriptor(), &status), 0);
  return status;
}

TEST(System, TakesTheSpaceOfAFileWithZeros) {
  constexpr std::size_t kBytes = (std::size_t{3} << 16) + 1;
  const TemporaryFile file = temporary();
  ASSERT_EQ(system::preallocate(file.descriptor(), kBytes), 0);
  const struct stat status = status_of(file);
  EXPECT_EQ(status.st_size, kBytes);
  EXPECT_GE(status.st_blocks * 512, kBytes);
  std::vector<std::byte> bytes(kBytes, std::byte{1});
  ASSERT_TRUE(file.read(0, bytes));
  EXPECT_EQ(std::ranges::count(bytes, std::byte{0}), kBytes);
}

TEST(System, ReportsWhyPreallocationFails) { EXPECT_EQ(system::preallocate(-1, 1), EBADF); }

// File systems store times in units from 1 ns to 10 ms, or in seconds.
TEST(System, KnowsThatAChangeInTheSameUnitOfTimeCanBeMissed) {
  for (const long unit : {1L, 100L, 1'000L, 10'000'000L, 1'000'000'000L}) {
    bool can_be_missed = false;
    for (int i = 0; i < 1000 && !can_be_missed; ++i) {  // the next unit may begin between the two calls
      timespec now{};
      ::clock_gettime(CLOCK_REALTIME_COARSE, &now);
      now.tv_nsec -= now.tv_nsec % unit;
      can_be_missed = system::mtime_may_hide_change(now);
    }
    EXPECT_TRUE(can_be_missed) << unit;
  }
}

TEST(System, MissesNoLaterChange) {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  const timespec earlier = now.tv_nsec > 60'000'000 ? timespec{now.tv_sec, now.tv_nsec - 50'000'000}
                                                    : timespec{now.tv_sec - 1, now.tv_nsec + 900'000'000};
  EXPECT_FALSE(system::mtime_may_hide_change(earlier));
  EXPECT_FALSE(system::mtime_may_hide_change({now.tv_sec - 2, 0}));
  EXPECT_FALSE(system::mtime_may_hide_change({std::numeric_limits<std::time_t>::min(), 0}));
  EXPECT_FALSE(system::mtime_may_hide_change({std::numeric_limits<std::time_t>::max(), 0}));
  for (const time_t day : {-86'400, 86'400})
    EXPECT_FALSE(system::mtime_may_hide_change({now.tv_sec + day, now.tv_nsec})) << day;
}

// On Debian 13, /tmp is in memory.
TEST(System, UsesTMPDIROrAFolderOnDisk) {
  const Environment none("TMPDIR", "");
  EXPECT_EQ(default_temp_folder(), "/var/tmp");
  const Environment chosen("TMPDIR", "/somewhere/else");
  EXPECT_EQ(default_temp_folder(), "/somewhere/else");
}

TEST(System, FindsItsOwnProgram) {
  const std::string called = ::testing::internal::GetArgvs().front();
  EXPECT_TRUE(std::filesystem::equivalent(system::own_path(called.c_str()), called)) << called;
}

TEST(System, MovesPagesWithWhatIsInThem) {
  const auto bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) * 3;
  constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS;
  auto* const from = static_cast<std::byte*>(::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, kFlags, -1, 0));
  auto* const to = static_cast<std::byte*>(::mmap(nullptr, bytes, PROT_NONE, kFlags, -1, 0));
  ASSERT_NE(from, MAP_FAILED);
  ASSERT_NE(to, MAP_FAILED);
  std::fill_n(from, bytes, std::byte{7});
  ASSERT_TRUE(system::move_pages(from, bytes, to));
  EXPECT_EQ(std::count(to, to + bytes, std::byte{7}), bytes);
  to[bytes - 1] = std::byte{8};
  EXPECT_EQ(::msync(from, bytes, MS_ASYNC), -1) << "the old place is free";
  ::munmap(to, bytes);
}

}  // namespace
}  // namespace crivo::testing
