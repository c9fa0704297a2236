// Every allocation of every function fails once, alone and with all that come after it: the function returns
// CRIVO_NO_MEMORY, changes nothing, and leaks nothing.
#include <malloc.h>
#include <unistd.h>

#include <array>

#include "c_filters.h"
#include "process_faults.h"

#ifdef CRIVO_PROCESS_FAULTS
namespace crivo::testing {
namespace {

constexpr std::uint64_t kKeys = 3'000;

std::size_t bytes_in_use() { return mallinfo2().uordblks; }

/// What the call returns while these allocations fail.
template <class Call>
auto with_faults(const Faults& faults, Call&& call) {
  process_faults = faults;
  const auto returned = call();
  process_faults.armed = false;
  return returned;
}
constexpr Faults kAllFail = {true, true, 1};

/// Runs `crivo_status call(crivo_error*)` with one more allocation that succeeds each time, until nothing fails.
/// `check(status)` sees what each failure left. A call that `may_keep_memory` is one whose filter has grown.
template <class Call, class Check>
void fail_every_allocation(Call&& call, Check&& check, bool may_keep_memory = false) {
  for (const bool persistent : {false, true}) {
    for (std::int64_t nth = 1;; ++nth) {
      SCOPED_TRACE("allocation " + std::to_string(nth) + (persistent ? " and all after it" : ""));
      ASSERT_LT(nth, 5000) << "the call must need fewer allocations";
      crivo_error error{};
      const std::size_t before = bytes_in_use();
      const crivo_status status = with_faults({true, persistent, nth}, [&] { return call(&error); });
      const std::size_t after = bytes_in_use();
      if (status != CRIVO_OK) {
        EXPECT_EQ(status, CRIVO_NO_MEMORY) << error.message;
        EXPECT_STREQ(error.message, "out of memory");
        EXPECT_TRUE(after == before || may_keep_memory)
            << "a call that fails must leak nothing, got " << after - before;
      }
      check(status);
      if (::testing::Test::HasFailure()) return;
      if (!process_faults.struck) {
        EXPECT_EQ(status, CRIVO_OK);
        break;
      }
    }
  }
}

/// The same for a function of these arguments that leaves nothing to see.
template <class Function, class... Args>
void fail_calling(Function&& function, Args... args) {
  fail_every_allocation([&](crivo_error* error) { return function(args..., error); }, [](crivo_status) {});
}

/// The same for a function that makes a filter of these arguments.
template <class Make, class... Args>
void fail_making(Make&& make, Args... args) {
  fail_calling([&](crivo_error* error) {
    crivo_filter* filter = nullptr;
    const crivo_status status = make(args..., &filter, error);
    EXPECT_EQ(filter != nullptr, status == CRIVO_OK);
    crivo_free(filter);
    return status;
  });
}

Filter copy_of(const Filter& filter) { return make(crivo_copy, filter.get()); }

/// The same for a function that changes a filter: it starts from this one each time.
template <class Change, class... Args>
void fail_changing(const Filter& start, Change&& change, Args... args) {
  const Blob before = blob_of(start);
  Filter filter = copy_of(start);
  fail_every_allocation([&](crivo_error* error) { return change(filter.get(), args..., error); },
                        [&](crivo_status status) {
                          EXPECT_TRUE(status == CRIVO_OK || blob_of(filter) == before) << "it must be unchanged";
                          filter = copy_of(start);
                        });
}

class OutOfMemory : public PerKind {};
CRIVO_FOR_KINDS(OutOfMemory, every_kind());

TEST_P(OutOfMemory, BuildingLeavesNothing) {
  const KeyList list = present_keys(kKeys);
  std::vector<std::uint64_t> hashes(kKeys);
  ASSERT_EQ(crivo_hash_keys(list.keys(), 0, hashes.data(), nullptr), CRIVO_OK);
  for (const std::uint64_t capacity : {kKeys, std::uint64_t{0}}) {
    const crivo_options wanted = options(capacity);
    fail_making(crivo_build, &wanted, list.keys());
    fail_making(crivo_build_from_hashes, &wanted, hashes.data(), hashes.size());
    fail_making([&](crivo_filter** made, crivo_error* error) {
      crivo_builder* started = nullptr;
      crivo_status status = crivo_builder_create(&wanted, &started, error);
      const Builder builder(started);
      if (status == CRIVO_OK) status = crivo_builder_add_hashes(started, hashes.data(), 500, error);
      if (status == CRIVO_OK) status = crivo_builder_finish(started, made, error);
      return status;
    });
  }
}

TEST_P(OutOfMemory, ABuilderThatCouldNotTakeAKeyTakesItLater) {
  const crivo_options wanted = options(0);
  const Builder builder = start(&wanted);
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const std::string key = present(i);
    const auto add_key = [&] { return crivo_builder_add(builder.get(), key.data(), key.size(), nullptr); };
    const crivo_status status = with_faults(kAllFail, add_key);
    if (status == CRIVO_OK) continue;
    ASSERT_EQ(status, CRIVO_NO_MEMORY);
    ASSERT_EQ(crivo_builder_keys(builder.get()), i);
    ASSERT_EQ(add_key(), CRIVO_OK);
  }
  EXPECT_EQ(blob_of(make(crivo_builder_finish, builder.get())), blob_of(build(wanted, present_keys(1000))));
}

TEST_P(OutOfMemory, ABuilderCountsWhatItTookBeforeTheMemoryRanOut) {
  const KeyList list = present_keys(kKeys);
  for (const std::uint64_t capacity : {std::uint64_t{50}, std::uint64_t{0}}) {
    const crivo_options wanted = options(GetParam() == "scalable" ? capacity : capacity * 60);
    const Filter whole = build(wanted, list);
    for (const std::int64_t nth : {1, 2, 3, 4, 5, 6, 7}) {
      const Builder builder = start(&wanted);
      const crivo_status status =
          with_faults({true, true, nth}, [&] { return crivo_builder_add_keys(builder.get(), list.keys(), nullptr); });
      const std::uint64_t added = crivo_builder_keys(builder.get());
      ASSERT_EQ(added == kKeys, status == CRIVO_OK) << nth;
      const KeyList rest = present_keys(kKeys - added, added);
      ASSERT_EQ(crivo_builder_add_keys(builder.get(), rest.keys(), nullptr), CRIVO_OK);
      ASSERT_EQ(crivo_builder_keys(builder.get()), kKeys);
      EXPECT_EQ(blob_of(make(crivo_builder_finish, builder.get())), blob_of(whole)) << nth;
    }
  }
}

TEST_P(OutOfMemory, CopiesAndBlobsLeaveNothing) {
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

TEST_P(OutOfMemory, FilesLeaveNothing) {
  const Filter filter = filter_of(GetParam(), kKeys);
  const std::string path = ::testing::TempDir() + "crivo_out_of_memory_" + std::to_string(getpid()) + "_" + GetParam();
  for (const std::int32_t form : {CRIVO_FORM_RAW, CRIVO_FORM_SMALLEST, CRIVO_FORM_MAPPABLE}) {
    fail_calling(crivo_save, filter.get(), path.c_str(), form, 0);
    fail_making([&](crivo_filter** made, crivo_error* error) {
      const crivo_status status = crivo_open(path.c_str(), nullptr, made, error);
      return status == CRIVO_OK ? crivo_verify(*made, error) : status;
    });
  }
  EXPECT_EQ(unlink(path.c_str()), 0);
}

TEST_P(OutOfMemory, QuestionsNeedNoMemory) {
  const Filter filter = filter_of(GetParam(), kKeys);
  const KeyList list = present_keys(kKeys);
  std::vector<std::uint8_t> hits(kKeys);
  auto facts = sized<crivo_facts>();
  auto stats = sized<crivo_stats>();
  const auto answers = with_faults(kAllFail, [&] {
    return std::array{crivo_contains(filter.get(), "present 1", 9, nullptr),
                      crivo_contains_keys(filter.get(), list.keys(), hits.data(), nullptr),
                      crivo_get_facts(filter.get(), &facts, nullptr), crivo_get_stats(filter.get(), &stats, nullptr)};
  });
  EXPECT_THAT(answers, ::testing::ElementsAre(1, CRIVO_OK, CRIVO_OK, CRIVO_OK));
}

TEST_P(OutOfMemory, AFailureIsToldWithoutMemoryForItsMessage) {
  crivo_error error{};
  EXPECT_EQ(with_faults(kAllFail, [&] { return crivo_clear(nullptr, &error); }), CRIVO_NO_MEMORY);
  EXPECT_STREQ(error.message, "out of memory");
}

TEST_P(OutOfMemory, ChangesAreWholeOrNone) {
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

// A filter that grows takes memory while it adds. What it added before the memory ran out is found and counted.
TEST(OutOfMemoryOnTheWay, AFilterThatGrewKeepsItsKeysAndGoesOn) {
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

}  // namespace
}  // namespace crivo::testing
#endif
