// Reading hostile blobs in a process that cannot have more memory than the reader's limit and 16 MB.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "crivo/blob.h"
#include "files.h"
#include "hostile_set.h"

// Sanitizers reserve terabytes of address space, which no limit survives.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CRIVO_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define CRIVO_SANITIZED 1
#endif
#endif

#ifndef CRIVO_SANITIZED

namespace crivo::testing {
namespace {

constexpr std::uint64_t kAllowance = 16 << 20;

/// From here on this process gets no more than `more` bytes of address space beyond what it has.
void limit_memory(std::uint64_t more) {
  std::uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const rlim_t most = pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + more;
  const rlimit limit{most, most};
  if (pages == 0 || setrlimit(RLIMIT_AS, &limit) != 0) std::_Exit(3);
}

constexpr int kRefused = 10;
constexpr int kAccepted = 11;
constexpr int kOutOfMemory = 12;

[[noreturn]] void parse_in_little_memory(const Bytes& blob) {
  limit_memory(kHostileLimit + kAllowance);
  try {
    std::_Exit(parse_blob(blob, {.max_raw_bytes = kHostileLimit}) ? kAccepted : kRefused);
  } catch (const std::bad_alloc&) {
    std::_Exit(kOutOfMemory);
  }
}

TEST(BombDeathTest, TheMemoryLimitOfThisTestBinds) {
#ifdef CRIVO_IS_EMULATED
  GTEST_SKIP() << "qemu-user keeps no limit on the address space";
#endif
  const auto allocate_too_much = [] {
    limit_memory(kHostileLimit + kAllowance);
    // Volatile: GCC 16 leaves out an allocation that is only compared, and takes it for granted.
    void* volatile memory = std::malloc(2 * (kHostileLimit + kAllowance));
    std::_Exit(memory == nullptr ? kOutOfMemory : kAccepted);
  };
  EXPECT_EXIT(allocate_too_much(), ::testing::ExitedWithCode(kOutOfMemory), "");
}

TEST(BombDeathTest, HostileFilesAreRefusedInLittleMemory) {
  for (const HostileFile& file : hostile_files()) {
    if (!file.name.ends_with(".blob")) continue;
    const Bytes blob = read_file(golden_folder("hostile") / file.name);
    EXPECT_EXIT(parse_in_little_memory(blob), ::testing::ExitedWithCode(kRefused), "") << file.name;
  }
}

TEST(BombDeathTest, AFilterOfExactlyTheLimitIsReadInLittleMemory) {
  FilterSpec spec;
  spec.capacity = kHostileLimit;
  spec.bits_per_key = 8;
  const AnyFilter filter = build_filter(spec, 100'000);
  ASSERT_EQ(filter.payload().size(), kHostileLimit);
  for (const BlobForm form : {BlobForm::kRaw, BlobForm::kAuto, BlobForm::kSmallest}) {
    const Bytes blob = blob_of(filter.ref(), form);
    EXPECT_EXIT(parse_in_little_memory(blob), ::testing::ExitedWithCode(kAccepted), "");
  }
  const Bytes zstd = zstd_blob_of(filter.ref());
  EXPECT_EXIT(parse_in_little_memory(zstd), ::testing::ExitedWithCode(kAccepted), "");
}

}  // namespace
}  // namespace crivo::testing

#endif
