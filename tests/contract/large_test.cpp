// Filters of more than 2^32 bits. They need gigabytes of memory, so all of these tests are long.
#include <bit>
#include <cmath>
#include <cstring>

#include "every_kind.h"

namespace crivo::testing {
namespace {

class Large : public PerKind {};

/// The kinds that can add keys, and allocate the memory for their capacity at once.
std::vector<KindInfo> sized_kinds() {
  std::vector<KindInfo> sized = kinds_that(&Capabilities::add);
  std::erase_if(sized, [](const KindInfo& kind) { return kind.default_capacity != 0; });
  return sized;
}
INSTANTIATE_TEST_SUITE_P(Kinds, Large, ::testing::ValuesIn(sized_kinds()), &name_of_kind);

constexpr std::uint64_t kBits = (std::uint64_t{1} << 33) + (std::uint64_t{1} << 20);

/// An empty filter of a little more than 2^33 bits.
AnyFilter large_filter(FilterSpec spec) {
  const double bits_per_key =
      8.0 * static_cast<double>(build_filter(spec, 0).payload().size()) / static_cast<double>(spec.capacity);
  spec.capacity = static_cast<std::uint64_t>(static_cast<double>(kBits) / bits_per_key);
  return build_filter(spec, 0);
}

TEST_P(Large, LosesNoKeyPastTwoToThe32BitsLong) {
  AnyFilter filter = large_filter(spec_for(1 << 20));
  ASSERT_GT(8 * filter.payload().size(), std::uint64_t{1} << 32);
  constexpr std::uint64_t kStep = 1'000'000;
  for (std::uint64_t first = 0; first < 5 * kStep; first += kStep) {
    ASSERT_TRUE(filter.add_hashes(present_hashes(kStep, 0, first)));
  }
  for (std::uint64_t first = 0; first < 5 * kStep; first += kStep) {
    ASSERT_EQ(count_found(filter.ref(), present_hashes(kStep, 0, first)), kStep);
  }
}

// Compares the bits set in 1024 equal parts of the payload. Keys choose parts independently. A key's k bits may share a
// block, so the variance is up to k times that of a Poisson variable. One-sided p = 1e-6: 4.75 standard deviations.
TEST_P(Large, SpreadsItsBitsEvenlyLong) {
  AnyFilter filter = large_filter(spec_for(1 << 20));
  constexpr std::uint64_t kKeys = 1'000'000;
  ASSERT_TRUE(filter.add_hashes(present_hashes(kKeys, 0)));
  constexpr std::size_t kParts = 1024;
  const std::size_t part_bytes = filter.payload().size() / kParts;
  std::vector<double> set(kParts);
  std::size_t last_byte = 0;
  double total = 0;
  for (std::size_t i = 0; i < part_bytes * kParts; ++i) {
    const auto byte = std::to_integer<std::uint8_t>(filter.payload()[i]);
    if (byte == 0) continue;
    set[i / part_bytes] += std::popcount(byte);
    total += std::popcount(byte);
    last_byte = i;
  }
  EXPECT_GT(8 * last_byte, std::uint64_t{1} << 33) << "the end of the payload is never used";
  const double share = total / kParts;
  double chi_squared = 0;
  for (const double count : set) chi_squared += (count - share) * (count - share) / share;
  const double bits_per_key = total / kKeys;
  EXPECT_LT(chi_squared, bits_per_key * (kParts + 4.75 * std::sqrt(2.0 * kParts)));
}

}  // namespace
}  // namespace crivo::testing
