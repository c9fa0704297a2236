// Each allocation of each function fails once, alone and together with all later ones. The function returns
// CRIVO_NO_MEMORY, changes nothing, and leaks nothing.
#include "out_of_memory.h"

#include <unistd.h>

#include <array>

#ifdef CRIVO_PROCESS_FAULTS
namespace crivo::testing {
namespace {

constexpr std::uint64_t kKeys = 3'000;

std::vector<std::string> kinds_of_made() {
  std::vector<std::string> names = every_kind();
  names.insert(names.end(), {"map", "exact"});
  return names;
}

Filter copy_of(const Filter& filter) { return make(crivo_copy, filter.get()); }

/// Makes the allocations fail for a function that changes a filter. Restores `start` before each call.
template <class Change, class... Args>
void fail_changing(const Filter& start, Change&& change, Args... args) {
  const Blob before = blob_of(start);
  Filter filter = copy_of(start);
  fail_every_allocation([&](crivo_error* error) { return change(filter.get(), as_argument(args)..., error); },
                        [&](crivo_status status) {
                          EXPECT_TRUE(status == CRIVO_OK || blob_of(filter) == before) << "it must be unchanged";
                          filter = copy_of(start);
                        });
}

/// The keys have the values 0 and 1 in turn, if the kind has values.
class OutOfMemoryOfBuilders : public PerKind {
 protected:
  [[nodiscard]] static bool has_values() { return GetParam() == "map" || GetParam() == "exact"; }
  [[nodiscard]] static crivo_status add_key(const Builder& builder, const std::string& key, std::uint64_t value) {
    return has_values() ? crivo_builder_add_value(builder.get(), key.data(), key.size(), value, nullptr)
                        : crivo_builder_add(builder.get(), key.data(), key.size(), nullptr);
  }
  /// Adds the keys from `first` to kKeys - 1.
  [[nodiscard]] auto add_from(const Builder& builder, std::uint64_t first) const {
    return [&builder, values = values_.data() + first, rest = present_keys(kKeys - first, first)] {
      return has_values() ? crivo_builder_add_values(builder.get(), rest.keys(), values, nullptr)
                          : crivo_builder_add_keys(builder.get(), rest.keys(), nullptr);
    };
  }
  [[nodiscard]] Blob whole(const crivo_options& wanted) const {
    const Builder builder = start(&wanted);
    EXPECT_EQ(add_from(builder, 0)(), CRIVO_OK);
    return blob_of(make(crivo_builder_finish, builder.get()));
  }

