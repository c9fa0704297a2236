// Fixtures that run a test for every kind of the registry, or for every kind with a given ability.
#pragma once

#include <algorithm>

#include "filters.h"
#include "matchers.h"

namespace crivo::testing {

inline std::vector<KindInfo> every_kind() { return {kinds().begin(), kinds().end()}; }

inline std::vector<KindInfo> kinds_that(bool Capabilities::*can) {
  std::vector<KindInfo> able;
  std::ranges::copy_if(kinds(), std::back_inserter(able), [&](const KindInfo& info) { return info.can.*can; });
  return able;
}

inline std::string name_of_kind(const ::testing::TestParamInfo<KindInfo>& tested) {
  return std::string(tested.param.name);
}

class PerKind : public ::testing::TestWithParam<KindInfo> {
 protected:
  [[nodiscard]] static Kind kind() { return GetParam().kind; }
  /// Whether the kind begins small, whatever its capacity, and grows in small steps.
  [[nodiscard]] static bool needs_no_capacity() { return GetParam().default_capacity != 0; }
  /// A window has one pane, so that all keys are in it. window_test.cpp tests keys that arrive at different times.
  [[nodiscard]] static FilterSpec spec_for(std::uint64_t capacity, double fp_rate = 0.01) {
    return {.kind = kind(), .capacity = capacity, .fp_rate = fp_rate, .value_bits = kValueBits, .panes = 1};
  }
};

inline Bytes bytes_of(std::span<const std::byte> bytes) { return {bytes.begin(), bytes.end()}; }

/// Expects equal shapes, payloads and facts, so that a caller cannot distinguish the filters.
inline void expect_same_filter(const FilterRef& one, const FilterRef& other) {
  EXPECT_EQ(one.shape(), other.shape());
  EXPECT_EQ(one.facts(), other.facts());
  EXPECT_TRUE(std::ranges::equal(one.payload(), other.payload())) << "the payloads differ";
}

}  // namespace crivo::testing

/// Runs the suite for kinds_that(&Capabilities::ability). There may be no such kind.
#define CRIVO_FOR_KINDS_THAT(Suite, ability)                                                                   \
  GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Suite);                                                        \
  INSTANTIATE_TEST_SUITE_P(Kinds, Suite,                                                                       \
                           ::testing::ValuesIn(::crivo::testing::kinds_that(&::crivo::Capabilities::ability)), \
                           &::crivo::testing::name_of_kind)
#define CRIVO_FOR_EVERY_KIND(Suite)                                                           \
  INSTANTIATE_TEST_SUITE_P(Kinds, Suite, ::testing::ValuesIn(::crivo::testing::every_kind()), \
                           &::crivo::testing::name_of_kind)
