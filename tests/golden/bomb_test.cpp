// Reads hostile blobs in a process whose memory is limited to the reader's limit plus 16 MB.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>

#include "crivo/blob_file.h"
#include "files.h"
#include "hostile_set.h"
#include "temp_folder.h"
#include "zero_page.h"
#include "zstd_frame.h"

// Sanitizers reserve terabytes of address space, so a limit would end the process.
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

/// qemu-user allocates 24 bytes for each page that the program maps, which is 6 MiB for a GiB.
#ifdef CRIVO_IS_EMULATED
constexpr std::uint64_t kEmulatorTables = 48 << 20;
#else
constexpr std::uint64_t kEmulatorTables = 0;
#endif

/// Limits this process to `more` bytes of address space in addition to its present use.
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
    std::_Exit(parse_blob(blob, {.max_bytes = kHostileLimit}) ? kAccepted : kRefused);
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
    // Volatile, because GCC 16 removes an allocation that is only compared, and assumes that it succeeds.
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

/// A blob with the header of a blocked filter of `raw_bytes` bytes, and with these stored bytes.
Bytes claim(std::uint64_t raw_bytes, std::uint64_t codec, const Bytes& stored) {
  const Bytes sound = blob_of(build_filter(Kind::kBlocked, 1).ref());
  const Bytes claiming = forge(forge(sound, header::kUnits, raw_bytes / 64), header::kRawBytes, raw_bytes);
  return with_payload(forge(claiming, header::kCodec, codec), stored);
}

/// A valid blob of a few bytes: the empty filter of that size.
Bytes empty_filter(std::uint64_t raw_bytes) {
  const ZstdFrame no_symbols{
      .content_size = 0, .window_descriptor = {}, .dictionary_id = {}, .blocks = raw_block({}, true)};
  return claim(raw_bytes, 2, Bytes(8) + encode(no_symbols));
}

/// A blob of a few bytes. zstd detects only at the end of the frame that its size is wrong.
Bytes broken_promise(std::uint64_t raw_bytes) {
  const ZstdFrame nothing{.content_size = raw_bytes,
                          .window_descriptor = {},
                          .dictionary_id = {},
                          .blocks = rle_block(std::byte{0}, 0, true)};
  return claim(raw_bytes, 1, encode(nothing));
}

std::uint64_t most_resident_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

[[noreturn]] void parse_and_count_resident_memory(const Bytes& blob) {
  const std::uint64_t before = most_resident_bytes();
  const bool accepted = parse_blob(blob).has_value();
  if (most_resident_bytes() > before + kAllowance + kEmulatorTables) std::_Exit(kOutOfMemory);
  std::_Exit(accepted ? kAccepted : kRefused);
}

TEST(BombDeathTest, MemoryIsTakenAsItIsFilled) {
  const Bytes empty = empty_filter(kDefaultMaxBytes);
  const Bytes broken = broken_promise(kDefaultMaxBytes);
  ASSERT_LT(empty.size(), 100U);
  ASSERT_LT(broken.size(), 100U);
  EXPECT_EXIT(parse_and_count_resident_memory(empty), ::testing::ExitedWithCode(kAccepted), "");
  EXPECT_EXIT(parse_and_count_resident_memory(broken), ::testing::ExitedWithCode(kRefused), "");
}

/// Copies, merges and stores a filter of 1 GiB whose bytes are nearly all 0. Limits the resident memory.
[[noreturn]] void use_and_count_resident_memory(const Bytes& blob, const std::string& file) {
  const std::uint64_t before = most_resident_bytes();
  OpenedBlob opened = *parse_blob(blob);
  AnyFilter united = opened.to_filter();
  bool fine = united.add("key") && united.unite(AnyFilter(united).ref()) && united.intersect(united.ref());
  fine = fine && write_blob_file(united.ref(), file).has_value() && united.unite(read_blob_file(file)->ref());
  if (most_resident_bytes() > before + kAllowance + kEmulatorTables) std::_Exit(kOutOfMemory);
  std::_Exit(fine && united.may_contain("key") ? kAccepted : kRefused);
}

TEST(BombDeathTest, MemoryIsNotTakenForTheZerosOfACopyOrAUnion) {
  if (!has_zero_page()) GTEST_SKIP() << "this system has no page of zeros for memory that is only read";
  const Bytes blocked = empty_filter(kDefaultMaxBytes);
  const std::string file = temp_file("sparse");
  EXPECT_EXIT(use_and_count_resident_memory(blocked, file), ::testing::ExitedWithCode(kAccepted), "");
}

TEST(Bomb, OfMoreThanAGibibyteIsRefusedUnlessTheCallerAsksForIt) {
  const auto refused = parse_blob(empty_filter(kDefaultMaxBytes + 64));
  EXPECT_EQ(refused.error().code, ErrorCode::kTooLarge);
  EXPECT_EQ(refused.error().message, "raw payload bytes must be at most the limit of 1073741824, got 1073741888");
  EXPECT_TRUE(parse_blob(empty_filter(kDefaultMaxBytes + 64), {.max_bytes = kDefaultMaxBytes + 64}));
}

TEST(BombDeathTest, AFilterOfExactlyTheLimitIsReadInLittleMemory) {
  FilterSpec spec{.capacity = kHostileLimit, .bits_per_key = 8};
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
