// Filter files that are mapped: the same answers as in memory, and an error in place of every wrong one.
#include "crivo/mapped_filter.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "crivo/blob_sums.h"
#include "crivo/blob_writer.h"
#include "filters.h"
#include "temp_folder.h"

namespace crivo::testing {
namespace {

using ::testing::HasSubstr;

constexpr std::uint64_t kKeys = 30'000;

std::string temp_path(const std::string& name) {
  static const TempFolder folder;
  return folder.file(name);
}

/// Writes a new file; one of the same name that is mapped stays as it is.
std::string write_file(const std::string& name, std::span<const std::byte> bytes) {
  const std::string path = temp_path(name);
  std::filesystem::remove(path);
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  file.close();
  EXPECT_TRUE(file) << path;
  return path;
}

/// Writes into a file as it lies there.
void overwrite(const std::string& path, std::uint64_t offset, std::span<const std::byte> bytes) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  ASSERT_EQ(::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset)), static_cast<ssize_t>(bytes.size()));
  ::close(fd);
}

/// For a file that nobody changes. It is opened at once, even if it was written a moment ago.
const MapOptions kStill = {.limits = {}, .file_may_change = false};

MappedFilter open_file(const std::string& path, const MapOptions& options = {}) {
  auto opened = MappedFilter::open(path, options);
  if (!opened) throw std::runtime_error(opened.error().message);
  return *std::move(opened);
}

std::string error_of(const std::string& path) {
  const auto opened = MappedFilter::open(path, kStill);
  return opened ? "" : opened.error().message;
}

AnyFilter filter_of(Kind kind) {
  FilterSpec spec{.kind = kind, .capacity = kKeys, .seed = 7};
  if (kind == Kind::kScalable) spec.capacity = 1000;  // so that it has layers
  return build_filter(spec, kKeys);
}

std::vector<std::uint64_t> some_hashes(std::uint64_t each = 1000) {
  std::vector<std::uint64_t> hashes = present_hashes(each, 7);
  const std::vector<std::uint64_t> absent = absent_hashes(each, 7);
  hashes.insert(hashes.end(), absent.begin(), absent.end());
  return hashes;
}

void expect_same_answers(const MappedFilter& mapped, const FilterRef& filter) {
  const auto hashes = some_hashes();
  const auto hits = std::make_unique<bool[]>(hashes.size());
  ASSERT_TRUE(mapped.may_contain_hashes(hashes, {hits.get(), hashes.size()}));
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    EXPECT_EQ(hits[i], filter.may_contain_hash(hashes[i]));
    EXPECT_EQ(*mapped.may_contain_hash(hashes[i]), hits[i]);
  }
  EXPECT_TRUE(*mapped.may_contain(present_key(1)));
  const auto count = filter.count_hash(hashes[3]);
  const auto mapped_count = mapped.count_hash(hashes[3]);
  ASSERT_EQ(mapped_count.has_value(), count.has_value());
  if (count) {
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
    ASSERT_TRUE(whole);
    EXPECT_TRUE(std::ranges::equal(whole->payload(), filter.payload()));
    Stats stats;
    ASSERT_TRUE(mapped.look_at_whole([&](const FilterRef& ref) { stats = ref.stats(); }));
    EXPECT_EQ(stats.bits_set, filter.ref().stats().bits_set);
    const auto adopted = MappedFilter::adopt(AlignedBytes(blob.begin(), blob.end()));
    ASSERT_TRUE(adopted);
    expect_same_answers(*adopted, filter.ref());
  }
}

