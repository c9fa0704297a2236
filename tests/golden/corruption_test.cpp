// Damage by the thousand: every truncation, every bit flip, every appended byte and every forged header byte, for every
// kind, for 0, 1, 100 and 10,000 keys, in every codec.
#include <gtest/gtest.h>

#include "damage.h"

namespace crivo::testing {
namespace {

constexpr std::uint64_t kKeys[] = {0, 1, 100, 10'000};

class Damaged : public ::testing::TestWithParam<KindInfo> {
 protected:
  struct Sound {
    std::string name;
    std::uint64_t n;
    Bytes blob;
  };
  /// The kind's sound blobs: each number of keys in each codec.
  static std::vector<Sound> sound_blobs() {
    std::vector<Sound> blobs;
    for (const std::uint64_t n : kKeys) {
      const AnyFilter full = build_filter(GetParam().kind, n);
      blobs.push_back({"raw", n, blob_of(full.ref())});
      blobs.push_back({"sums", n, blob_of(full.ref(), BlobForm::kMappable)});
      blobs.push_back({"zstd", n, zstd_blob_of(full.ref())});
      FilterSpec sparse{.kind = GetParam().kind, .capacity = 8 * n + 1};
      const Bytes compressed = blob_of(build_filter(sparse, n).ref(), BlobForm::kAuto);
      if (get(compressed, header::kCodec) != 0) blobs.push_back({"auto", n, compressed});
    }
    return blobs;
  }
  static void expect_rejected(const Bytes& blob) { EXPECT_FALSE(parse_blob(blob)); }
};

INSTANTIATE_TEST_SUITE_P(Kinds, Damaged, ::testing::ValuesIn(kinds().begin(), kinds().end()),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST_P(Damaged, RejectsEveryTruncation) {
  for (const Sound& sound : sound_blobs()) {
    SCOPED_TRACE(sound.name + ", " + std::to_string(sound.n) + " keys");
    for (const std::size_t size : all_or_sample(sound.blob.size(), 5000)) {
      Bytes shorter(sound.blob.begin(), sound.blob.begin() + static_cast<std::ptrdiff_t>(size));
      expect_rejected(shorter);
      repair_blob(shorter);
      expect_rejected(shorter);
    }
  }
}

TEST_P(Damaged, RejectsEveryBitFlip) {
  for (const Sound& sound : sound_blobs()) {
    SCOPED_TRACE(sound.name + ", " + std::to_string(sound.n) + " keys");
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
    SCOPED_TRACE(sound.name + ", " + std::to_string(sound.n) + " keys");
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

// The checksum is no authenticity. What it cannot stop must be rejected for what it says, or be a filter.
TEST_P(Damaged, AForgedHeaderByteIsRejectedOrAFilter) {
  for (const Sound& sound : sound_blobs()) {
    SCOPED_TRACE(sound.name + ", " + std::to_string(sound.n) + " keys");
    Bytes blob = sound.blob;
    for (std::size_t at = 0; at < header::kChecksum.offset; ++at) {
      const std::byte original = blob[at];
      for (const unsigned change : {0x01U, 0x02U, 0x04U, 0x08U, 0x10U, 0x20U, 0x40U, 0x80U, 0xFFU, 0x0FU}) {
        blob[at] = original ^ static_cast<std::byte>(change);
        repair_blob(blob);
        const auto opened = parse_blob(blob, {.max_bytes = 1 << 24});
        if (opened && sound.n <= 100) expect_usable(opened->ref());
        if (opened && sound.n > 100) (void)count_found(opened->ref(), present_hashes(100, 0));
      }
      blob[at] = original;
    }
  }
}

// Capacity, keys and rate are informative: whatever they say, no key is lost.
TEST_P(Damaged, ForgedFactsNeverHideAKey) {
  constexpr std::uint64_t kValues[] = {
      0, 1, 2, 1 << 20, (std::uint64_t{1} << 40), ~std::uint64_t{0}, 0x3FE0000000000000, 1};
  for (const Sound& sound : sound_blobs()) {
    const auto hashes = present_hashes(sound.n, 0);
    for (const Field& field : {header::kCapacity, header::kKeys, header::kFpRate}) {
      SCOPED_TRACE(sound.name + ", " + std::to_string(sound.n) + " keys, " + field.name);
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

// Random payload bits under a right checksum: tables with any counters, fingerprints, layers and bumps.
TEST_P(Damaged, AForgedPayloadIsRejectedOrAFilter) {
  std::mt19937_64 random(11);
  for (const Sound& sound : sound_blobs()) {
    if (sound.n > 100) continue;
    SCOPED_TRACE(sound.name + ", " + std::to_string(sound.n) + " keys");
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

}  // namespace
}  // namespace crivo::testing
