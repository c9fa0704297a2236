// Filters that lie elsewhere: the answers of memory from the few bytes that they read, and an error in place of every
// wrong one.
#include <cstring>
#include <fstream>
#include <random>
#include <thread>

#include "crivo/blob_file.h"
#include "crivo/host/partial_filter.h"
#include "crivo/map.h"
#include "crivo/parts.h"
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

constexpr std::uint32_t kRemoteParts = 8;

class RemoteParts : public Remote {
 protected:
  void build(const FilterSpec& spec, std::span<const std::uint64_t> hashes, std::uint32_t parts = kRemoteParts) const {
    auto builder = PartsBuilder::create(spec, parts);
    ASSERT_TRUE(builder->add_hashes(hashes));
    ASSERT_TRUE(builder->finish(path_));
  }
  [[nodiscard]] std::string path_of(std::uint32_t part) const {
    return part_path(path_, part, read_manifest(path_)->parts[part]);
  }
  static std::string refusal(RemoteFilter& filter, std::uint32_t part) {
    for (std::uint64_t hash = 1;; hash += 0x9E3779B97F4A7C15) {
      if (part_of(hash, kRemoteParts) == part) return message_of(filter.may_contain_hash(hash));
    }
  }
};

TEST_F(RemoteParts, AreFetchedByTheirFirstQuestions) {
  const auto hashes = present_hashes(400'000, 0);
  for (const std::uint32_t parts : {1U, kRemoteParts, 512U}) {
    build({.kind = Kind::kRibbon}, hashes, parts);
    for (const std::uint64_t max_memory : {std::uint64_t{100'000}, std::uint64_t{1} << 26}) {
      auto remote = open({.max_memory = max_memory});
      ASSERT_TRUE(remote) << remote.error().message;
      EXPECT_EQ(remote->kind().name, "parts");
      EXPECT_EQ(remote->facts().keys, hashes.size());
      EXPECT_EQ(remote->shape().units, parts);
      for (std::size_t i = 0; i < 300; ++i) ASSERT_TRUE(*remote->may_contain_hash(hashes[i]));
      const auto hits = std::make_unique<bool[]>(hashes.size());
      ASSERT_TRUE(remote->may_contain_hashes(std::span(hashes).first(50'000), {hits.get(), 50'000}));
      EXPECT_TRUE(std::all_of(hits.get(), hits.get() + 50'000, [](bool hit) { return hit; }));
      const auto absent = absent_hashes(20'000, 0);
      ASSERT_TRUE(remote->may_contain_hashes(absent, {hits.get(), absent.size()}));
      EXPECT_LE(std::count(hits.get(), hits.get() + absent.size(), true), 300);
      EXPECT_TRUE(*remote->may_contain_range(1, 2));
      EXPECT_THAT(message_of(remote->find("x")), HasSubstr("parts"));
      EXPECT_FALSE(remote->count("x").has_value());
    }
  }
}

TEST_F(RemoteParts, ThatAreReplacedAreFoundByTheManifest) {
  const auto hashes = present_hashes(40'000, 0);
  build({}, hashes);
  auto remote = open();
  const AnyFilter all = *AnyFilter::build({.kind = Kind::kRibbon, .capacity = hashes.size()}, hashes);
  for (const std::uint32_t part : {0U, 3U, 3U}) ASSERT_TRUE(replace_part(path_, part, kRemoteParts, all.ref()));
  for (std::size_t i = 0; i < 1000; ++i) ASSERT_TRUE(*remote->may_contain_hash(hashes[i]));
  build({.seed = 9}, present_hashes(40'000, 9));
  EXPECT_TRUE(*remote->may_contain_hash(hashes[0]));  // what is here is enough
  auto small = open({.max_memory = 1});
  EXPECT_EQ(small->shape().seed, 9U);
  build({.seed = 9}, present_hashes(40'000, 9), 16);
  EXPECT_THAT(message_of(small->may_contain("x")),
              StartsWith("file must not become one of another shape or seed while it is in use: open it again"));
}

// Its hashes would mean nothing.
TEST_F(RemoteParts, ThatBecomeOneFileAreRefused) {
  const auto hashes = present_hashes(8000, 0);
  build({}, hashes);
  auto remote = open();
  std::filesystem::remove_all(path_ + ".parts");
  write(build_filter({.capacity = 8000, .seed = 5}, 8000).ref());
  for (int again = 0; again < 2; ++again) {
    EXPECT_THAT(message_of(remote->may_contain(present_key(1))),
                StartsWith("file must not become one of another shape or seed"));
  }
}

// Many parts: their manifest is fetched in two pieces.
TEST_F(RemoteParts, WhoseManifestIsReplacedWhileItIsReadAreFoundLater) {
  const auto hashes = present_hashes(20'000, 0);
  build({}, hashes, 256);
  auto remote = open({.max_memory = 0});
  const AnyFilter all = *AnyFilter::build({.capacity = hashes.size()}, hashes);
  ASSERT_TRUE(replace_part(path_, 3, 256, all.ref()));
  int changes = 0;
  use_->change = [&](RemoteRange& range) {
    if (!range.file.empty() || changes++ >= 20) return;
    ASSERT_TRUE(replace_part(path_, 3, 256, all.ref()));
  };
  for (int round = 0; round < 3; ++round) {
    for (std::size_t i = 0; i < 300; ++i) {
      const Result<bool> found = remote->may_contain_hash(hashes[i]);
      if (found.has_value()) {
        ASSERT_TRUE(*found);
      } else {
        ASSERT_LE(changes, 21) << found.error().message;
      }
    }
  }
  use_->change = nullptr;
  for (const std::uint64_t hash : hashes) ASSERT_TRUE(*remote->may_contain_hash(hash));
}

TEST_F(RemoteParts, ThatAreDecodedKeepWithinTheMemory) {
  constexpr std::uint64_t kLimit = 3'000'000;
  const auto hashes = present_hashes(300, 0);
  build({.kind = Kind::kClassic, .capacity = 4'000'000}, hashes, 32);  // which is nearly empty, and 5 MB when decoded
  EXPECT_LT(read_manifest(path_)->bytes(), 100'000U);
  RangeFiles reader(path_, use_);
  PartialFilter partial({.max_memory = kLimit});
  for (const std::size_t together : {std::size_t{1}, std::size_t{10}, std::size_t{300}}) {
    for (std::size_t begin = 0; begin < hashes.size();) {
      for (std::size_t count = std::min(together, hashes.size() - begin);;) {
        bool hits[300] = {};
        MissingRanges missing;
        partial.make_room();
        do {
          ASSERT_TRUE(partial.may_contain_hashes(std::span(hashes).subspan(begin, count), hits, missing));
          ASSERT_LE(partial.memory_bytes(), kLimit);
          if (partial.is_crowded()) break;
          ASSERT_TRUE(reader.read(missing));
          for (const RemoteRange& range : missing) ASSERT_TRUE(partial.supply(range));
        } while (!missing.empty());
        if (partial.is_crowded()) {
          count /= 2;
          ASSERT_GT(count, 0U);
          continue;
        }
        ASSERT_TRUE(std::all_of(hits, hits + count, [](bool hit) { return hit; }));
        begin += count;
        break;
      }
    }
  }
  auto remote = open({.max_memory = kLimit});
  bool hits[300];
  use_->reset();
  ASSERT_TRUE(remote->may_contain_hashes(hashes, hits));
  EXPECT_LT(use_->bytes, 10 * read_manifest(path_)->bytes());  // each part is fetched some times, and not for each key
  EXPECT_TRUE(std::ranges::all_of(hits, [](bool hit) { return hit; }));
}

TEST_F(RemoteParts, ThatAreWrongAreErrorsThatNameThem) {
  build({.seed = 3}, present_hashes(8000, 3));
  const std::string good = path_of(2);
  const auto becomes = [&](const std::string& other, const std::string& message) {
    std::filesystem::copy_file(good, folder_.file("kept"), std::filesystem::copy_options::overwrite_existing);
    std::filesystem::remove(good);
    if (!other.empty()) std::filesystem::copy_file(other, good);
    auto filter = open();
    for (int again = 0; again < 2; ++again) EXPECT_THAT(refusal(*filter, 2), HasSubstr(message));
    EXPECT_EQ(refusal(*filter, 3), "no error");
    std::filesystem::copy_file(folder_.file("kept"), good, std::filesystem::copy_options::overwrite_existing);
    EXPECT_EQ(refusal(*filter, 2), "no error");
  };
  const auto file_of = [&](const FilterSpec& spec) {
    const std::string path = folder_.file("other");
    EXPECT_TRUE(write_blob_file(build_filter(spec, 1000).ref(), path).has_value());
    return path;
  };
  becomes("", good + " must be readable");
  becomes(path_of(3), "part 2 of the manifest: ");
  becomes(file_of({.capacity = 1000, .seed = 3}), "part 2 of the manifest: ");
  becomes(file_of({.capacity = 1000, .seed = 4}), "part 2 of the manifest: ");
  becomes(file_of({.kind = Kind::kRange, .capacity = 1000, .seed = 3}), "part 2 of the manifest: ");
  becomes(path_, "part 2 of the manifest: ");
}

}  // namespace
}  // namespace crivo::testing
