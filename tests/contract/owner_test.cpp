// An AnyFilter answers from its current bytes: after every change, move and copy.
#include <memory>

#include "every_kind.h"

namespace crivo::testing {
namespace {

class Owner : public PerKind {
 protected:
  static constexpr std::uint64_t kKeys = 5000;

  /// Expects the same answers from the filter and from a FilterRef opened from its bytes.
  static void expect_answers_match_bytes(const AnyFilter& filter) {
    const auto opened = FilterRef::open(filter.shape(), filter.facts(), filter.payload());
    expect_same_filter(filter.ref(), *opened);
    EXPECT_EQ(filter.ref().payload().data(), filter.payload().data());
    for (std::uint64_t i = 0; i < kKeys; ++i) {
      ASSERT_EQ(filter.may_contain(present_key(i)), opened->may_contain(present_key(i)));
      ASSERT_EQ(filter.may_contain(absent_key(i)), opened->may_contain(absent_key(i)));
    }
  }
  static void expect_every_key(const AnyFilter& filter) {
    expect_answers_match_bytes(filter);
    EXPECT_EQ(count_found(filter.ref(), present_hashes(kKeys, 0)), kKeys);
  }
};
class ChangingOwner : public Owner {};
CRIVO_FOR_EVERY_KIND(Owner);
CRIVO_FOR_KINDS_THAT(ChangingOwner, add);

TEST_P(Owner, AnswersMatchItsBytesAfterAMove) {
  AnyFilter first = build_filter(spec_for(kKeys), kKeys);
  expect_every_key(first);
  AnyFilter second = std::move(first);
  expect_every_key(second);
  AnyFilter third = build_filter(spec_for(1), 0);
  third = std::move(second);
  expect_every_key(third);
  std::vector<AnyFilter> many;
  for (int i = 0; i < 5; ++i) many.push_back(third);  // the vector moves its elements as it grows
  for (const AnyFilter& filter : many) expect_every_key(filter);
}

TEST_P(Owner, ACopyOutlivesItsOriginal) {
  auto original = std::make_unique<AnyFilter>(build_filter(spec_for(kKeys), kKeys));
  const AnyFilter copy = *original;
  AnyFilter assigned = build_filter(spec_for(1), 0);
  assigned = *original;
  EXPECT_NE(copy.ref().payload().data(), original->ref().payload().data());
  expect_same_filter(copy.ref(), original->ref());
  original.reset();
  expect_every_key(copy);
  expect_every_key(assigned);
  const AnyFilter& itself = assigned;
  assigned = itself;
  expect_every_key(assigned);
}

TEST_P(Owner, AnswersMatchItsBytesBeforeItsFirstKey) { expect_answers_match_bytes(build_filter(spec_for(kKeys), 0)); }

TEST_P(ChangingOwner, AnswersMatchItsBytesAfterEveryChange) {
  AnyFilter filter = build_filter(spec_for(kKeys / 10), 0);  // below the number of keys, so that a growing kind grows
  const auto keys = GetParam().can.grow ? kKeys : kKeys / 10;
  for (std::uint64_t i = 0; i < keys; ++i) {
    ASSERT_TRUE(filter.add(present_key(i)));
    ASSERT_TRUE(filter.may_contain(present_key(i)));
    ASSERT_EQ(filter.ref().payload().data(), filter.payload().data());
  }
  expect_answers_match_bytes(filter);
  if (GetParam().can.remove) {
    ASSERT_TRUE(filter.remove(present_key(0)));
    expect_answers_match_bytes(filter);
  }
  if (GetParam().can.unite) {
    ASSERT_TRUE(filter.unite(AnyFilter(filter).ref()));
    expect_answers_match_bytes(filter);
    ASSERT_TRUE(filter.unite(filter.ref()));
    expect_answers_match_bytes(filter);
  }
  if (GetParam().can.intersect) {
    ASSERT_TRUE(filter.intersect(build_filter(spec_for(kKeys / 10), 100).ref()));
    expect_answers_match_bytes(filter);
  }
  ASSERT_TRUE(filter.clear());
  expect_answers_match_bytes(filter);
  EXPECT_FALSE(filter.may_contain(present_key(1)));
}

}  // namespace
}  // namespace crivo::testing
