// Filters are made from options, keys, hashes and other filters.
#include <algorithm>
#include <ctime>
#include <thread>

#include "c_filters.h"
#include "environment.h"

namespace crivo::testing {
namespace {

constexpr std::uint64_t kKeys = 3'000;  // with more than 2048 keys, a ribbon has several levels

std::vector<std::uint64_t> hashes_of(const KeyList& list, std::uint64_t seed = 0) {
  std::vector<std::uint64_t> hashes(list.count());
  EXPECT_EQ(crivo_hash_keys(list.keys(), seed, hashes.data(), nullptr), CRIVO_OK);
  return hashes;
}

TEST(Make, BuildsTheSameFromKeysFromHashesAndInPieces) {
  const KeyList list = present_keys(kKeys);
  const auto hashes = hashes_of(list);
  for (const std::uint64_t capacity : {kKeys, std::uint64_t{0}}) {
    const crivo_options wanted = options_of("ribbon", capacity);
    const Filter from_keys = build(wanted, list);
    EXPECT_EQ(found(from_keys, list), kKeys);
    EXPECT_EQ(blob_of(make(crivo_build_from_hashes, &wanted, hashes.data(), hashes.size())), blob_of(from_keys));

    const Builder builder = start(&wanted);
    const std::string first = present(0);
    ASSERT_EQ(crivo_builder_add(builder.get(), first.data(), first.size(), nullptr), CRIVO_OK);
    ASSERT_EQ(crivo_builder_add_keys(builder.get(), present_keys(1000, 1).keys(), nullptr), CRIVO_OK);
    ASSERT_EQ(crivo_builder_add_hashes(builder.get(), hashes.data() + 1001, kKeys - 1001, nullptr), CRIVO_OK);
    EXPECT_EQ(crivo_builder_keys(builder.get()), kKeys);
    EXPECT_EQ(blob_of(make(crivo_builder_finish, builder.get())), blob_of(from_keys));
  }
}

TEST(Make, CancelsAtEveryStep) {
  struct Watch {
    int calls = 0;
    int cancel_at = 0;
  } watch;
  crivo_options watched = options_of("ribbon");
  watched.progress = [](double, void* data) {
    auto& seen = *static_cast<Watch*>(data);
    return ++seen.calls == seen.cancel_at ? 1 : 0;
  };
  watched.progress_data = &watch;
  const KeyList list = present_keys(140'000);
  for (const std::uint64_t capacity : {std::uint64_t{0}, std::uint64_t{140'000}}) {
    watched.capacity = capacity;
    watch = {};
    (void)build(watched, list);
    const int all = watch.calls;
    for (int at = 1; at <= all; at += std::max(1, all / 6)) {
      watch = {0, at};
      crivo_filter* filter = nullptr;
      crivo_error error{};
      EXPECT_EQ(crivo_build(&watched, list.keys(), &filter, &error), CRIVO_CANCELLED);
      EXPECT_STREQ(error.message, "cancelled by the progress function");
      EXPECT_EQ(filter, nullptr);
      EXPECT_EQ(watch.calls, at) << "the callback is not called again";
    }
  }
}

TEST(Make, WithoutOptionsBuildsABlockedFilterOfOnePercent) {
  const KeyList list = present_keys(kKeys);
  const Filter filter = make(crivo_build, nullptr, list.keys());
  const crivo_facts facts = facts_of(filter);
  EXPECT_STREQ(facts.kind, "blocked");
  EXPECT_EQ(facts.fp_rate, 0.01);
  EXPECT_EQ(facts.capacity, kKeys);
  EXPECT_EQ(blob_of(filter), blob_of(build(options_of("blocked", kKeys, 0.01), list)));
  (void)start(nullptr);
}

TEST(Make, EveryFieldOfTheOptionsCounts) {
  const KeyList list = present_keys(kKeys);
  const Blob plain = blob_of(build(options_of(nullptr, kKeys), list));
  crivo_options options = options_of("spectral:16", kKeys, 0.05);
  EXPECT_EQ(facts_of(create(options)).param, 16U);
  EXPECT_EQ(facts_of(create(options)).fp_rate, 0.05);
  options = options_of(nullptr, kKeys);
  options.bits_per_key = 20;
  EXPECT_NEAR(8.0 * static_cast<double>(facts_of(create(options)).payload_bytes) / kKeys, 20, 0.5);
  options = options_of(nullptr, kKeys);
  options.seed = 7;
  EXPECT_EQ(facts_of(create(options)).seed, 7U);
  EXPECT_EQ(found(build(options, list), list), kKeys);
  EXPECT_NE(blob_of(build(options, list)), plain);
  options = options_of("ribbon");
  const Blob ribbon = blob_of(build(options, list));
  for (const std::uint32_t threads : {0U, 1U, 2U, 5000U, CRIVO_ALL_THREADS}) {
    options.threads = threads;
    EXPECT_EQ(blob_of(build(options, list)), ribbon);
  }
}

/// The CPU time of a build's helper threads. Slightly negative if the calling thread did all the work.
double seconds_of_helpers(const crivo_options& options, const KeyList& list) {
  const auto seconds = [](clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  double own = -seconds(CLOCK_THREAD_CPUTIME_ID);
  double all = -seconds(CLOCK_PROCESS_CPUTIME_ID);
  (void)build(options, list);
  all += seconds(CLOCK_PROCESS_CPUTIME_ID);
  own += seconds(CLOCK_THREAD_CPUTIME_ID);
  return all - own;
}

#ifdef CRIVO_IS_EMULATED
constexpr int kTries = 10;  // the emulator's own threads count, too
#else
constexpr int kTries = 1;
#endif

TEST(Make, ThreadsAreStartedWhereTheyAreAskedFor) {
  const KeyList list = present_keys(200'000);
  crivo_options options = options_of("ribbon");
  for (const std::uint32_t threads : {0U, 1U}) {  // 0, the value in a zeroed struct, means 1
    options.threads = threads;
    double least = seconds_of_helpers(options, list);
    for (int i = 1; i < kTries; ++i) least = std::min(least, seconds_of_helpers(options, list));
    EXPECT_LE(least, 1e-4);  // a thread needs more; a sanitizer needs a little
  }
  for (const std::uint32_t threads : {2U, CRIVO_ALL_THREADS}) {
    if (threads == CRIVO_ALL_THREADS && std::thread::hardware_concurrency() < 2) continue;
    options.threads = threads;
    double most = 0;  // on a busy machine, the caller may finish before a helper thread runs
    for (int i = 0; i < 100 && most <= 1e-4; ++i) most = std::max(most, seconds_of_helpers(options, list));
    EXPECT_GT(most, 1e-4) << threads;
  }
}

TEST(Make, CreateWantsAKindThatAddsAndACapacity) {
  crivo_filter* filter = nullptr;
  // Checked before memory is allocated, so a size of a terabyte does not change the status.
  const crivo_options ribbon = options_of("ribbon", std::uint64_t{1} << 40);
  EXPECT_EQ(failure(CRIVO_UNSUPPORTED, crivo_create, &ribbon, &filter),
            "kind must support adding keys, got ribbon; it is built once, from all keys");
  const crivo_options without = options_of("blocked");
  EXPECT_THAT(failure(CRIVO_BAD_ARGUMENT, crivo_create, &without, &filter), HasSubstr("capacity must be in [1, "));
  EXPECT_EQ(failure(CRIVO_BAD_ARGUMENT, crivo_create, nullptr, &filter), "options must not be NULL");
  EXPECT_EQ(filter, nullptr);
}

// As in SQL, RocksDB and the tool: with a misspelled name, a user would measure another instruction set than intended.
TEST(Make, NoFilterIsMadeOrReadWhileAnInstructionSetIsMisspelt) {
  crivo_options options = options_of("blocked", 10);
  crivo_filter* made = nullptr;
  crivo_builder* builder = nullptr;
  const Blob blob = blob_of(make(crivo_create, &options));
  const crivo_keys keys{"ab", 2, nullptr, 1, 2};
  const Environment altivec("CRIVO_ISA", "altivec");
  const auto refuses = [](auto... call) {
    EXPECT_THAT(failure(CRIVO_BAD_ARGUMENT, call...), StartsWith("CRIVO_ISA must be one of scalar"));
  };
  refuses(crivo_create, &options, &made);
  refuses(crivo_build, nullptr, &keys, &made);
  refuses(crivo_build_from_hashes, nullptr, nullptr, 0, &made);
  refuses(crivo_builder_create, nullptr, &builder);
  refuses(crivo_read, blob.data(), blob.size(), nullptr, &made);
  refuses(crivo_borrow, blob.data(), blob.size(), nullptr, &made);
  refuses(crivo_open, "/dev/null", nullptr, &made);
}

TEST(Make, ABuilderIsFinishedOnce) {
  const Builder builder = start(nullptr);
  const Filter made = make(crivo_builder_finish, builder.get());
  crivo_filter* filter = made.get();
  const std::string expected = "builder must not be used after crivo_builder_finish, got a finished one";
  const auto refuses = [&](auto... call) { EXPECT_EQ(failure(CRIVO_BAD_ARGUMENT, call...), expected); };
  refuses(crivo_builder_add, builder.get(), "a", 1);
  refuses(crivo_builder_add_hashes, builder.get(), nullptr, 0);
  const crivo_keys none{};
  refuses(crivo_builder_add_keys, builder.get(), &none);
  refuses(crivo_builder_finish, builder.get(), &filter);
  EXPECT_EQ(filter, made.get());
}

TEST(Make, DropCountsLeavesABlockedFilterOfTheSameAnswers) {
  const Filter counting = filter_of("counting", kKeys);
  const Filter blocked = make(crivo_drop_counts, counting.get());
  EXPECT_STREQ(facts_of(blocked).kind, "blocked");
  EXPECT_EQ(facts_of(blocked).payload_bytes * 4, facts_of(counting).payload_bytes);
  EXPECT_EQ(hits_of(blocked, absent_keys(kKeys)), hits_of(counting, absent_keys(kKeys)));
  const Filter other = filter_of("classic", 10);
  crivo_filter* made = nullptr;
  failure(CRIVO_UNSUPPORTED, crivo_drop_counts, other.get(), &made);
}

TEST(Make, MaxBytesBoundsAFilterWhenItIsMadeAndWhenItGrows) {
  crivo_options options = options_of("blocked", 1'000'000);
  options.max_bytes = 1000;
  crivo_filter* filter = nullptr;
  const auto message = failure(CRIVO_TOO_LARGE, crivo_create, &options, &filter);
  EXPECT_THAT(message, HasSubstr("1000"));
  EXPECT_EQ(filter, nullptr);

  options = options_of("scalable", 100);
  options.max_bytes = 10'000;
  const Filter growing = create(options);
  const Filter copy = make(crivo_copy, growing.get());
  for (const Filter* grown : {&growing, &copy}) {
    crivo_status status = CRIVO_OK;
    std::uint64_t added = 0;
    while (status == CRIVO_OK) status = add(*grown, present(added++));
    EXPECT_EQ(status, CRIVO_TOO_LARGE);
    EXPECT_LE(facts_of(*grown).payload_bytes, 10'000U);
    EXPECT_EQ(found(*grown, present_keys(added - 1)), added - 1);
  }
}

}  // namespace
}  // namespace crivo::testing
