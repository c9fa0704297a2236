// Damaged copies of sound bytes, and what must hold of a filter that was read from forged ones.
#pragma once

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "filters.h"

namespace crivo::testing {

/// All numbers of [0, count) if there are at most `most`; else `most` of them, from both ends and as a sample of the
/// middle.
inline std::vector<std::size_t> all_or_sample(std::size_t count, std::size_t most) {
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

inline void flip_bit(Bytes& bytes, std::size_t bit) { bytes[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8)); }

/// A copy with random bytes behind it.
inline Bytes with_appended(const Bytes& bytes, std::size_t count, bool zeros) {
  Bytes longer = bytes;
  std::mt19937_64 random(count);
  for (std::size_t i = 0; i < count; ++i) longer.push_back(zeros ? std::byte{0} : static_cast<std::byte>(random()));
  return longer;
}

/// A forged filter that is accepted need not know the old keys, but it must be a filter: it answers every question
/// (under the sanitizers, inside its bytes), the same in a batch, and reads back as itself from any form.
inline void expect_usable(const FilterRef& filter) {
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

}  // namespace crivo::testing
