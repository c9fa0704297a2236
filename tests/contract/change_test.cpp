// Changes of a filter: adding, removing, counting, clearing, and filling beyond its capacity.
#include "every_kind.h"

namespace crivo::testing {
namespace {

class Adding : public PerKind {};
class Removing : public PerKind {};
class Counting : public PerKind {};
class EveryKind : public PerKind {};
CRIVO_FOR_KINDS_THAT(Adding, add);
CRIVO_FOR_KINDS_THAT(Removing, remove);
CRIVO_FOR_KINDS_THAT(Counting, count);
CRIVO_FOR_EVERY_KIND(EveryKind);

TEST_P(Adding, CountsEveryKeyDuplicatesIncluded) {
  AnyFilter filter = build_filter(spec_for(100), 0);
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(filter.add("again"));
  ASSERT_TRUE(filter.add_hashes(present_hashes(50, 0)));
  ASSERT_TRUE(filter.add_hashes({}));
  EXPECT_EQ(filter.facts().keys, 54U);
}

TEST_P(Adding, TheCountOfKeysSaturates) {
  AnyFilter filter = build_filter(spec_for(100), 0);
  Facts facts = filter.facts();
  facts.keys = UINT64_MAX - 1;
  auto nearly = AnyFilter::adopt(filter.shape(), facts, AlignedBytes(filter.payload().begin(), filter.payload().end()));
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(nearly->add(present_key(static_cast<std::uint64_t>(i))));
  EXPECT_EQ(nearly->facts().keys, UINT64_MAX);
}

TEST_P(Adding, ClearingMakesItTheNewFilterAgain) {
  AnyFilter filter = build_filter(spec_for(1000), 1000);
  ASSERT_TRUE(filter.clear());
  expect_same_filter(filter.ref(), build_filter(spec_for(1000), 0).ref());
  AnyFilter pinned = parse_blob(blob_of(filter.ref(), BlobForm::kRaw))->to_filter();
  ASSERT_TRUE(pinned.clear());
  EXPECT_TRUE(pinned.facts().pinned_raw) << "clear() keeps the storage form";
}

// Adds twenty times the capacity. The filter accepts the keys, or reports that it is full and stays unchanged.
TEST_P(Adding, BeyondItsCapacityLosesNoKey) {
  constexpr std::uint64_t kCapacity = 500;
  AnyFilter filter = build_filter(spec_for(kCapacity), 0);
  std::vector<std::uint64_t> taken;
  for (const std::uint64_t hash : present_hashes(20 * kCapacity, 0)) {
    const Bytes before = bytes_of(filter.payload());
    const Facts facts = filter.facts();
    const auto added = filter.add_hashes({&hash, 1});
    if (added) {
      taken.push_back(hash);
      continue;
    }
    EXPECT_EQ(added.error().code, ErrorCode::kFull);
    const std::string counts = "(capacity 500, keys " + std::to_string(taken.size()) + ")";
    ASSERT_THAT(added.error().message,
                ::testing::EndsWith("use a larger capacity, or the kind scalable, which grows " + counts));
    ASSERT_EQ(bytes_of(filter.payload()), before);
    ASSERT_EQ(filter.facts(), facts);
  }
  EXPECT_GE(taken.size(), kCapacity);
  EXPECT_EQ(filter.facts().keys, taken.size());
  EXPECT_EQ(count_found(filter.ref(), taken), taken.size());
}

TEST_P(Adding, AnOverfullFilterSaysSo) {
  AnyFilter filter = build_filter(spec_for(2), 0);
  for (const std::uint64_t hash : present_hashes(100'000, 0)) {  // the probability that a bit stays clear is e^-195
    if (!filter.add_hashes({&hash, 1})) return;                  // some kinds are full earlier
  }
  if (GetParam().can.grow) return;  // a growing filter is never overfull
  const Stats stats = filter.ref().stats();
  EXPECT_EQ(stats.bits_set, GetParam().can.advance ? stats.bits / 2 : stats.bits) << "or one of two panes";
  EXPECT_EQ(stats.current_fp_rate, 1.0);
  EXPECT_FALSE(stats.cardinality);
  EXPECT_TRUE(filter.may_contain(absent_key(0)));
}

TEST_P(Adding, AFailedBatchKeepsAndCountsWhatCameBefore) {
  AnyFilter filter = build_filter(spec_for(100), 0);
  const auto hashes = present_hashes(5000, 0);
  const auto added = filter.add_hashes(hashes);
  const std::uint64_t keys = filter.facts().keys;
  EXPECT_TRUE(added ? keys == 5000 : keys >= 100 && keys < 5000) << keys;
  EXPECT_EQ(count_found(filter.ref(), {hashes.begin(), hashes.begin() + static_cast<std::ptrdiff_t>(keys)}), keys);
}

TEST_P(EveryKind, UnsupportedOperationsNameTheOperationAndTheKind) {
  AnyFilter filter = build_filter(spec_for(100), 100);
  const Bytes before = bytes_of(filter.payload());
  const Facts facts = filter.facts();
  const AnyFilter other = build_filter(spec_for(100), 10);
  const Capabilities can = GetParam().can;
  const auto expect_unsupported = [&](const auto& result, const char* operation) {
    ASSERT_FALSE(result.has_value()) << operation;
    EXPECT_EQ(result.error().code, ErrorCode::kUnsupported);
    EXPECT_THAT(result.error().message, ::testing::StartsWith(std::string("kind must support ") + operation));
    EXPECT_THAT(result.error().message, ::testing::EndsWith("got " + std::string(GetParam().name)));
  };
  if (!can.add) expect_unsupported(filter.add("key"), "add");
  if (!can.add) expect_unsupported(filter.clear(), "clear");
  if (!can.remove) expect_unsupported(filter.remove(present_key(0)), "remove");
  if (!can.count) expect_unsupported(filter.ref().count(present_key(0)), "count");
  if (!can.count) expect_unsupported(filter.add_times("key", 2), "count");
  if (!can.unite) expect_unsupported(filter.unite(other.ref()), "unite");
  if (!can.intersect) expect_unsupported(filter.intersect(other.ref()), "intersect");
  EXPECT_EQ(bytes_of(filter.payload()), before);
  EXPECT_EQ(filter.facts(), facts);
}

TEST_P(EveryKind, ItsLayersAddUpToIt) {
  constexpr std::uint64_t kKeys = 5000;
  const bool grows = GetParam().can.grow && !needs_no_capacity();
  const AnyFilter filter = build_filter(spec_for(grows ? kKeys / 10 : kKeys, 1e-9), kKeys);
  const std::vector<LayerInfo> layers = filter.ref().layers();
  ASSERT_EQ(layers.size(), grows ? 4U : 1U) << "500 + 1000 + 2000 + 1500 of 4000 keys";
  std::uint64_t keys = 0;
  std::uint64_t bits = 0;
  double promised = 0;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    EXPECT_EQ(layers[i].capacity, filter.facts().capacity << i);
    EXPECT_LE(layers[i].keys, layers[i].capacity);
    EXPECT_GT(layers[i].stats.bits_set, 0U);
    EXPECT_LE(layers[i].stats.current_fp_rate,
              1.1 * layers[i].fp_rate);  // the rate of the actual fill may exceed the planned rate
    keys += layers[i].keys;
    bits += layers[i].stats.bits;
    promised += layers[i].fp_rate;
  }
  EXPECT_EQ(keys, kKeys);
  EXPECT_EQ(bits, filter.ref().stats().bits);
  EXPECT_LE(promised, filter.facts().fp_rate);
  EXPECT_EQ(layers.front().k, filter.shape().k);
}

TEST_P(Removing, TakesBackWhatWasAddedAndNothingElse) {
  constexpr std::uint64_t kKept = 5000;
  constexpr std::uint64_t kRemoved = 5000;
  AnyFilter filter = build_filter(spec_for(kKept + kRemoved), kKept + kRemoved);
  for (std::uint64_t i = kKept; i < kKept + kRemoved; ++i) ASSERT_TRUE(filter.remove(present_key(i))) << i;
  EXPECT_EQ(filter.facts().keys, kKept);
  EXPECT_EQ(count_found(filter.ref(), present_hashes(kKept, 0)), kKept);
  // Few removed keys are found: false positives, or keys of saturated counters. 2% is twice the rate of a full filter.
  EXPECT_LT(count_found(filter.ref(), present_hashes(kRemoved, 0, kKept)), kRemoved / 50);
}

TEST_P(Removing, EverythingLeavesAnEmptyFilter) {
  AnyFilter filter = build_filter(spec_for(1000), 1000);
  for (std::uint64_t i = 0; i < 1000; ++i) ASSERT_TRUE(filter.remove(present_key(i))) << i;
  if (needs_no_capacity()) {  // the filter does not shrink
    EXPECT_EQ(filter.ref().stats().cardinality, 0);
    EXPECT_EQ(count_found(filter.ref(), absent_hashes(1000, 0)), 0U);
    return;
  }
  expect_same_filter(filter.ref(), build_filter(spec_for(1000), 0).ref());
}

TEST_P(Removing, AKeyMayBeRemovedAsOftenAsItWasAdded) {
  AnyFilter filter = build_filter(spec_for(1000), 0);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(filter.add("thrice"));
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(filter.may_contain("thrice"));
    EXPECT_TRUE(filter.remove("thrice"));
  }
  EXPECT_FALSE(filter.may_contain("thrice"));
  const auto once_more = filter.remove("thrice");
  EXPECT_EQ(once_more.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(filter.facts().keys, 0U);
}

TEST_P(Removing, AKeyThatIsCertainlyAbsentChangesNothing) {
  AnyFilter filter = build_filter(spec_for(1000), 500);
  const Bytes before = bytes_of(filter.payload());
  int refused = 0;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    if (filter.may_contain(absent_key(i))) continue;
    const auto removed = filter.remove(absent_key(i));
    EXPECT_EQ(removed.error().code, ErrorCode::kNotFound);
    EXPECT_EQ(removed.error().message, "key must be in the filter, got an absent key");
    ++refused;
  }
  EXPECT_GT(refused, 900);
  EXPECT_EQ(bytes_of(filter.payload()), before);
  EXPECT_EQ(filter.facts().keys, 500U);
}

TEST_P(Counting, IsNeverTooLowAndRarelyTooHigh) {
  constexpr std::uint64_t kKeys = 2000;
  const std::uint64_t most = GetParam().can.remove ? 3 : 10;  // in kinds that can remove, each addition may need a slot
  AnyFilter filter = build_filter(spec_for(GetParam().can.remove ? 4 * kKeys : kKeys), 0);
  for (std::uint64_t i = 0; i < kKeys; ++i) {
    for (std::uint64_t time = 0; time <= i % most; ++time) ASSERT_TRUE(filter.add(present_key(i)));
  }
  std::uint64_t exact = 0;
  for (std::uint64_t i = 0; i < kKeys; ++i) {
    const auto count = filter.ref().count(present_key(i));
    ASSERT_GE(*count, i % most + 1) << i;
    exact += *count == i % most + 1;
  }
  // At capacity, a key's count is too high only if other keys share all its counters: as rare as a false positive, 1%.
  EXPECT_GT(exact, kKeys * 95 / 100);
  for (std::uint64_t i = 0; i < 1000; ++i) {
    ASSERT_EQ(*filter.ref().count(absent_key(i)) > 0, filter.may_contain(absent_key(i))) << i;
  }
}

TEST_P(Counting, AnAdditionOfManyTimesIsManyAdditions) {
  AnyFilter together = build_filter(spec_for(4000), 0);
  AnyFilter one_by_one = build_filter(spec_for(4000), 0);
  for (std::uint64_t i = 0; i < 1000; ++i) {
    ASSERT_TRUE(together.add_times(present_key(i), i % 5)) << i;
    for (std::uint64_t time = 0; time < i % 5; ++time) ASSERT_TRUE(one_by_one.add(present_key(i)));
  }
  expect_same_filter(together.ref(), one_by_one.ref());
}

TEST_P(Counting, AnyNumberOfTimesTakesNoTimeAndIsNeverCountedTooLow) {
  AnyFilter filter = build_filter(spec_for(1000), 500);
  const auto added = filter.add_times("often", UINT64_MAX);
  const std::uint64_t count = *filter.ref().count("often");
  if (added) {
    EXPECT_EQ(filter.facts().keys, UINT64_MAX) << "it saturates";
    EXPECT_GE(count, 15U) << "the largest value of the smallest counters";
  } else {  // each copy needs a slot
    EXPECT_EQ(added.error().code, ErrorCode::kFull);
    EXPECT_GT(count, 1U);
    EXPECT_EQ(filter.facts().keys, 500 + count);
  }
  EXPECT_EQ(count_found(filter.ref(), present_hashes(500, 0)), 500U);
}

}  // namespace
}  // namespace crivo::testing
