// Filters that lie elsewhere: the answers of memory from the few bytes that they read, and an error in place of every
// wrong one.
#include <cstring>
#include <fstream>
#include <random>
#include <thread>

#include "crivo/host/partial_filter.h"
#include "crivo/map.h"
#include "crivo/remote_filter.h"
#include "every_kind.h"
#include "range_files.h"
#include "temp_folder.h"

namespace crivo::testing {
namespace {

constexpr std::uint64_t kSegmentBytes = 4096;
constexpr std::uint64_t kRemoteKeys = 30'000;

class Remote : public ::testing::Test {
 protected:
  void write(std::span<const std::byte> bytes) const {
    std::ofstream file(path_, std::ios::binary);
    file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  }
  void write(const FilterRef& filter, BlobForm form = BlobForm::kMappable) const { write(blob_of(filter, form)); }
  [[nodiscard]] Result<RemoteFilter> open(const RemoteOptions& options = {}) const {
    return RemoteFilter::open(std::make_unique<RangeFiles>(path_, use_), options);
  }
  static std::vector<std::uint64_t> questions(std::uint64_t each, std::uint64_t seed) {
    std::vector<std::uint64_t> hashes = present_hashes(each, seed);
    const auto absent = absent_hashes(each, seed);
    hashes.insert(hashes.end(), absent.begin(), absent.end());
    return hashes;
  }

