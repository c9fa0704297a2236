// Systematic damage: truncations, bit flips, appended bytes, and forged bytes of headers and tails. Tests every kind
// with 0, 1, 100 and 10,000 keys, in blobs of every codec and in sealed SST blocks. For damaged SST blocks,
// open_sst_block returns an error, and the policy then answers "maybe".
#include <gmock/gmock.h>

#include <random>

#include "crivo/host/sst_block.h"
#include "filters.h"

namespace crivo::testing {
namespace {

constexpr std::uint64_t kKeys[] = {0, 1, 100, 10'000};

/// All numbers in [0, count) if there are at most `most`. Otherwise `most` numbers: both ends, and a sample of the
/// middle.
std::vector<std::size_t> all_or_sample(std::size_t count, std::size_t most) {
  std::vector<std::size_t> chosen;
  if (count <= most) {
    for (std::size_t i = 0; i < count; ++i) chosen.push_back(i);
    return chosen;
  }
  const std::size_t end = most / 4;
  for (std::size_t i = 0; i < end; ++i) chosen.push_back(i);
  for (std::size_t i = 0; i < end; ++i) chosen.push_back(count - 1 - i);
  std::mt19937_64 random(count);
  while (chosen.size() < most) chosen.push_back(end + random() % (count - 2 * end));
  return chosen;
}

void flip_bit(Bytes& bytes, std::size_t bit) { bytes[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8)); }

/// A copy with random bytes or zeros appended.
Bytes with_appended(const Bytes& bytes, std::size_t count, bool zeros) {
  Bytes longer = bytes;
  std::mt19937_64 random(count);
  for (std::size_t i = 0; i < count; ++i) longer.push_back(zeros ? std::byte{0} : static_cast<std::byte>(random()));
  return longer;
}

/// An accepted forged filter may lose the old keys, but it must answer every lookup, and a batch in the same way. The
/// sanitizers detect reads outside its bytes. From every form, it must be read back unchanged.
void expect_usable(const FilterRef& filter) {
  static const auto hashes = present_hashes(64, 0);
  std::uint64_t found = 0;
  for (const std::uint64_t hash : hashes) found += filter.may_contain_hash(hash);
  EXPECT_EQ(count_found(filter, hashes), found);
  const Stats stats = filter.stats();
  EXPECT_LE(stats.bits_set, stats.bits);
  EXPECT_TRUE(stats.current_fp_rate >= 0 && stats.current_fp_rate <= 1) << stats.current_fp_rate;
  const double predicted = filter.predicted_fp_rate(1000);
  EXPECT_TRUE(predicted >= 0 && predicted <= 1) << predicted;
  for (const BlobForm form : {BlobForm::kRaw, BlobForm::kAuto, BlobForm::kSmallest, BlobForm::kMappable}) {
    const Bytes blob = blob_of(filter, form);
    const auto again = parse_blob(blob);
    EXPECT_EQ(again->ref().shape(), filter.shape());
    EXPECT_TRUE(std::ranges::equal(again->ref().payload(), filter.payload()));
  }
}

class Damaged : public ::testing::TestWithParam<KindInfo> {
 protected:
  struct Sound {
    std::string name;
    std::uint64_t n;
    Bytes blob;
  };
  /// The kind's valid blobs: each number of keys in each codec.
  static std::vector<Sound> sound_blobs() {
    std::vector<Sound> blobs;
    for (const std::uint64_t n : kKeys) {
      const AnyFilter full = build_filter(GetParam().kind, n);
      const auto add = [&](const char* codec, const Bytes& blob) {
        blobs.push_back({std::string(codec) + ", " + std::to_string(n) + " keys", n, blob});
      };
      add("raw", blob_of(full.ref()));
      add("sums", blob_of(full.ref(), BlobForm::kMappable));
      add("zstd", zstd_blob_of(full.ref()));
      FilterSpec sparse{.kind = GetParam().kind, .capacity = 8 * n + 1};
      const Bytes compressed = blob_of(build_filter(sparse, n).ref(), BlobForm::kAuto);
      if (get(compressed, header::kCodec) != 0) add("auto", compressed);
    }
    return blobs;
  }
  static void expect_rejected(const Bytes& blob) { EXPECT_FALSE(parse_blob(blob)); }
};

INSTANTIATE_TEST_SUITE_P(Kinds, Damaged, ::testing::ValuesIn(kinds().begin(), kinds().end()),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST_P(Damaged, RejectsEveryTruncation) {
  for (const Sound& sound : sound_blobs()) {
    SCOPED_TRACE(sound.name);
    for (const std::size_t size : all_or_sample(sound.blob.size(), 5000)) {
      Bytes shorter(sound.blob.begin(), sound.blob.begin() + static_cast<std::ptrdiff_t>(size));
      EXPECT_THAT(message_of(parse_blob(shorter)), ::testing::HasSubstr("truncated"));
      repair_blob(shorter);
      expect_rejected(shorter);
    }
  }
}

TEST_P(Damaged, RejectsEveryBitFlip) {
  for (const Sound& sound : sound_blobs()) {
    SCOPED_TRACE(sound.name);
    Bytes blob = sound.blob;
    ASSERT_TRUE(parse_blob(blob));
    for (const std::size_t bit : all_or_sample(8 * blob.size(), 20'000)) {
      flip_bit(blob, bit);
      expect_rejected(blob);
      flip_bit(blob, bit);
    }
  }
}

TEST_P(Damaged, RejectsAppendedBytes) {
  for (const Sound& sound : sound_blobs()) {
    SCOPED_TRACE(sound.name);
    for (std::size_t count = 1; count <= 64; ++count) {
      for (const bool zeros : {true, false}) {
        Bytes longer = with_appended(sound.blob, count, zeros);
        expect_rejected(longer);
        repair_blob(longer);
        expect_rejected(longer);
      }
    }
  }
}

// The checksum is no authentication. With a correct checksum, a forged byte fails validation or gives a usable filter.
TEST_P(Damaged, AForgedHeaderByteIsRejectedOrAFilter) {
  for (const Sound& sound : sound_blobs()) {
    SCOPED_TRACE(sound.name);
    Bytes blob = sound.blob;
    for (std::size_t at = 0; at < header::kChecksum.offset; ++at) {
      const std::byte original = blob[at];
      for (const unsigned change : {0x01U, 0x02U, 0x04U, 0x08U, 0x10U, 0x20U, 0x40U, 0x80U, 0xFFU, 0x0FU}) {
        blob[at] = original ^ static_cast<std::byte>(change);
        repair_blob(blob);
        const auto opened = parse_blob(blob, {.max_bytes = 1 << 20});
        if (opened && sound.n <= 100) expect_usable(opened->ref());
        if (opened && sound.n > 100) (void)count_found(opened->ref(), present_hashes(100, 0));
      }
      blob[at] = original;
    }
  }
}

// Capacity, keys and rate are informative. No value of these fields hides a key.
TEST_P(Damaged, ForgedFactsNeverHideAKey) {
  constexpr std::uint64_t kValues[] = {
      0, 1, 2, 1 << 20, (std::uint64_t{1} << 40), ~std::uint64_t{0}, 0x3FE0000000000000, 1};
  for (const Sound& sound : sound_blobs()) {
    const auto hashes = present_hashes(sound.n, 0);
    for (const Field& field : {header::kCapacity, header::kKeys, header::kFpRate}) {
      SCOPED_TRACE(sound.name + ", " + field.name);
      int accepted = 0;
      for (const std::uint64_t value : kValues) {
        const Bytes forged = forge(sound.blob, field, value);
        const auto opened = parse_blob(forged);
        if (!opened) continue;
        EXPECT_EQ(count_found(opened->ref(), hashes), sound.n) << value;
        ++accepted;
      }
      EXPECT_GE(accepted, 2);
    }
  }
}

// Random payload bits with a correct checksum: tables with any counters, fingerprints, layers and bumped buckets.
TEST_P(Damaged, AForgedPayloadIsRejectedOrAFilter) {
  std::mt19937_64 random(11);
  for (const Sound& sound : sound_blobs()) {
    if (sound.n > 100) continue;
    SCOPED_TRACE(sound.name);
    for (int round = 0; round < 500; ++round) {
      Bytes blob = sound.blob;
      const std::size_t payload_bits = 8 * (blob.size() - header::kBytes);
      for (int flip = 0; flip <= round % 8; ++flip) flip_bit(blob, 8 * header::kBytes + random() % payload_bits);
      repair_blob(blob);
      const auto opened = parse_blob(blob, {.max_bytes = 1 << 24});
      if (opened) expect_usable(opened->ref());
    }
  }
}

class DamagedSst : public ::testing::TestWithParam<KindInfo> {
 protected:
  static Bytes sound_block(std::uint64_t n, std::string_view key_transform = {}) {
    return sst_block_of(build_filter(GetParam().kind, n).ref(), key_transform);
  }
};

INSTANTIATE_TEST_SUITE_P(Kinds, DamagedSst, ::testing::ValuesIn(kinds().begin(), kinds().end()),
                         [](const auto& tested) { return std::string(tested.param.name); });

constexpr std::string_view kNames[] = {"", "drop_suffix:8"};  // the names of key transforms

TEST_P(DamagedSst, RejectsEveryTruncation) {
  for (const std::string_view name : kNames) {
    for (const std::uint64_t n : kKeys) {
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
    for (const std::uint64_t n : kKeys) {
      Bytes block = sound_block(n, name);
      ASSERT_TRUE(open_sst_block(block, name));
      // The sample includes both ends in full, and the tail's 384 bits are at the end.
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
      const std::size_t checksum = block.size() - trailer::kBytes;  // skipped: repair_sst_block() sets it
      const std::size_t units = checksum + trailer::kUnits.offset;  // the fields before it do not affect the payload
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

// Only the name prevents lookups of keys with another transform than the filter's.
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
      if (size >= 5) garbage[size - 5] = static_cast<std::byte>(0xBD);  // Crivo's marker
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
