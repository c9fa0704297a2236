// The same damage to sealed SST blocks: open_sst_block answers with an error, and the policy then with "maybe".
#include <gtest/gtest.h>

#include "crivo/host/sst_block.h"
#include "damage.h"

namespace crivo::testing {
namespace {

class DamagedSst : public ::testing::TestWithParam<KindInfo> {
 protected:
  static Bytes sound_block(std::uint64_t n, std::string_view key_transform = {}) {
    return sst_block_of(build_filter(GetParam().kind, n).ref(), key_transform);
  }
};

INSTANTIATE_TEST_SUITE_P(Kinds, DamagedSst, ::testing::ValuesIn(kinds().begin(), kinds().end()),
                         [](const auto& tested) { return std::string(tested.param.name); });

constexpr std::string_view kNames[] = {"", "drop_suffix:8"};  // of key transforms

TEST_P(DamagedSst, RejectsEveryTruncation) {
  for (const std::string_view name : kNames) {
    for (const std::uint64_t n : {0U, 1U, 100U, 10'000U}) {
      const Bytes sound = sound_block(n, name);
      for (const std::size_t size : all_or_sample(sound.size(), 3000)) {
        Bytes front(sound.begin(), sound.begin() + static_cast<std::ptrdiff_t>(size));
        EXPECT_FALSE(open_sst_block(front, name)) << size;
        repair_sst_block(front);
        EXPECT_FALSE(open_sst_block(front, name)) << size;
        Bytes back(sound.end() - static_cast<std::ptrdiff_t>(size), sound.end());
        EXPECT_FALSE(open_sst_block(back, name)) << size;
        repair_sst_block(back);
        EXPECT_FALSE(open_sst_block(back, name)) << size;
      }
    }
  }
}

TEST_P(DamagedSst, RejectsEveryBitFlip) {
  for (const std::string_view name : kNames) {
    for (const std::uint64_t n : {0U, 1U, 100U, 10'000U}) {
      Bytes block = sound_block(n, name);
      ASSERT_TRUE(open_sst_block(block, name));
      // The sample has both ends in full, and the tail's 384 bits are at the end.
      for (const std::size_t bit : all_or_sample(8 * block.size(), 20'000)) {
        flip_bit(block, bit);
        EXPECT_FALSE(open_sst_block(block, name)) << "bit " << bit;
        flip_bit(block, bit);
      }
    }
  }
}

TEST_P(DamagedSst, RejectsAppendedBytes) {
  const Bytes sound = sound_block(100);
  for (std::size_t count = 1; count <= 64; ++count) {
    Bytes longer = with_appended(sound, count, false);
    EXPECT_FALSE(open_sst_block(longer));
    Bytes shifted = with_appended({}, count, true);
    shifted.insert(shifted.end(), sound.begin(), sound.end());
    EXPECT_FALSE(open_sst_block(shifted));
    repair_sst_block(shifted);
    EXPECT_FALSE(open_sst_block(shifted));
  }
}

TEST_P(DamagedSst, AForgedTailByteIsRejectedOrAFilter) {
  for (const std::string_view name : kNames) {
    for (const std::uint64_t n : {0U, 1U, 100U}) {
      Bytes block = sound_block(n, name);
      const std::size_t checksum = block.size() - trailer::kBytes;  // which every change repairs, and so is skipped
      const std::size_t units = checksum + trailer::kUnits.offset;  // before it, what has no bearing on the payload
      for (std::size_t at = block.size() - sst_tail_bytes(name.size()); at < block.size(); ++at) {
        if (at == checksum) at += trailer::kChecksum.width;
        const std::byte original = block[at];
        for (unsigned value = 0; value < 256; value += at < units ? 51 : 1) {
          block[at] = static_cast<std::byte>(value);
          repair_sst_block(block);
          const auto opened = open_sst_block(block, sst_key_transform(block));
          if (opened && n == 1) expect_usable(*opened);
          if (opened) (void)count_found(*opened, present_hashes(100, 0));
        }
        block[at] = original;
      }
    }
  }
}

// A name is all that keeps a filter from being asked for keys that it was not built from.
TEST_P(DamagedSst, ABlockOpensWithItsOwnKeyTransformOnly) {
  const std::string longest(kMaxKeyTransformName, 'z');
  const std::string_view names[] = {"", "a", "b", "drop_suffix:8", "drop_suffix:9", "drop_suffix:80", longest};
  for (const std::string_view theirs : names) {
    const Bytes block = sound_block(100, theirs);
    EXPECT_EQ(sst_key_transform(block), theirs);
    for (const std::string_view ours : names) EXPECT_EQ(open_sst_block(block, ours).has_value(), ours == theirs);
  }
}

TEST(DamagedSstOfNoKind, NamesOfKeyTransformsArePrintable) {
  for (const char* name : {"a", "drop_suffix:8", "!", "~"}) EXPECT_TRUE(is_key_transform_name(name)) << name;
  EXPECT_TRUE(is_key_transform_name(std::string(32, 'x')));
  EXPECT_FALSE(is_key_transform_name(std::string(33, 'x')));
  for (const char* name : {"", " ", "a b", "a\n", "\x7f", "\x80", "\xff"})
    EXPECT_FALSE(is_key_transform_name(name)) << name;
  EXPECT_FALSE(is_key_transform_name(std::string("a\0b", 3)));
}

TEST(DamagedSstOfNoKind, GarbageOfAnySizeIsRejected) {
  std::mt19937_64 random(12);
  for (std::size_t size = 0; size <= 100; ++size) {
    for (int round = 0; round < 200; ++round) {
      Bytes garbage(size);
      for (std::byte& byte : garbage) byte = static_cast<std::byte>(random());
      EXPECT_FALSE(open_sst_block(garbage));
      if (size >= 5) garbage[size - 5] = static_cast<std::byte>(0xBD);  // our marker
      EXPECT_EQ(is_sst_block(garbage), size >= 5);
      EXPECT_FALSE(open_sst_block(garbage));
    }
    const Bytes zeros(size);
    EXPECT_FALSE(open_sst_block(zeros));
    EXPECT_FALSE(is_sst_block(zeros));
  }
}

}  // namespace
}  // namespace crivo::testing