  const std::vector<std::uint64_t> values_ = [] {
    std::vector<std::uint64_t> all(kKeys);
    for (std::uint64_t i = 0; i < kKeys; ++i) all[i] = i % 2;
    return all;
  }();
};
CRIVO_FOR_KINDS(OutOfMemoryOfBuilders, kinds_of_made());

TEST_P(OutOfMemoryOfBuilders, BuildingLeavesNothing) {
  const KeyList list = present_keys(kKeys);
  const KeyList others = absent_keys(4 * kKeys);
  std::vector<std::uint64_t> hashes(kKeys);
  ASSERT_EQ(crivo_hash_keys(list.keys(), 0, hashes.data(), nullptr), CRIVO_OK);
  for (const auto& [capacity, fp_rate] :
       std::vector<std::pair<std::uint64_t, double>>{{kKeys, 0}, {0, 0}, {0, 0.001}}) {
    crivo_options wanted = options(capacity);
    wanted.fp_rate = fp_rate;
    if (GetParam() == "exact") {
      fail_making(crivo_build_exact, &wanted, list.keys(), others.keys());
    } else if (GetParam() == "map") {
      fail_making(crivo_build_map, &wanted, list.keys(), values_.data());
    } else {
      fail_making(crivo_build, &wanted, list.keys());
      fail_making(crivo_build_from_hashes, &wanted, hashes.data(), hashes.size());
    }
    fail_making([&](crivo_filter** made, crivo_error* error) {
      crivo_builder* started = nullptr;
      crivo_status status = crivo_builder_create(&wanted, &started, error);
      const Builder builder(started);
      if (status != CRIVO_OK) return status;
      status = has_values() ? crivo_builder_add_hash_values(started, hashes.data(), values_.data(), kKeys, error)
                            : crivo_builder_add_hashes(started, hashes.data(), kKeys, error);
      return status == CRIVO_OK ? crivo_builder_finish(started, made, error) : status;
    });
  }
}

TEST_P(OutOfMemoryOfBuilders, AKeyThatCouldNotBeTakenIsTakenLater) {
  const crivo_options wanted = options(0);
  const Builder builder = start(&wanted);
  std::uint64_t failed = 0;
  for (std::uint64_t i = 0; i < kKeys; ++i) {
    const std::string key = present(i);
    const crivo_status status = with_faults(kAllFail, [&] { return add_key(builder, key, i % 2); });
    ASSERT_EQ(crivo_builder_keys(builder.get()), i + (status == CRIVO_OK ? 1 : 0));
    if (status == CRIVO_OK) continue;
    ++failed;
    ASSERT_EQ(status, CRIVO_NO_MEMORY);
    ASSERT_EQ(add_key(builder, key, i % 2), CRIVO_OK);
  }
  EXPECT_TRUE(!has_values() || failed > 3) << "it grew so often";
  EXPECT_EQ(blob_of(make(crivo_builder_finish, builder.get())), whole(wanted));
}

TEST_P(OutOfMemoryOfBuilders, KeysBeforeTheMemoryRanOutAreCounted) {
  for (const std::uint64_t capacity : {std::uint64_t{50}, std::uint64_t{0}}) {
    const crivo_options wanted = options(GetParam() == "scalable" ? capacity : capacity * 60);
    const Blob expected = whole(wanted);
    for (const std::int64_t nth : {1, 2, 3, 4, 5, 6, 7}) {
      const Builder builder = start(&wanted);
      const crivo_status status = with_faults({true, true, nth}, add_from(builder, 0));
      const std::uint64_t added = crivo_builder_keys(builder.get());
      ASSERT_EQ(added == kKeys, status == CRIVO_OK) << nth;
      ASSERT_EQ(add_from(builder, added)(), CRIVO_OK);
      ASSERT_EQ(crivo_builder_keys(builder.get()), kKeys);
      EXPECT_EQ(blob_of(make(crivo_builder_finish, builder.get())), expected) << nth;
    }
  }
}

class OutOfMemoryOfMade : public PerKind {};
CRIVO_FOR_KINDS(OutOfMemoryOfMade, kinds_of_made());

TEST_P(OutOfMemoryOfMade, CopiesAndBlobsLeaveNothing) {
  const Filter filter = filter_of(GetParam(), kKeys);
  fail_making(crivo_copy, filter.get());
  for (const std::int32_t form : {CRIVO_FORM_AUTO, CRIVO_FORM_RAW, CRIVO_FORM_SMALLEST, CRIVO_FORM_MAPPABLE}) {
    Blob buffer(crivo_blob_bound(filter.get()));
    std::uint64_t written = 0;
    fail_calling(crivo_write, filter.get(), form, 0, buffer.data(), buffer.size(), &written);
    const Blob blob = blob_of(filter, form);
    for (const auto open : {&crivo_read, &crivo_borrow}) fail_making(open, blob.data(), blob.size(), nullptr);
  }
}

TEST_P(OutOfMemoryOfMade, FilesLeaveNothing) {
  const Filter filter = filter_of(GetParam(), kKeys);
  const std::string path = ::testing::TempDir() + "crivo_out_of_memory_" + std::to_string(getpid()) + "_" + GetParam();
  for (const std::int32_t form : {CRIVO_FORM_RAW, CRIVO_FORM_SMALLEST, CRIVO_FORM_MAPPABLE}) {
    fail_calling(crivo_save, filter.get(), path.c_str(), form, 0);
    fail_making([&](crivo_filter** made, crivo_error* error) {
      if (const crivo_status status = crivo_open(path.c_str(), nullptr, made, error); status != CRIVO_OK) return status;
      const crivo_status status = crivo_verify(*made, error);
      if (status != CRIVO_OK) Free()(std::exchange(*made, nullptr));
      return status;
    });
  }
  EXPECT_EQ(unlink(path.c_str()), 0);
}

TEST_P(OutOfMemoryOfMade, QuestionsNeedNoMemory) {
  const Filter filter = filter_of(GetParam(), kKeys);
  const KeyList list = present_keys(kKeys);
  std::vector<std::uint8_t> hits(kKeys);
  auto facts = sized<crivo_facts>();
  auto stats = sized<crivo_stats>();
  std::uint64_t value = 0;
  const auto answers = with_faults(kAllFail, [&] {
    return std::array{crivo_contains(filter.get(), "present 1", 9, nullptr),
                      crivo_contains_keys(filter.get(), list.keys(), hits.data(), nullptr),
                      crivo_get_facts(filter.get(), &facts, nullptr), crivo_get_stats(filter.get(), &stats, nullptr)};
  });
  EXPECT_THAT(answers, ::testing::ElementsAre(1, CRIVO_OK, CRIVO_OK, CRIVO_OK));
  if (GetParam() != "map") return;
  std::vector<std::uint64_t> values(kKeys);
  const auto finds = with_faults(kAllFail, [&] {
    return std::array{crivo_find(filter.get(), "present 7", 9, &value, nullptr),
                      crivo_find_keys(filter.get(), list.keys(), values.data(), hits.data(), nullptr)};
  });
  EXPECT_THAT(finds, ::testing::ElementsAre(1, CRIVO_OK));
  EXPECT_EQ(value, 7U);
  EXPECT_EQ(values, values_for(list));
}

TEST_P(OutOfMemoryOfMade, ChangesAreWholeOrNone) {
  const Filter start = filter_of(GetParam(), 100);
  const std::uint32_t can = facts_of(start).can;
  const Filter other = filter_of(GetParam(), 100);
  if ((can & CRIVO_CAN_ADD) != 0) {
    fail_changing(start, crivo_add, "a", 1);
    fail_changing(start, crivo_clear);
  }
  if ((can & CRIVO_CAN_REMOVE) != 0) fail_changing(start, crivo_remove, "present 1", 9);
  if ((can & CRIVO_CAN_COUNT) != 0) fail_changing(start, crivo_add_times, "a", 1, 2);
  if ((can & CRIVO_CAN_UNITE) == 0) return;
  fail_changing(start, crivo_unite, other.get());
  fail_changing(start, [](crivo_filter* filter, crivo_error* error) { return crivo_unite(filter, filter, error); });
  auto alike = sized<crivo_similarity>();
  fail_calling(crivo_compare, start.get(), other.get(), &alike);
}

// A growing filter allocates while it adds. The keys that it added before the failure are found and counted.
TEST(OutOfMemory, AFilterThatGrewKeepsItsKeysAndGoesOn) {
  const KeyList list = present_keys(kKeys);
  const Filter empty = create(options_of("scalable", 50));
  const Filter whole = build(options_of("scalable", 50), list);
  Filter filter = copy_of(empty);
  fail_every_allocation([&](crivo_error* error) { return crivo_add_keys(filter.get(), list.keys(), error); },
                        [&](crivo_status status) {
                          const std::uint64_t added = facts_of(filter).keys;
                          EXPECT_EQ(added == kKeys, status == CRIVO_OK);
                          EXPECT_GE(added, 50U) << "the keys before the first growth were added";
                          EXPECT_EQ(found(filter, present_keys(added)), added);
                          const KeyList rest = present_keys(kKeys - added, added);
                          EXPECT_EQ(crivo_add_keys(filter.get(), rest.keys(), nullptr), CRIVO_OK);
                          EXPECT_EQ(blob_of(filter), blob_of(whole));
                          filter = copy_of(empty);
                        },
                        true);
}

TEST(OutOfMemory, AFailureIsReportedWithoutMemoryForItsMessage) {
  crivo_error error{};
  EXPECT_EQ(with_faults(kAllFail, [&] { return crivo_clear(nullptr, &error); }), CRIVO_NO_MEMORY);
  EXPECT_STREQ(error.message, "out of memory");
}

}  // namespace
}  // namespace crivo::testing
#endif
