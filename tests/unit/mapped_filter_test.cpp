// Mapped filter files must give the same answers as filters in memory, or an error, never a wrong answer.

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>

#include <atomic>
#include <ctime>
#include <functional>
#include <memory>
#include <random>
#include <thread>

#include "crivo/blob_file.h"
#include "crivo/map.h"
#include "format/mapped_file.h"
#include "kinds/registry.h"
#include "mapped_files.h"
#include "matchers.h"

namespace crivo::testing {
namespace {

std::function<void()> before_pread;

}  // namespace
}  // namespace crivo::testing

/// Replaces libc's pread, so that a test can change a file between two reads. Some headers define pread inline.
extern "C" ssize_t read_of_tests(int file, void* into, std::size_t bytes, off_t at) __asm__("pread");
ssize_t read_of_tests(int file, void* into, std::size_t bytes, off_t at) {
  if (crivo::testing::before_pread) crivo::testing::before_pread();
  const iovec part{into, bytes};
  return ::preadv(file, &part, 1, at);
}

namespace crivo::testing {
namespace {

std::string error_of(const std::string& path) {
  const auto opened = MappedFilter::open(path, kStill);
  return opened ? "" : opened.error().message;
}

void expect_same_answers(const MappedFilter& mapped, const FilterRef& filter) {
  const auto hashes = some_hashes();
  const auto hits = std::make_unique<bool[]>(hashes.size());
  ASSERT_TRUE(mapped.may_contain_hashes(hashes, {hits.get(), hashes.size()}));
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    EXPECT_EQ(hits[i], filter.may_contain_hash(hashes[i]));
    EXPECT_EQ(*mapped.may_contain_hash(hashes[i]), hits[i]);
  }
  EXPECT_EQ(*mapped.may_contain(present_key(1)), filter.may_contain(present_key(1)));
  for (const std::uint64_t hash : hashes) {
    const auto in_range = mapped.may_contain_range(hash, hash + std::min(~hash, std::uint64_t{1000}));
    EXPECT_EQ(*in_range, filter.may_contain_range(hash, hash + std::min(~hash, std::uint64_t{1000})));
  }
  const auto map = MapRef::of(filter);
  ASSERT_EQ(mapped.find_hash(hashes[3]).has_value(), map.has_value());
  for (std::size_t i = 0; map && i < hashes.size(); ++i) {
    EXPECT_EQ(*mapped.find_hash(hashes[i]), map->find_hash(hashes[i]));
  }
  const auto count = filter.count_hash(hashes[3]);
  const auto mapped_count = mapped.count_hash(hashes[3]);
  ASSERT_EQ(mapped_count.has_value(), count.has_value());
  if (count.has_value()) {
    EXPECT_EQ(*mapped_count, *count);
  } else {
    EXPECT_EQ(mapped_count.error().code, ErrorCode::kUnsupported);
  }
}

class MappedKinds : public ::testing::TestWithParam<KindInfo> {};
INSTANTIATE_TEST_SUITE_P(Kinds, MappedKinds, ::testing::ValuesIn(kinds().begin(), kinds().end()),
                         [](const auto& kind) { return std::string(kind.param.name); });

TEST_P(MappedKinds, AnswerAsInMemoryFromAFileOfAnyForm) {
  const AnyFilter filter = filter_of(GetParam().kind);
  for (const BlobForm form : {BlobForm::kRaw, BlobForm::kMappable, BlobForm::kSmallest}) {
    const Bytes blob = blob_of(filter.ref(), form);
    const MappedFilter mapped = open_file(write_file("any", blob));
    EXPECT_EQ(mapped.shape(), filter.shape());
    EXPECT_EQ(mapped.facts().keys, filter.facts().keys);
    EXPECT_EQ(mapped.kind().name, GetParam().name);
    EXPECT_EQ(mapped.codec(), parse_blob(blob)->codec());
    EXPECT_EQ(mapped.blob_bytes(), blob.size());
    EXPECT_EQ(mapped.payload_bytes(), filter.payload().size());
    EXPECT_EQ(mapped.is_mapped(), mapped.codec() == Codec::kRaw || mapped.codec() == Codec::kRawSums);
    expect_same_answers(mapped, filter.ref());
    ASSERT_TRUE(mapped.verify());
    expect_same_answers(mapped, filter.ref());
    const auto whole = mapped.whole();
    EXPECT_TRUE(std::ranges::equal(whole->payload(), filter.payload()));
    Stats stats;
    ASSERT_TRUE(mapped.look_at_whole([&](const FilterRef& ref) { stats = ref.stats(); }));
    EXPECT_EQ(stats.bits_set, filter.ref().stats().bits_set);
    const auto adopted = MappedFilter::adopt(AlignedBytes(blob.begin(), blob.end()));
    expect_same_answers(*adopted, filter.ref());
  }
}

// A key whose lookup reads a damaged segment gets an error, never an answer. All other keys get their answers.
TEST_P(MappedKinds, ADamagedSegmentIsAnErrorForTheKeysThatReadIt) {
  const AnyFilter filter = filter_of(GetParam().kind);
  const Bytes sound = blob_of(filter.ref(), BlobForm::kMappable);
  const auto hashes = some_hashes(200);
  const auto hits = std::make_unique<bool[]>(hashes.size());
  std::mt19937_64 random(3);
  std::size_t answers = 0;
  std::size_t errors = 0;
  const std::size_t segments = (filter.payload().size() + 4095) / 4096;
  for (std::size_t segment = 0; segment < segments; ++segment) {
    Bytes blob = sound;
    const std::size_t bytes = std::min<std::size_t>(4096, filter.payload().size() - 4096 * segment);
    const std::size_t at = kBlobHeaderBytes + 4096 * segment + random() % bytes;
    blob[at] ^= static_cast<std::byte>(1U << random() % 8);
    const std::string message =
        "segment " + std::to_string(segment) + " (bytes " + std::to_string(4096 * segment) + " to ";
    const auto mapped = MappedFilter::open(write_file("damaged", blob), kStill);
    if (!mapped) {  // opening the filter reads the damaged segment
      EXPECT_THAT(mapped.error().message, HasSubstr(message));
      continue;
    }
    for (const std::uint64_t hash : hashes) {
      const Result<bool> answer = mapped->may_contain_hash(hash);
      if (answer.has_value()) {
        ASSERT_EQ(*answer, filter.ref().may_contain_hash(hash));
        ++answers;
      } else {
        ASSERT_EQ(answer.error().code, ErrorCode::kCorrupt);
        ASSERT_THAT(answer.error().message, HasSubstr(message));
        ++errors;
      }
    }
    EXPECT_FALSE(mapped->may_contain_hashes(hashes, {hits.get(), hashes.size()}));
    EXPECT_THAT(mapped->verify().error().message, HasSubstr(message));
    EXPECT_FALSE(mapped->whole());
  }
  EXPECT_GT(answers, 0U);
  EXPECT_GT(errors, 0U);
}

// The first words determine where all other words are read.
TEST_P(MappedKinds, AFlippedBitAtTheStartMakesNoAnswerWrong) {
  const AnyFilter filter = filter_of(GetParam().kind);
  const Bytes sound = blob_of(filter.ref(), BlobForm::kMappable);
  const auto hashes = some_hashes(200);
  for (std::size_t bit = 0; bit < 8 * 16; ++bit) {
    Bytes blob = sound;
    blob[kBlobHeaderBytes + bit / 8] ^= static_cast<std::byte>(1U << bit % 8);
    const auto mapped = MappedFilter::open(write_file("start", blob), kStill);
    if (!mapped) continue;
    for (const std::uint64_t hash : hashes) {
      const Result<bool> answer = mapped->may_contain_hash(hash);
      ASSERT_TRUE(!answer.has_value() || *answer == filter.ref().may_contain_hash(hash)) << "bit " << bit;
    }
  }
}

TEST_P(MappedKinds, EveryFlippedBitIsFoundByOpeningOrVerifying) {
  const AnyFilter filter = build_filter({.kind = GetParam().kind, .capacity = 50, .fp_rate = 0.1, .seed = 7}, 50);
  const auto hashes = present_hashes(50, 7);
  const Bytes sound = blob_of(filter.ref(), BlobForm::kMappable);
  const std::size_t bits = 8 * sound.size();
  const std::size_t sums = bits - 8 * 16;  // from this bit to the end, and in the header, the test flips each bit
  for (std::size_t bit = 0; bit < bits; bit += bit < 8 * kBlobHeaderBytes || bit >= sums ? 1 : 13) {
    Bytes blob = sound;
    blob[bit / 8] ^= static_cast<std::byte>(1U << bit % 8);
    const auto mapped = MappedFilter::open(write_file("flipped", blob), kStill);
    if (!mapped) continue;
    for (const std::uint64_t hash : hashes) {
      const Result<bool> answer = mapped->may_contain_hash(hash);
      ASSERT_TRUE(!answer.has_value() || *answer) << "bit " << bit;
    }
    ASSERT_FALSE(mapped->verify()) << "bit " << bit;
  }
}

TEST_P(MappedKinds, RefuseEveryTruncationAndAppendedBytes) {
  for (const BlobForm form : {BlobForm::kRaw, BlobForm::kMappable}) {
    const Bytes sound = blob_of(build_filter(GetParam().kind, 20).ref(), form);
    for (std::size_t size = 0; size < sound.size(); ++size) {
      ASSERT_NE(error_of(write_file("cut", std::span(sound).first(size))), "") << size;
    }
    for (const std::size_t more : {1U, 8U, 4096U}) {
      Bytes longer = sound;
      longer.resize(sound.size() + more);
      EXPECT_NE(error_of(write_file("longer", longer)), "") << more;
    }
  }
}

// A forged file has correct checksums. Opening it gives the same result as opening it as a blob: an error or a filter.
TEST_P(MappedKinds, ReadForgedFilesAsForgedBlobs) {
  const Bytes sound = blob_of(build_filter(GetParam().kind, 100).ref(), BlobForm::kMappable);
  const auto hashes = present_hashes(100, 0);
  std::mt19937_64 random(5);
  int accepted = 0;
  for (int round = 0; round < 400; ++round) {
    Bytes blob = sound;
    const std::size_t reach = round % 2 == 0 ? kBlobHeaderBytes + 64 : blob.size();
    for (int flip = 0; flip <= round % 3; ++flip) blob[random() % reach] ^= static_cast<std::byte>(1U << random() % 8);
    repair_blob(blob);
    const auto parsed = parse_blob(blob);
    const auto mapped = MappedFilter::open(write_file("forged", blob), kStill);
    if (mapped && !parsed) {  // only the check of the whole file finds the contradiction
      ASSERT_NE(find_kind(GetParam().kind)->check_whole, nullptr) << parsed.error().message;
      ASSERT_FALSE(mapped->verify());
      for (const std::uint64_t hash : hashes) (void)mapped->may_contain_hash(hash);
      continue;
    }
    ASSERT_EQ(mapped.has_value(), parsed.has_value()) << (mapped ? parsed.error() : mapped.error()).message;
    if (!mapped) continue;
    ++accepted;
    for (const std::uint64_t hash : hashes) {
      ASSERT_EQ(*mapped->may_contain_hash(hash), parsed->ref().may_contain_hash(hash));
    }
  }
  EXPECT_GT(accepted, 0);
}

// Overwrites parts of a mapped file, including those that locate other parts. Expects errors, and no read outside the
// file.
TEST_P(MappedKinds, AFileThatIsOverwrittenWhileItIsMappedIsAnError) {
  for (const BlobForm form : {BlobForm::kRaw, BlobForm::kMappable}) {
    const Bytes blob = blob_of(filter_of(GetParam().kind).ref(), form);
    const std::string path = write_file("overwritten", blob);
    const MappedFilter mapped = open_file(path);
    const MappedFilter trusting = open_file(path, kStill);
    const auto hashes = some_hashes();
    const auto hits = std::make_unique<bool[]>(hashes.size());
    ASSERT_TRUE(mapped.may_contain_hashes(hashes, {hits.get(), hashes.size()}));
    for (const std::byte value : {std::byte{0xFF}, std::byte{0}, std::byte{0x7F}}) {
      overwrite(path, 0, Bytes(blob.size(), value));
      for (const std::uint64_t hash : hashes) {
        const Result<bool> answer = mapped.may_contain_hash(hash);
        ASSERT_THAT(answer.error().message, HasSubstr("file must not be changed while it is in use, got " + path));
        (void)trusting.may_contain_hash(hash);  // the answer may be wrong, but there must be no crash
      }
      ASSERT_FALSE(mapped.may_contain_hashes(hashes, {hits.get(), hashes.size()}));
      (void)trusting.may_contain_hashes(hashes, {hits.get(), hashes.size()});
      EXPECT_FALSE(mapped.verify());
      EXPECT_FALSE(mapped.look_at_whole([](const FilterRef&) {}));
    }
  }
}

TEST(MappedFile, ThatIsChangedRightAfterItWasOpenedIsAnError) {
  const Bytes blob = blob_of(filter_of(Kind::kBlocked).ref(), BlobForm::kMappable);
  const auto hash = present_hashes(1, 7).front();
  for (int round = 0; round < 30; ++round) {
    const std::string path = write_file("racing", blob);  // the file's modification time is now
    const MappedFilter mapped = open_file(path);
    ASSERT_TRUE(mapped.may_contain_hash(hash).has_value());
    overwrite(path, kBlobHeaderBytes, Bytes(blob.size() - kBlobHeaderBytes));
    EXPECT_FALSE(mapped.may_contain_hash(hash).has_value()) << "in round " << round;
  }
}

// Linux updates modification times in ticks of some milliseconds; newer versions are finer for a file whose time was
// queried. A second change within a tick would not be detected, so a file is not opened in the tick of its last change.
TEST(MappedFile, IsNotOpenedInTheTickOfItsLastChange) {
  const std::string path = write_file("tick", blob_of(filter_of(Kind::kBlocked).ref(), BlobForm::kMappable));
  for (int round = 0; round < 20; ++round) {
    timespec now{};
    ASSERT_EQ(::clock_gettime(CLOCK_REALTIME_COARSE, &now), 0);
    const timespec times[2] = {now, now};
    ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
    const MappedFilter mapped = open_file(path);
    timespec then{};
    ASSERT_EQ(::clock_gettime(CLOCK_REALTIME_COARSE, &then), 0);
    EXPECT_TRUE(then.tv_sec != now.tv_sec || then.tv_nsec != now.tv_nsec) << "in round " << round;
  }
}

TEST(MappedFile, IsNotOpenedInTheSecondOfItsLastChangeIfTimesAreWholeSeconds) {
  const std::string path = write_file("second", blob_of(filter_of(Kind::kBlocked).ref(), BlobForm::kMappable));
  const timespec now{.tv_sec = std::time(nullptr), .tv_nsec = 0};
  const timespec times[2] = {now, now};
  ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
  const MappedFilter mapped = open_file(path);
  EXPECT_GT(std::time(nullptr), now.tv_sec);
}

// A change through another program's mapping does not update the modification time.
TEST(MappedFile, WhoseCodecChangesWhileItIsOpenedIsAnError) {
  Bytes blob = blob_of(filter_of(Kind::kBlocked).ref(), BlobForm::kRaw);
  const auto codec = std::span(blob).subspan(6, 1);
  const Bytes raw(codec.begin(), codec.end());
  codec[0] = std::byte{1};
  const std::string path = write_file("codec", blob);
  int reads = 0;
  before_pread = [&] {
    if (++reads == 2) overwrite(path, 6, raw);
  };
  const auto mapped = MappedFilter::open(path, kStill);
  before_pread = nullptr;
  EXPECT_EQ(reads, 2);
  ASSERT_FALSE(mapped);
  EXPECT_EQ(mapped.error().code, ErrorCode::kCorrupt);
}

TEST(MappedFile, ThatIsMovedReplacedOrRemovedAnswersAsBefore) {
  const AnyFilter filter = filter_of(Kind::kRibbon);
  const std::string here = write_file("here", blob_of(filter.ref(), BlobForm::kMappable));
  const std::string there = temp_file("there");
  const MappedFilter mapped = open_file(here);
  std::filesystem::rename(here, there);
  std::filesystem::permissions(there, std::filesystem::perms::none);
  expect_same_answers(mapped, filter.ref());
  std::filesystem::rename(write_file("other", blob_of(filter_of(Kind::kBlocked).ref())), there);
  expect_same_answers(mapped, filter.ref());
  std::filesystem::remove(there);
  expect_same_answers(mapped, filter.ref());
  EXPECT_TRUE(mapped.verify());
}

#if !defined(__SANITIZE_THREAD__)  // ThreadSanitizer makes all reserved memory resident
long most_memory_kilobytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

TEST(MappedFile, TakesNoMemoryForSegmentsThatNobodyAskedFor) {
  const long before = most_memory_kilobytes();
  constexpr std::uint64_t kSegments = std::uint64_t{1} << 33;  // a file of 32 TiB; one bit per segment would need 1 GiB
  VerifiedSegments segments(kSegments);
  segments.add(kSegments - 1);
  EXPECT_TRUE(segments.has(kSegments - 1));
  EXPECT_FALSE(segments.has(0));
  EXPECT_LT(most_memory_kilobytes() - before, 256 << 10);
}
#endif

TEST(MappedFile, KeepsEachPageAsItWasWhenItWasFirstAskedTo) {
  const std::string path = write_file("frozen", Bytes(3 * 4096, std::byte{1}));
  const auto file = MappedFile::open(path, false);
  const auto byte_at = [&](std::size_t at) { return std::to_integer<int>((*file)->bytes()[at]); };
  ASSERT_TRUE((*file)->freeze(4096, 8));
  overwrite(path, 0, Bytes(3 * 4096, std::byte{2}));
  EXPECT_EQ(byte_at(5000), 1);
  EXPECT_EQ(byte_at(10'000), 2);
  ASSERT_TRUE((*file)->freeze(8188, 8));  // from the last bytes of the first page into the second
  overwrite(path, 0, Bytes(3 * 4096, std::byte{3}));
  EXPECT_EQ(byte_at(100), 3);
  EXPECT_EQ(byte_at(5000), 1) << "what was looked at may not change";
  EXPECT_EQ(byte_at(10'000), 2);
}

TEST(BlobFile, IsReadAsItWasWrittenWithinALimit) {
  AnyFilter filter = filter_of(Kind::kBlocked);
  const std::uint64_t bytes = filter.payload().size();
  for (const BlobForm form : {BlobForm::kRaw, BlobForm::kMappable, BlobForm::kSmallest}) {
    ASSERT_TRUE(write_blob_file(filter.ref(), temp_file("written"), form).has_value());
    Result<AnyFilter> read = read_blob_file(temp_file("written"), {.max_bytes = bytes});
    EXPECT_TRUE(std::ranges::equal(read->payload(), filter.payload()));
    EXPECT_TRUE(read->add("another"));
    const auto large = read_blob_file(temp_file("written"), {.max_bytes = bytes - 1});
    ASSERT_FALSE(large);
    EXPECT_EQ(large.error().code, ErrorCode::kTooLarge);
    EXPECT_EQ(large.error().needed_bytes, bytes);
    overwrite(temp_file("written"), 5000, Bytes(1, std::byte{0x77}));
    EXPECT_FALSE(read_blob_file(temp_file("written")));
  }
}

TEST(MappedFile, ThatCannotBeReadIsAnErrorThatSaysWhy) {
  EXPECT_EQ(error_of(temp_file("missing")),
            "file must be readable, got " + temp_file("missing") + ": No such file or directory");
  std::filesystem::create_directory(temp_file("folder"));
  EXPECT_EQ(error_of(temp_file("folder")), "file must be a regular one, got " + temp_file("folder") + ": a folder");
  ASSERT_EQ(::mkfifo(temp_file("pipe").c_str(), 0600), 0);
  EXPECT_EQ(error_of(temp_file("pipe")), "file must be a regular one, got " + temp_file("pipe") + ": a pipe");
  EXPECT_EQ(error_of("/dev/zero"), "file must be a regular one, got /dev/zero: a device");
  EXPECT_EQ(error_of(""), "file must be readable, got : No such file or directory");
  EXPECT_THAT(error_of(write_file("empty", {})), HasSubstr("blob size must be at least 64 bytes, got 0"));
  EXPECT_THAT(error_of(write_file("text", Bytes(100, std::byte{'x'}))), HasSubstr("magic must be"));
}

TEST(MappedFile, OfACompressedFilterMustKeepTheLimitAndOneThatIsMappedNeedNot) {
  FilterSpec spec{.kind = Kind::kBlocked, .capacity = 1'000'000};
  const AnyFilter filter = build_filter(spec, 10);
  const MapOptions options{.limits = {.max_bytes = 100'000}};
  const auto compressed = MappedFilter::open(write_file("small", blob_of(filter.ref(), BlobForm::kSmallest)), options);
  EXPECT_EQ(compressed.error().code, ErrorCode::kTooLarge);
  for (const BlobForm form : {BlobForm::kRaw, BlobForm::kMappable}) {
    EXPECT_TRUE(MappedFilter::open(write_file("large", blob_of(filter.ref(), form)), options));
  }
}

TEST(MappedFile, ManyThreadsMayAskWhileItIsBeingVerified) {
  const AnyFilter filter = filter_of(Kind::kRibbon);
  const MappedFilter mapped = open_file(write_file("threads", blob_of(filter.ref(), BlobForm::kMappable)));
  std::atomic<int> wrong = 0;
  const auto ask = [&](std::size_t first) {
    const auto hashes = present_hashes(2000, 7, 2000 * first);
    const auto hits = std::make_unique<bool[]>(hashes.size());
    for (const std::uint64_t hash : hashes) {
      const Result<bool> answer = mapped.may_contain_hash(hash);
      if (!answer.has_value() || !*answer) ++wrong;
    }
    if (!mapped.verify()) ++wrong;
    if (!mapped.may_contain_hashes(hashes, {hits.get(), hashes.size()})) ++wrong;
    wrong += static_cast<int>(std::count(hits.get(), hits.get() + hashes.size(), false));
  };
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < 4; ++i) threads.emplace_back(ask, i);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace crivo::testing
