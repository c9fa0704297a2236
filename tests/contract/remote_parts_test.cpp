// Filters in parts that lie elsewhere: fetched by their first questions, replaced while they are asked, and wrong ones
// refused by their names.
#include "crivo/host/partial_filter.h"
#include "crivo/remote_filter.h"
#include "parts_files.h"
#include "range_files.h"

namespace crivo::testing {
namespace {

class RemoteParts : public ::testing::Test, protected PartsFiles {
 protected:
  [[nodiscard]] Result<RemoteFilter> open(const RemoteOptions& options = {}) const {
    return RemoteFilter::open(std::make_unique<RangeFiles>(path_, use_), options);
  }

  std::shared_ptr<RangeUse> use_ = std::make_shared<RangeUse>();
};

TEST_F(RemoteParts, AreFetchedByTheirFirstQuestions) {
  const auto hashes = present_hashes(400'000, 0);
  for (const std::uint32_t parts : {1U, kParts, 512U}) {
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
  for (const std::uint32_t part : {0U, 3U, 3U}) ASSERT_TRUE(replace_part(path_, part, kParts, all.ref()));
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
  ASSERT_TRUE(
      write_blob_file(build_filter({.capacity = 8000, .seed = 5}, 8000).ref(), path_, BlobForm::kMappable).has_value());
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
    auto filter = open();
    with_other(2, other, [&] {
      for (int again = 0; again < 2; ++again) EXPECT_THAT(refusal(*filter, 2), HasSubstr(message));
      EXPECT_EQ(refusal(*filter, 3), "no error");
    });
    EXPECT_EQ(refusal(*filter, 2), "no error");
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