// The keys that read a damaged chunk get an error, never an answer; all others are answered as ever.
TEST_P(MappedKinds, ADamagedChunkIsAnErrorForTheKeysThatReadIt) {
  const AnyFilter filter = filter_of(GetParam().kind);
  const Bytes sound = blob_of(filter.ref(), BlobForm::kMappable);
  const auto hashes = some_hashes(200);
  const auto hits = std::make_unique<bool[]>(hashes.size());
  std::mt19937_64 random(3);
  std::size_t answers = 0;
  std::size_t errors = 0;
  const std::size_t chunks = (filter.payload().size() + 4095) / 4096;
  for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
    Bytes blob = sound;
    const std::size_t bytes = std::min<std::size_t>(4096, filter.payload().size() - 4096 * chunk);
    const std::size_t at = kBlobHeaderBytes + 4096 * chunk + random() % bytes;
    blob[at] ^= static_cast<std::byte>(1U << random() % 8);
    const std::string message = "chunk " + std::to_string(chunk) + " (bytes " + std::to_string(4096 * chunk) + " to ";
    const auto mapped = MappedFilter::open(write_file("damaged", blob), kStill);
    if (!mapped) {  // it is one of the few chunks that are read to open the filter
      EXPECT_THAT(mapped.error().message, HasSubstr(message));
      continue;
    }
    for (const std::uint64_t hash : hashes) {
      const Result<bool> answer = mapped->may_contain_hash(hash);
      if (answer) {
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

TEST_P(MappedKinds, EveryFlippedBitIsFoundByOpeningOrVerifying) {
  const AnyFilter filter = build_filter({.kind = GetParam().kind, .capacity = 50, .fp_rate = 0.1, .seed = 7}, 50);
  const auto hashes = present_hashes(50, 7);
  const Bytes sound = blob_of(filter.ref(), BlobForm::kMappable);
  const std::size_t bits = 8 * sound.size();
  const std::size_t sums = bits - 8 * 16;  // from here on, each bit is flipped, as in the header
  for (std::size_t bit = 0; bit < bits; bit += bit < 8 * kBlobHeaderBytes || bit >= sums ? 1 : 13) {
    Bytes blob = sound;
    blob[bit / 8] ^= static_cast<std::byte>(1U << bit % 8);
    const auto mapped = MappedFilter::open(write_file("flipped", blob), kStill);
    if (!mapped) continue;
    for (const std::uint64_t hash : hashes) {
      const Result<bool> answer = mapped->may_contain_hash(hash);
      ASSERT_TRUE(!answer || *answer) << "bit " << bit;
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

// A forged file has all its checksums right. It is read like a forged blob: refused for what it says, or a filter.
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
    ASSERT_EQ(mapped.has_value(), parsed.has_value()) << (mapped ? parsed.error() : mapped.error()).message;
    if (!mapped) continue;
    ++accepted;
    for (const std::uint64_t hash : hashes) {
      ASSERT_EQ(*mapped->may_contain_hash(hash), parsed->ref().may_contain_hash(hash));
    }
  }
  EXPECT_GT(accepted, 0);
}

// Whatever is written into the file, and be it what tells a question where to read: an error, and no read outside.
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
        ASSERT_FALSE(answer);
        ASSERT_THAT(answer.error().message, HasSubstr("file must not be changed while it is in use, got " + path));
        (void)trusting.may_contain_hash(hash);  // may be wrong, but must not crash
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
    const std::string path = write_file("racing", blob);  // so its time of modification is now
    const MappedFilter mapped = open_file(path);
    ASSERT_TRUE(mapped.may_contain_hash(hash));
    overwrite(path, kBlobHeaderBytes, Bytes(blob.size() - kBlobHeaderBytes));
    EXPECT_FALSE(mapped.may_contain_hash(hash)) << "in round " << round;
  }
}

// Linux counts the time of modification in ticks of some milliseconds (and only newer ones count finer, where somebody
// looks). A second change within the tick of the first would not be seen, so no file is opened in that tick.
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

TEST(MappedFile, ThatIsReplacedOrRemovedAnswersAsBefore) {
  const AnyFilter filter = filter_of(Kind::kRibbon);
  const std::string path = write_file("replaced", blob_of(filter.ref(), BlobForm::kMappable));
  const MappedFilter mapped = open_file(path);
  const std::string other = write_file("other", blob_of(filter_of(Kind::kBlocked).ref()));
  std::filesystem::rename(other, path);
  expect_same_answers(mapped, filter.ref());
  std::filesystem::remove(path);
  expect_same_answers(mapped, filter.ref());
  EXPECT_TRUE(mapped.verify());
}

TEST(MappedFile, MayMoveAndChangeItsMode) {
  const AnyFilter filter = filter_of(Kind::kBlocked);
  const std::string path = write_file("here", blob_of(filter.ref(), BlobForm::kMappable));
  const MappedFilter mapped = open_file(path);
  std::filesystem::rename(path, temp_path("there"));
  std::filesystem::permissions(temp_path("there"), std::filesystem::perms::none);
  expect_same_answers(mapped, filter.ref());
}

TEST(MappedFile, ThatCannotBeReadIsAnErrorThatSaysWhy) {
  EXPECT_EQ(error_of(temp_path("missing")),
            "file must be readable, got " + temp_path("missing") + ": No such file or directory");
  std::filesystem::create_directory(temp_path("folder"));
  EXPECT_EQ(error_of(temp_path("folder")), "file must be a regular one, got " + temp_path("folder") + ": a folder");
  ASSERT_EQ(::mkfifo(temp_path("pipe").c_str(), 0600), 0);
  EXPECT_EQ(error_of(temp_path("pipe")), "file must be a regular one, got " + temp_path("pipe") + ": a pipe");
  EXPECT_EQ(error_of("/dev/zero"), "file must be a regular one, got /dev/zero: a device");
  EXPECT_EQ(error_of(""), "file must be readable, got : No such file or directory");
  EXPECT_THAT(error_of(write_file("empty", {})), HasSubstr("blob size must be at least 64 bytes, got 0"));
  EXPECT_THAT(error_of(write_file("text", Bytes(100, std::byte{'x'}))), HasSubstr("magic must be"));
}

TEST(MappedFile, OfACompressedFilterMustKeepTheLimitAndOneThatIsMappedNeedNot) {
  FilterSpec spec{.kind = Kind::kBlocked, .capacity = 1'000'000};
  const AnyFilter filter = build_filter(spec, 10);
  const MapOptions options{.limits = {.max_raw_bytes = 100'000}};
  const auto compressed = MappedFilter::open(write_file("small", blob_of(filter.ref(), BlobForm::kSmallest)), options);
  ASSERT_FALSE(compressed);
  EXPECT_EQ(compressed.error().code, ErrorCode::kTooLarge);
  for (const BlobForm form : {BlobForm::kRaw, BlobForm::kMappable}) {
    EXPECT_TRUE(MappedFilter::open(write_file("large", blob_of(filter.ref(), form)), options));
  }
}

/// The time that some work takes when nothing disturbs it, in seconds.
template <class Work>
double fastest(const Work& work) {
  double best = 1e9;
  for (int round = 0; round < 5; ++round) {
    const auto start = std::chrono::steady_clock::now();
    work();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return best;
}

// It takes a hundred times as long to read all of these 16 MB.
TEST(MappedFile, OpensAndAnswersWithoutReadingAllOfIt) {
  for (const Kind kind : {Kind::kBlocked, Kind::kClassic, Kind::kSpectral, Kind::kCuckoo}) {
    const auto filter = AnyFilter::create({.kind = kind, .capacity = 8'000'000, .bits_per_key = 16});
    const std::string path = write_file("wide", blob_of(filter->ref(), BlobForm::kMappable));
    const auto hashes = absent_hashes(5, 0);
    const double few = fastest([&] {
      const MappedFilter mapped = open_file(path, kStill);
      for (const std::uint64_t hash : hashes) EXPECT_FALSE(*mapped.may_contain_hash(hash));
    });
    const double all = fastest([&] { EXPECT_TRUE(open_file(path, kStill).verify()); });
    EXPECT_LT(few * 8, all) << kind_name(kind);
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
      if (!answer || !*answer) ++wrong;
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

// The rest is about SIGBUS, in processes of their own: a handler is there for ever.

void die_of_a_truncated_file() {
  const std::string path = write_file("bus", blob_of(filter_of(Kind::kBlocked).ref(), BlobForm::kMappable));
  const MappedFilter mapped = open_file(path);
  std::filesystem::resize_file(path, 100);
  (void)mapped.verify();
}

TEST(MappedFileDeathTest, WithoutAGuardATruncatedFileEndsTheProcess) {
  EXPECT_EXIT(die_of_a_truncated_file(), ::testing::KilledBySignal(SIGBUS), "");
}

/// Exits with 0 if every question to a truncated file is an error, before and behind its end.
[[noreturn]] void survive_a_truncated_file(BlobForm form) {
  if (!guard_mapped_files() || !guard_mapped_files()) std::_Exit(2);
  for (const KindInfo& kind : kinds()) {
    const std::string path = write_file("guarded", blob_of(filter_of(kind.kind).ref(), form));
    const MappedFilter mapped = open_file(path);
    const MappedFilter trusting = open_file(path, kStill);
    std::filesystem::resize_file(path, 5000);
    const auto hashes = some_hashes();
    const auto hits = std::make_unique<bool[]>(hashes.size());
    for (const std::uint64_t hash : hashes) {
      if (mapped.may_contain_hash(hash)) std::_Exit(3);
    }
    if (mapped.may_contain_hashes(hashes, {hits.get(), hashes.size()}) || mapped.verify()) std::_Exit(4);
    // Without a look at the file, the first read behind its end is what tells.
    const Result<void> asked = trusting.may_contain_hashes(hashes, {hits.get(), hashes.size()});
    if (asked || asked.error().message.find("truncated") == std::string::npos) std::_Exit(5);
    for (const std::uint64_t hash : hashes) {
      if (trusting.may_contain_hash(hash)) std::_Exit(6);
    }
  }
  std::_Exit(0);
}

TEST(MappedFileDeathTest, WithAGuardATruncatedFileIsAnError) {
  EXPECT_EXIT(survive_a_truncated_file(BlobForm::kMappable), ::testing::ExitedWithCode(0), "");
  EXPECT_EXIT(survive_a_truncated_file(BlobForm::kRaw), ::testing::ExitedWithCode(0), "");
}

/// A SIGBUS that is none of ours: the page behind the end of a file that is mapped by hand.
void read_behind_the_end_of_another_file() {
  const std::string path = write_file("foreign", Bytes(10));
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const void* mapped = ::mmap(nullptr, 2 * page, PROT_READ, MAP_SHARED, fd, 0);
  (void)static_cast<const volatile char*>(mapped)[page];
}

TEST(MappedFileDeathTest, TheGuardHandsOnWhatIsNotItsOwn) {
  const auto with_no_handler = [] {
    (void)guard_mapped_files();
    read_behind_the_end_of_another_file();
  };
  EXPECT_EXIT(with_no_handler(), ::testing::KilledBySignal(SIGBUS), "");
  const auto with_a_handler = [] {
    ::signal(SIGBUS, [](int) { ::_exit(42); });
    (void)guard_mapped_files();
    read_behind_the_end_of_another_file();
  };
  EXPECT_EXIT(with_a_handler(), ::testing::ExitedWithCode(42), "");
  const auto sent = [] {
    (void)guard_mapped_files();
    ::raise(SIGBUS);
  };
  EXPECT_EXIT(sent(), ::testing::KilledBySignal(SIGBUS), "");
}

// A FilterRef from whole() promises nothing about a file that shrinks; a wrong answer it must not give.
TEST(MappedFileDeathTest, ReadsOutsideACallAreNotGuarded) {
  const auto ask_the_whole = [] {
    (void)guard_mapped_files();
    const std::string path = write_file("outside", blob_of(filter_of(Kind::kBlocked).ref(), BlobForm::kMappable));
    const MappedFilter mapped = open_file(path);
    const auto whole = mapped.whole();
    std::filesystem::resize_file(path, 0);
    (void)whole->may_contain(present_key(1));
  };
  EXPECT_EXIT(ask_the_whole(), ::testing::KilledBySignal(SIGBUS), "");
}

// Writers.

TEST(BlobWriter, HandsOverTheBytesOfToBlob) {
  for (const KindInfo& kind : kinds()) {
    for (const std::uint64_t n : {0U, 10U, 3000U}) {
      const AnyFilter filter = build_filter(kind.kind, n);
      for (const BlobForm form :
           {BlobForm::kAuto, BlobForm::kRaw, BlobForm::kSmallest, BlobForm::kMappable, BlobForm::kFile}) {
        Bytes written;
        const auto sink = [&](std::span<const std::byte> bytes) {
          written.insert(written.end(), bytes.begin(), bytes.end());
          return true;
        };
        const auto size = write_blob(filter.ref(), form, sink);
        ASSERT_TRUE(size);
        EXPECT_EQ(*size, written.size());
        EXPECT_TRUE(written == blob_of(filter.ref(), form)) << kind.name << ", " << n << " keys";
      }
    }
  }
}

TEST(BlobWriter, StopsWhenItsSinkDoes) {
  const AnyFilter filter = build_filter(Kind::kBlocked, 100);
  for (const BlobForm form : {BlobForm::kRaw, BlobForm::kSmallest, BlobForm::kMappable}) {
    int calls = 0;
    const auto stopped = write_blob(filter.ref(), form, [&](std::span<const std::byte>) { return ++calls > 100; });
    ASSERT_FALSE(stopped);
    EXPECT_EQ(stopped.error().code, ErrorCode::kCancelled);
    EXPECT_EQ(calls, 1);
  }
}

TEST(BlobSums, GiveTheSameFrameForPiecesOfAnySize) {
  const AnyFilter filter = build_filter(Kind::kBlocked, 20'000);
  for (const Codec codec : {Codec::kRaw, Codec::kRawSums}) {
    const Bytes blob = blob_of(filter.ref(), codec == Codec::kRaw ? BlobForm::kRaw : BlobForm::kMappable);
    for (const std::size_t piece : {1U, 64U, 4095U, 4096U, 4097U, 10'000U, 1'000'000U}) {
      BlobSums sums(codec);
      for (auto left = filter.payload(); !left.empty();) {
        const auto next = left.first(std::min(piece, left.size()));
        sums.add(next);
        left = left.subspan(next.size());
      }
      const BlobFrame frame = sums.finish(filter.shape(), filter.facts());
      EXPECT_TRUE(std::ranges::equal(frame.header, std::span(blob).first(kBlobHeaderBytes)));
      EXPECT_TRUE(std::ranges::equal(frame.tail, std::span(blob).last(frame.tail.size())));
      EXPECT_EQ(blob_frame_bytes(codec, filter.payload().size()), kBlobHeaderBytes + frame.tail.size());
      EXPECT_EQ(kBlobHeaderBytes + filter.payload().size() + frame.tail.size(), blob.size());
    }
  }
}

TEST(BlobForms, AFileIsMappableIfItIsLargeAndWouldBeRaw) {
  const auto codec_of = [](std::uint64_t capacity, std::uint64_t n) {
    return parse_blob(blob_of(build_filter({.kind = Kind::kBlocked, .capacity = capacity}, n).ref(), BlobForm::kFile))
        ->codec();
  };
  EXPECT_EQ(codec_of(100'000, 100'000), Codec::kRawSums);
  EXPECT_EQ(codec_of(40'000, 40'000), Codec::kRaw);
  EXPECT_EQ(codec_of(100'000, 100), Codec::kGapZstd);
}

}  // namespace
}  // namespace crivo::testing
