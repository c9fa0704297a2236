// A sharded filter answers like one filter. Lost or damaged shards give an error, never a wrong "no".
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <fstream>
#include <map>
#include <random>
#include <thread>

#include "crivo/blob_file.h"
#include "crivo/shard_writer.h"
#include "crivo/sharded_builder.h"
#include "crivo/sharded_filter.h"
#include "disk.h"
#include "every_kind.h"
#include "temp_folder.h"

namespace crivo::testing {
namespace {

constexpr std::uint32_t kShards = 8;

std::vector<std::uint64_t> of_shard(std::span<const std::uint64_t> hashes, std::uint32_t shard, std::uint32_t shards) {
  std::vector<std::uint64_t> found;
  std::ranges::copy_if(hashes, std::back_inserter(found), [&](auto hash) { return shard_of(hash, shards) == shard; });
  return found;
}

class Sharded : public ::testing::Test {
 protected:
  Manifest build(const FilterSpec& spec, std::span<const std::uint64_t> hashes, std::uint32_t shards = kShards) const {
    auto builder = ShardedBuilder::create(spec, shards);
    EXPECT_TRUE(builder->add_hashes(hashes));
    EXPECT_EQ(builder->keys(), hashes.size());
    return *builder->finish(path_);
  }
  [[nodiscard]] std::string path_of(std::uint32_t shard) const {
    return shard_path(path_, *read_manifest(path_), shard);
  }
  /// A filter file that is not a shard.
  [[nodiscard]] std::string file_of(const FilterSpec& spec) const {
    std::string path = folder_.file("other");
    EXPECT_TRUE(write_blob_file(build_filter(spec, 1000).ref(), path).has_value());
    return path;
  }
  /// Calls look() while the shard's file is removed, or replaced with the file `other`.
  template <class Look>
  void with_other(std::uint32_t shard, const std::string& other, const Look& look) const {
    constexpr auto kOverwrite = std::filesystem::copy_options::overwrite_existing;
    const std::string good = path_of(shard);
    std::filesystem::copy_file(good, folder_.file("kept"), kOverwrite);
    std::filesystem::remove(good);
    if (!other.empty()) std::filesystem::copy_file(other, good);
    look();
    std::filesystem::copy_file(folder_.file("kept"), good, kOverwrite);
  }
  /// The error of a lookup in this shard.
  template <class Filter>
  static std::string refusal(Filter& filter, std::uint32_t shard) {
    for (std::uint64_t hash = 1;; hash += 0x9E3779B97F4A7C15) {
      if (shard_of(hash, kShards) == shard) return message_of(filter.may_contain_hash(hash));
    }
  }
  [[nodiscard]] ShardedFilter open(std::size_t most = 256) const {
    return *ShardedFilter::open(path_, {.max_open_shards = most});
  }
  [[nodiscard]] std::size_t files() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path_ + ".shards"), {}));
  }

  TempFolder folder_;
  std::string path_ = folder_.file("f.crivo");
};

class ShardedOfKind : public Sharded, public ::testing::WithParamInterface<KindInfo> {};
CRIVO_FOR_EVERY_KIND(ShardedOfKind);