  TempFolder folder_;
  std::string path_ = folder_.file("f.crivo");
  std::shared_ptr<RangeUse> use_ = std::make_shared<RangeUse>();
};

class RemoteKind : public Remote, public ::testing::WithParamInterface<KindInfo> {
 protected:
  static AnyFilter filter(std::uint64_t keys = kRemoteKeys) {
    FilterSpec spec{.kind = GetParam().kind, .capacity = std::max<std::uint64_t>(keys, 1), .seed = 7};
    spec.value_bits = kValueBits;
    if (spec.kind == Kind::kScalable) spec.capacity = 1000;  // so that it has layers
    return build_filter(spec, keys);
  }
  static void expect_same_answers(RemoteFilter& remote, const FilterRef& filter);
};
CRIVO_FOR_EVERY_KIND(RemoteKind);

void RemoteKind::expect_same_answers(RemoteFilter& remote, const FilterRef& filter) {
  const auto hashes = questions(300, 7);
  const auto hits = std::make_unique<bool[]>(hashes.size());
  const auto map = MapRef::of(filter);
  for (std::size_t i = 0; i < hashes.size(); i += 7) {
    const std::uint64_t hash = hashes[i];
    ASSERT_EQ(*remote.may_contain_hash(hash), filter.may_contain_hash(hash));
    const std::uint64_t high = hash + std::min(~hash, std::uint64_t{1000});
    ASSERT_EQ(*remote.may_contain_range(hash, high), filter.may_contain_range(hash, high));
    ASSERT_EQ(remote.find_hash(hash).has_value(), map.has_value());
    if (map) {
      ASSERT_EQ(*remote.find_hash(hash), map->find_hash(hash));
    }
    const auto count = filter.count_hash(hash);
    ASSERT_EQ(remote.count_hash(hash).has_value(), count.has_value());
    if (count.has_value()) {
      ASSERT_EQ(*remote.count_hash(hash), *count);
    }
  }
  ASSERT_TRUE(remote.may_contain_hashes(hashes, {hits.get(), hashes.size()}));
  for (std::size_t i = 0; i < hashes.size(); ++i) ASSERT_EQ(hits[i], filter.may_contain_hash(hashes[i]));
  EXPECT_FALSE(*remote.may_contain_range(2, 1));
}

TEST_P(RemoteKind, AnswersAsInMemoryFromAFileOfAnyForm) {
  for (const std::uint64_t keys : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{10}, kRemoteKeys}) {
    const AnyFilter expected = filter(keys);
    for (const BlobForm form : {BlobForm::kRaw, BlobForm::kMappable, BlobForm::kSmallest}) {
      write(expected.ref(), form);
      for (const bool verify : {true, false}) {
        auto remote = open({.verify = verify});
        ASSERT_TRUE(remote) << remote.error().message;
        EXPECT_EQ(remote->shape(), expected.shape());
        EXPECT_EQ(remote->facts().keys, expected.facts().keys);
        EXPECT_EQ(remote->kind().name, GetParam().name);
        expect_same_answers(*remote, expected.ref());
      }
    }
  }
}

// What is here may be given up before any question.
TEST_P(RemoteKind, AnswersAsInMemoryWithoutRoomToKeepAnything) {
  const AnyFilter expected = filter();
  write(expected.ref());
  auto remote = open({.max_memory = 1});
  expect_same_answers(*remote, expected.ref());
}

TEST_P(RemoteKind, ADamagedSegmentIsAnErrorForTheKeysThatReadIt) {
  const AnyFilter expected = filter();
  const Bytes sound = blob_of(expected.ref(), BlobForm::kMappable);
  const auto hashes = questions(100, 7);
  std::mt19937_64 random(3);
  std::size_t answers = 0;
  std::size_t errors = 0;
  for (std::size_t begin = kBlobHeaderBytes; begin < sound.size(); begin += kSegmentBytes) {
    Bytes blob = sound;
    const std::size_t at = begin + random() % std::min<std::size_t>(kSegmentBytes, sound.size() - begin);
    blob[at] ^= static_cast<std::byte>(1U << random() % 8);
    write(blob);
    auto remote = open();
    if (!remote) {  // it is one of the few that are read to open the filter
      EXPECT_EQ(remote.error().code, ErrorCode::kCorrupt);
      ++errors;
      continue;
    }
    for (const std::uint64_t hash : hashes) {
      const Result<bool> answer = remote->may_contain_hash(hash);
      if (answer.has_value()) {
        ASSERT_EQ(*answer, expected.ref().may_contain_hash(hash));
        ++answers;
      } else {
        ASSERT_EQ(answer.error().code, ErrorCode::kCorrupt);
        ++errors;
      }
    }
  }
  EXPECT_GT(answers, 0U);
  EXPECT_GT(errors, 0U);
}

TEST_F(Remote, WhatWasDamagedOnItsWayIsFetchedAgain) {
  const AnyFilter filter = build_filter(Kind::kBlocked, 100'000);
  write(filter.ref());
  auto remote = open();
  use_->change = [](RemoteRange& range) { range.found[range.found.size() / 2] ^= std::byte{1}; };
  const std::string key = present_key(5);
  EXPECT_THAT(message_of(remote->may_contain(key)), AllOf(HasSubstr("segment"), HasSubstr("must match its checksum")));
  use_->change = nullptr;
  EXPECT_TRUE(*remote->may_contain(key));
}

// Two questions that miss the same bytes fetch them twice.
TEST_F(Remote, WhatWasVerifiedStaysWhateverComesAgain) {
  const AnyFilter filter = build_filter(Kind::kBlocked, 100'000);
  write(filter.ref());
  RangeFiles reader(path_, use_);
  PartialFilter partial({});
  const std::uint64_t hash = filter.ref().hash(present_key(5));
  MissingRanges came;
  MissingRanges missing;
  bool hit = false;
  while (partial.may_contain_hashes({&hash, 1}, {&hit, 1}, missing) && !missing.empty()) {
    ASSERT_TRUE(reader.read(missing));
    came = missing;
    for (const RemoteRange& range : missing) ASSERT_TRUE(partial.supply(range));
  }
  ASSERT_TRUE(hit);
  for (RemoteRange& range : came) {
    std::ranges::fill(range.found, std::byte{0});
    ASSERT_TRUE(partial.supply(range));
  }
  ASSERT_TRUE(partial.may_contain_hashes({&hash, 1}, {&hit, 1}, missing));
  EXPECT_TRUE(missing.empty());
  EXPECT_TRUE(hit);
}

TEST_F(Remote, AQuestionFetchesWhatItReads) {
  for (const Kind kind : {Kind::kBlocked, Kind::kRibbon}) {
    const AnyFilter filter = build_filter(kind, 4'000'000);
    write(filter.ref());
    use_->reset();
    auto verified = open();
    EXPECT_LE(use_->reads, kind == Kind::kBlocked ? 2U : 6U);
    EXPECT_LT(use_->bytes, 40'000U);
    for (std::uint64_t i = 0; i < 200; ++i) {
      use_->reset();
      ASSERT_TRUE(*verified->may_contain(present_key(i)));
      ASSERT_LE(use_->reads, kind == Kind::kBlocked ? 1U : 4U);
      ASSERT_LE(use_->bytes, (kind == Kind::kBlocked ? 1 : 3) * use_->reads * (kSegmentBytes + 512));
    }
    auto believed = open({.verify = false});
    std::uint64_t bytes = 0;
    for (std::uint64_t i = 0; i < 200; ++i) {
      use_->reset();
      ASSERT_TRUE(*believed->may_contain(present_key(i)));
      bytes += use_->bytes;
      if (kind == Kind::kBlocked) {
        ASSERT_LE(use_->bytes, 64U);
      }
    }
    EXPECT_LE(bytes, 200U * (kind == Kind::kBlocked ? 64 : 400));
    const auto hashes = present_hashes(1000, 0, 1000);
    const auto hits = std::make_unique<bool[]>(hashes.size());
    use_->reset();
    ASSERT_TRUE(verified->may_contain_hashes(hashes, {hits.get(), hashes.size()}));
    EXPECT_TRUE(std::all_of(hits.get(), hits.get() + hashes.size(), [](bool hit) { return hit; }));
    EXPECT_LE(use_->reads, kind == Kind::kBlocked ? 1U : 4U);
    use_->reset();
    ASSERT_TRUE(verified->may_contain_hashes(hashes, {hits.get(), hashes.size()}));
    EXPECT_EQ(use_->reads, 0U);
  }
}

TEST_F(Remote, KeepsWithinItsMemory) {
  constexpr std::uint64_t kLimit = 1 << 20;
  const AnyFilter filter = build_filter(Kind::kBlocked, 4'000'000);
  write(filter.ref());
  RangeFiles reader(path_, use_);
  PartialFilter partial({.max_memory = kLimit});
  std::uint64_t most = 0;
  for (std::uint64_t i = 0; i < 3000; ++i) {
    partial.make_room();
    const std::uint64_t hash = present_hashes(1, 0, i).front();
    MissingRanges missing;
    bool hit = false;
    for (;;) {
      ASSERT_TRUE(partial.may_contain_hashes({&hash, 1}, {&hit, 1}, missing));
      if (missing.empty()) break;
      ASSERT_TRUE(reader.read(missing));
      for (const RemoteRange& range : missing) ASSERT_TRUE(partial.supply(range));
    }
    ASSERT_TRUE(hit);
    most = std::max(most, partial.memory_bytes());
    ASSERT_LE(partial.memory_bytes(), kLimit);
  }
  EXPECT_GT(most, kLimit / 4);
  // And a batch that needs more than there may be is asked piece by piece.
  auto remote = open({.max_memory = kLimit});
  const auto hashes = present_hashes(20'000, 0);
  const auto hits = std::make_unique<bool[]>(hashes.size());
  use_->reset();
  ASSERT_TRUE(remote->may_contain_hashes(hashes, {hits.get(), hashes.size()}));
  EXPECT_TRUE(std::all_of(hits.get(), hits.get() + hashes.size(), [](bool hit) { return hit; }));
  EXPECT_GT(use_->reads, filter.payload().size() / kLimit);
}

TEST_F(Remote, WhatEndsTooSoonOrComesWrongIsAnError) {
  const AnyFilter filter = build_filter(Kind::kRibbon, 100'000);
  const Bytes blob = blob_of(filter.ref(), BlobForm::kMappable);
  write(std::span(blob).first(50));
  EXPECT_THAT(message_of(open()), StartsWith("blob size must be at least 64 bytes, got 50"));
  write(std::span(blob).first(2000));
  EXPECT_THAT(message_of(open()), HasSubstr("got 2000: it is truncated"));
  write(std::span(blob).first(blob.size() - 8));
  EXPECT_THAT(message_of(open()), HasSubstr("it is truncated"));
  write(blob);
  auto remote = open();
  use_->change = [](RemoteRange& range) { range.found.clear(); };
  EXPECT_THAT(message_of(remote->may_contain("x")), HasSubstr("it is truncated"));
  use_->change = [](RemoteRange& range) { range.found.resize(range.found.size() + 5000, std::byte{0xFF}); };
  for (std::uint64_t i = 0; i < 100; ++i) ASSERT_TRUE(*remote->may_contain(present_key(i)));  // more is of no use
  std::filesystem::remove(path_);
  EXPECT_THAT(message_of(open()), HasSubstr("f.crivo must be readable"));
}

TEST_F(Remote, AFileThatIsAnotherOneByNowIsRefused) {
  const AnyFilter old = build_filter({.capacity = 100'000, .seed = 1}, 100'000);
  write(old.ref());
  auto remote = open({.max_memory = 1});
  write(build_filter({.capacity = 100'000, .seed = 2}, 100'000).ref());
  std::size_t refused = 0;
  for (std::uint64_t i = 0; i < 100; ++i) {
    const Result<bool> answer = remote->may_contain(present_key(i));
    ASSERT_TRUE(!answer.has_value() || *answer);
    refused += answer.has_value() ? 0 : 1;
  }
  EXPECT_GT(refused, 90U);
  EXPECT_THAT(message_of(remote->may_contain("x")), HasSubstr("file must not be changed while it is in use"));
}

TEST_F(Remote, AFileWithoutSumsMustFitInItsMemory) {
  const AnyFilter filter = build_filter(Kind::kBlocked, 100'000);
  write(filter.ref(), BlobForm::kRaw);
  EXPECT_THAT(message_of(open({.max_memory = 10'000})),
              StartsWith("file without sums, which must be read as a whole, must have at most 65536 bytes, got "));
  EXPECT_TRUE(*open({.max_memory = 1 << 20})->may_contain(present_key(1)));
  EXPECT_TRUE(*open({.max_memory = 10'000, .verify = false})->may_contain(present_key(1)));
}

TEST_F(Remote, AFileWithoutSumsIsFetchedOnce) {
  const AnyFilter filter = build_filter(Kind::kBlocked, 60'000);
  write(filter.ref(), BlobForm::kRaw);
  for (const std::uint64_t max_memory : {std::uint64_t{100'000}, UINT64_MAX}) {
    auto remote = open({.max_memory = max_memory});
    ASSERT_TRUE(remote) << remote.error().message;
    use_->reset();
    for (std::uint64_t i = 0; i < 100; ++i) ASSERT_TRUE(*remote->may_contain(present_key(i)));
    EXPECT_EQ(use_->reads, 0U);
  }
}

// A header alone can state any size.
TEST_F(Remote, AStatedSizeTakesNoMemory) {
  const AnyFilter filter = build_filter({.kind = Kind::kRibbon, .capacity = 1}, 0);
  constexpr std::uint64_t kWords = std::uint64_t{1} << 34;
  for (const bool verify : {true, false}) {
    Bytes blob = blob_of(filter.ref(), verify ? BlobForm::kMappable : BlobForm::kRaw);
    put(blob, header::kUnits, kWords);
    put(blob, header::kRawBytes, 8 * kWords);
    if (verify) put(blob, header::kCodec, 3);
    blob.resize(kBlobHeaderBytes + 8192);
    write(blob);
    EXPECT_FALSE(open({.verify = verify}));
    const std::string_view hashed(reinterpret_cast<const char*>(blob.data()), header::kChecksum.offset);
    const std::uint64_t sum = hash_key(HashId::kXxh3_64, hashed, 0);
    // A server that gives whatever it is asked for.
    use_->change = [&](RemoteRange& range) {
      if (range.offset < blob.size()) return;
      range.found.resize(static_cast<std::size_t>(range.bytes));
      std::memcpy(range.found.data() + range.found.size() - sizeof sum, &sum, sizeof sum);
    };
    const char* refusal = verify ? "segment 0 (bytes " : "filter without keys must have at most ";
    // A sanitizer reserves less.
    EXPECT_THAT(message_of(open({.verify = verify})),
                AnyOf(StartsWith(refusal), StartsWith("file must fit in the address space")));
    use_->change = nullptr;
  }
}

TEST_F(Remote, ThreadsAskSideBySide) {
  const AnyFilter filter = build_filter(Kind::kRibbon, 500'000);
  write(filter.ref());
  auto remote = open({.max_memory = 300'000});
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (std::uint64_t thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      for (std::uint64_t i = 0; i < 300; ++i) {
        const std::uint64_t key = 1000 * i + thread;
        if (!*remote->may_contain(present_key(key))) ++wrong;
        if (*remote->may_contain(absent_key(key)) != filter.ref().may_contain(absent_key(key))) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_LT(use_->reads, 4U * 600 * 10);  // a thread does not give up what another one has fetched
}

}  // namespace
}  // namespace crivo::testing