TEST_P(ShardedOfKind, AnswerAsOneFilterOrAreRefused) {
  const FilterSpec spec{.kind = GetParam().kind, .capacity = 20'000, .fp_rate = 0.001, .seed = 7, .panes = 1};
  auto builder = ShardedBuilder::create(spec, kShards);
  if (GetParam().can.range || GetParam().can.needs_values() || GetParam().can.advance) {
    EXPECT_THAT(message_of(builder),
                StartsWith("kind must have neither ordered keys, values nor a clock to be sharded, got "));
    return;
  }
  const auto hashes = present_hashes(20'000, 7);
  for (std::uint64_t i = 0; i < 10; ++i) ASSERT_TRUE(builder->add(present_key(i)));
  ASSERT_TRUE(builder->add_hashes(std::span(hashes).subspan(10)));
  const Manifest manifest = *builder->finish(path_);
  EXPECT_EQ(manifest.facts().keys, 20'000U);
  EXPECT_EQ(files(), kShards);
  const ShardedFilter filter = open(3);
  EXPECT_EQ(filter.kind().name, "sharded");
  EXPECT_EQ(filter.facts(), manifest.facts());
  EXPECT_TRUE(filter.verify());
  EXPECT_EQ(filter.payload_bytes(), manifest.bytes());
  const auto absent = absent_hashes(20'000, 7);
  const auto hits = std::make_unique<bool[]>(hashes.size());
  ASSERT_TRUE(filter.may_contain_hashes(hashes, {hits.get(), hashes.size()}));
  EXPECT_TRUE(std::all_of(hits.get(), hits.get() + hashes.size(), [](bool hit) { return hit; }));
  ASSERT_TRUE(filter.may_contain_hashes(absent, {hits.get(), absent.size()}));
  EXPECT_LE(std::count(hits.get(), hits.get() + absent.size(), true), 60);
  for (std::size_t i = 0; i < 500; ++i) {
    ASSERT_TRUE(*filter.may_contain(present_key(i)));
    ASSERT_EQ(*filter.may_contain_hash(absent[i]), hits[i]);
  }
  EXPECT_EQ(filter.count(present_key(1)).has_value(), GetParam().can.count);
}

TEST_F(Sharded, AreOrdinaryFiltersOfTheirKeys) {
  const auto hashes = present_hashes(40'000, 0);
  build({.kind = Kind::kRibbon, .fp_rate = 0.01}, hashes);
  for (std::uint32_t shard = 0; shard < kShards; ++shard) {
    const auto own = of_shard(hashes, shard, kShards);
    EXPECT_NEAR(static_cast<double>(own.size()), 5000, 500);
    const AnyFilter filter = *read_blob_file(path_of(shard));
    EXPECT_EQ(count_found(filter.ref(), own), own.size());
    const AnyFilter alone = *AnyFilter::build({.kind = Kind::kRibbon, .capacity = own.size()}, own);
    EXPECT_EQ(filter.shape(), alone.shape());
    EXPECT_EQ(bytes_of(filter), bytes_of(alone));
  }
}

TEST_F(Sharded, KeepTheRateOfAll) {
  const auto hashes = present_hashes(100'000, 0);
  for (const Kind kind : {Kind::kBlocked, Kind::kClassic, Kind::kCuckoo}) {
    for (const double fp_rate : {0.1, 0.001}) {
      build({.kind = kind, .capacity = hashes.size(), .fp_rate = fp_rate}, hashes, 64);
      const auto absent = absent_hashes(1'000'000, 0);
      const auto hits = std::make_unique<bool[]>(absent.size());
      ASSERT_TRUE(open().may_contain_hashes(absent, {hits.get(), absent.size()}));
      const auto found = static_cast<double>(std::count(hits.get(), hits.get() + absent.size(), true));
      EXPECT_LE(found, 1e6 * fp_rate + 5 * std::sqrt(1e6 * fp_rate)) << kind_name(kind);
      EXPECT_GE(found, 0.5e6 * fp_rate) << kind_name(kind);
    }
  }
}

TEST_F(Sharded, AreReplacedOneByOne) {
  const auto old_keys = present_hashes(8000, 0);
  const auto new_keys = present_hashes(8000, 0, 8000);
  build({}, old_keys);
  const ShardedFilter opened = open();
  EXPECT_TRUE(*opened.may_contain_hash(of_shard(old_keys, 0, kShards).front()));  // opens shard 0
  for (const std::uint32_t shard : {0U, 5U}) {
    const auto own = of_shard(new_keys, shard, kShards);
    const AnyFilter filter = *AnyFilter::build({.kind = Kind::kRibbon, .capacity = own.size()}, own);
    ASSERT_TRUE(replace_shard(path_, shard, kShards, filter.ref()));
  }
  EXPECT_EQ(files(), kShards);
  const ShardedFilter now = open();
  for (std::uint32_t shard = 0; shard < kShards; ++shard) {
    const bool is_replaced = shard == 0 || shard == 5;
    for (const std::uint64_t hash : of_shard(is_replaced ? new_keys : old_keys, shard, kShards)) {
      ASSERT_TRUE(*now.may_contain_hash(hash));
      // A reader that has the old shard open keeps it. A reader that has not opened the shard gets the new one.
      ASSERT_TRUE(shard == 0 || *opened.may_contain_hash(hash)) << shard;
    }
  }
  for (const std::uint64_t hash : of_shard(old_keys, 0, kShards)) ASSERT_TRUE(*opened.may_contain_hash(hash));
  EXPECT_THAT(message_of(replace_shard(path_, kShards, kShards, AnyFilter::create({.capacity = 1})->ref())),
              StartsWith("shard must be below 8, got 8"));
}

TEST_F(Sharded, ThatAreWrongAreErrorsThatNameThem) {
  build({.seed = 3}, present_hashes(8000, 3));
  const auto becomes = [&](const std::string& other, const std::string& message) {
    with_other(2, other, [&] {
      const ShardedFilter filter = open();
      EXPECT_THAT(refusal(filter, 2), AllOf(StartsWith("shard 2 of " + path_ + ": "), HasSubstr(message)));
      EXPECT_EQ(refusal(filter, 3), "no error");
      EXPECT_THAT(message_of(filter.verify()), HasSubstr("shard 2 of "));
    });
    EXPECT_TRUE(open().verify());
  };
  becomes("", "No such file");
  becomes(path_of(3), "shard must match its manifest, got another checksum or size");
  becomes(file_of({.capacity = 1000, .seed = 3}), "shard must match its manifest, got another checksum or size");
  becomes(file_of({.capacity = 1000, .seed = 4}), "seed must be the manifest's 3, got 4");
  becomes(file_of({.kind = Kind::kRange, .capacity = 1000, .seed = 3}), "kind must have neither ordered keys");
  becomes(file_of({.kind = Kind::kMap, .capacity = 1000, .seed = 3, .value_bits = kValueBits}),
          "kind must have neither ordered keys");
  becomes(path_, "got the manifest of a sharded filter");
}

TEST_F(Sharded, OfAnotherNumberAreRefused) {
  const auto hashes = present_hashes(1000, 0);
  build({}, hashes, 2);
  const AnyFilter shard = *AnyFilter::build({.capacity = 200}, of_shard(hashes, 1, kShards));
  EXPECT_THAT(message_of(replace_shard(path_, 1, kShards, shard.ref())),
              StartsWith("shards must equal the manifest's 2, got 8"));
  EXPECT_THAT(message_of(read_shard(path_, *read_manifest(path_), 1)), "no error");
}

// The filter opens later shards relative to the manifest's folder, even if the process changes its working folder.
TEST_F(Sharded, AreThoseOfTheFolderInWhichTheyWereOpened) {
  const auto hashes = present_hashes(1000, 0);
  build({}, hashes);
  const std::filesystem::path before = std::filesystem::current_path();
  const std::filesystem::path here = std::filesystem::path(path_).parent_path();
  std::filesystem::current_path(here);
  const ShardedFilter filter = *ShardedFilter::open("f.crivo");
  std::filesystem::current_path("/");
  for (const std::uint64_t hash : hashes) ASSERT_TRUE(*filter.may_contain_hash(hash));
  std::filesystem::current_path(before);
}

TEST_F(Sharded, ReleasingTheLockRemovesUnusedShards) {
  {
    const ShardsLock lock = *ShardsLock::acquire(path_);
    ASSERT_TRUE(write_shard(build_filter({.capacity = 10}, 10).ref(), path_, 3).has_value());
    EXPECT_EQ(files(), 1U);
  }
  EXPECT_FALSE(std::filesystem::exists(path_ + ".shards")) << "there was no manifest";
  build({}, present_hashes(1000, 0));
  {
    const ShardsLock lock = *ShardsLock::acquire(path_);
    ASSERT_TRUE(write_shard(build_filter({.capacity = 10}, 10).ref(), path_, 3).has_value());
    EXPECT_EQ(files(), kShards + 1U);
  }
  EXPECT_EQ(files(), kShards);
  EXPECT_TRUE(open().verify());
}

TEST_F(Sharded, AManifestThatIsDamagedOrForgedIsRefused) {
  build({}, present_hashes(100, 0));
  const std::string bytes = read_bytes(path_);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    std::ofstream(path_, std::ios::binary) << damaged;
    EXPECT_FALSE(open_filter_file(path_)) << i;
  }
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    std::ofstream(path_, std::ios::binary) << bytes.substr(0, size);
    EXPECT_FALSE(open_filter_file(path_)) << size;
  }
  const Bytes blob = bytes_of(bytes);
  const auto refused = [&](const Bytes& forged) {
    std::ofstream(path_, std::ios::binary)
        .write(reinterpret_cast<const char*>(forged.data()), static_cast<std::streamsize>(forged.size()));
    return message_of(ShardedFilter::open(path_));
  };
  EXPECT_THAT(refused(forge(blob, header::kUnits, 3)), HasSubstr("number of shards must be 2^k"));
  EXPECT_THAT(refused(forge(blob, header::kUnits, 1 << 20)), HasSubstr("number of shards must be 2^k"));
  EXPECT_THAT(refused(forge(blob, header::kUnits, 0)), HasSubstr("number of shards must be 2^k"));
  EXPECT_THAT(refused(forge(blob, header::kProbes, 4)), HasSubstr("number of shards must be 2^k"));
  EXPECT_THAT(refused(forge(blob, header::kParam, 1)), HasSubstr("kind parameter must be 0"));
  EXPECT_THAT(refused(forge(blob, header::kCodec, 1)), HasSubstr("codec of a manifest must be 0"));
  EXPECT_THAT(refused(forge(blob, header::kKeys, 7)), HasSubstr("must be those of all shards"));
  EXPECT_EQ(refused(blob), "no error");
  EXPECT_THAT(message_of(parse_blob(blob)), HasSubstr("got the manifest of a sharded filter"));
}

TEST_F(Sharded, AreToldFromFiltersInOneFile) {
  build({}, present_hashes(100, 0));
  const FilterFile sharded = *open_filter_file(path_);
  EXPECT_THAT(message_of(as_mapped_filter(sharded)), StartsWith("filter must be in one file, got one of 8 shards"));
  EXPECT_THAT(message_of(MappedFilter::open(path_)), HasSubstr("got the manifest of a sharded filter"));
  const std::string other = file_of({.capacity = 1000});
  const FilterFile in_a_file = *open_filter_file(other);
  EXPECT_EQ((*as_mapped_filter(in_a_file))->kind().kind, Kind::kBlocked);
  EXPECT_THAT(message_of(ShardedFilter::open(other)), StartsWith("kind must be sharded (a manifest), got blocked"));
  EXPECT_THAT(message_of(open_filter_file(path_ + "x")), StartsWith("file must be readable, got "));
  EXPECT_THAT(message_of(open_filter_file("/dev/null")), StartsWith("file must be a regular one"));
}

// Simulates a web page that fetches one file per lookup.
TEST_F(Sharded, ManifestNamesTheShardOfAKeyWithoutTheShards) {
  build({.fp_rate = 0.001, .seed = 5}, present_hashes(10'000, 5), 256);
  const Bytes blob = bytes_of(read_bytes(path_));
  std::filesystem::rename(path_ + ".shards", path_ + ".server");
  const Manifest manifest = *Manifest::parse(blob);
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const std::string key = present_key(i);
    const std::string name = manifest.file_name(manifest.shard_of(key));
    const Bytes fetched = bytes_of(read_bytes(path_ + ".server/" + name));
    ASSERT_TRUE(parse_blob(fetched)->ref().may_contain(key)) << key;
  }
}

TEST_F(Sharded, ManyThreadsQueryWhileShardsAreReplaced) {
  const auto hashes = present_hashes(20'000, 0);
  build({}, hashes);
  std::atomic<bool> stop = false;
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      const ShardedFilter filter = open(2);
      while (!stop) {
        for (std::size_t at = 0; at < hashes.size(); at += 37) ASSERT_TRUE(*filter.may_contain_hash(hashes[at]));
      }
    });
  }
  for (std::uint32_t round = 0; round < 40; ++round) {
    const auto own = of_shard(hashes, round % kShards, kShards);
    const AnyFilter filter = *AnyFilter::build(
        {.kind = round % 2 == 0 ? Kind::kRibbon : Kind::kBlocked, .capacity = own.size() + round}, own);
    ASSERT_TRUE(replace_shard(path_, round % kShards, kShards, filter.ref()));
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
}

class ShardedWalk : public Sharded {
 protected:
  void walk(int rounds, std::uint64_t seed);
};

/// 2,500 lookups per round, compared with the shards' keys, while shards are replaced, lost, damaged and repaired.
void ShardedWalk::walk(int rounds, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::map<std::uint32_t, std::vector<std::uint64_t>> keys;  // the keys of each shard's last build
  const auto all = random_hashes(16'000, 1);
  for (std::uint32_t shard = 0; shard < kShards; ++shard) keys[shard] = of_shard(all, shard, kShards);
  build({.fp_rate = 0.001}, all);
  std::uint64_t refused = 0;
  std::uint64_t false_positives = 0;
  for (int round = 0; round < rounds; ++round) {
    const auto shard = static_cast<std::uint32_t>(random() % kShards);
    const std::string path = path_of(shard);
    switch (random() % 5) {
      case 0:
        std::filesystem::remove(path);
        break;
      case 1:
        if (const int fd = ::open(path.c_str(), O_WRONLY); fd >= 0) {
          const std::uint64_t noise = random();
          EXPECT_EQ(::pwrite(fd, &noise, 8, static_cast<off_t>(random() % std::filesystem::file_size(path))), 8);
          ::close(fd);
        }
        break;
      default: {
        keys[shard] = of_shard(random_hashes(8'000 + random() % 16'000, random()), shard, kShards);
        constexpr Kind kKinds[] = {Kind::kBlocked, Kind::kRibbon, Kind::kClassic, Kind::kCuckoo};
        const AnyFilter filter = *AnyFilter::build(
            {.kind = kKinds[random() % 4], .capacity = keys[shard].size(), .fp_rate = 0.001}, keys[shard]);
        ASSERT_TRUE(replace_shard(path_, shard, kShards, filter.ref(),
                                  random() % 2 == 0 ? BlobForm::kMappable : BlobForm::kSmallest));
      }
    }
    const ShardedFilter filter = open(1 + random() % 10);
    for (int i = 0; i < 2500; ++i) {
      const bool is_there = random() % 2 == 0;
      const auto& of = keys[static_cast<std::uint32_t>(random() % kShards)];
      const std::uint64_t hash = is_there ? of[random() % of.size()] : random();
      const Result<bool> answer = filter.may_contain_hash(hash);
      if (!answer.has_value()) {
        ++refused;
      } else if (is_there) {
        ASSERT_TRUE(*answer) << "a key is lost, round " << round;
      } else {
        false_positives += *answer ? 1 : 0;
      }
    }
  }
  EXPECT_GT(refused, 2U * static_cast<unsigned>(rounds));
  EXPECT_LT(false_positives, 3U * static_cast<unsigned>(rounds) + 30);  // 1,250 absent keys per round, at 0.1%
}

TEST_F(ShardedWalk, NeverSaysNoOfAKey) { walk(20, 7); }
TEST_F(ShardedWalk, NeverSaysNoOfAKeyLong) { walk(400, 5); }  // 10^6 lookups

}  // namespace
}  // namespace crivo::testing
