// Builds with a memory limit give the same bytes as builds without one, from hashes in temporary files.
#include "crivo/builder.h"
#include "disk.h"
#include "every_kind.h"
#include "temp_folder.h"

namespace crivo::testing {
namespace {

constexpr std::uint64_t kLimit = kMinBuildMemoryBytes;  // enough for 900,000 hashes
constexpr std::uint64_t kDistinct = 940'000;
constexpr std::uint64_t kRepeated = 50'000;

class MemoryLimit : public PerKind {};
CRIVO_FOR_EVERY_KIND(MemoryLimit);

/// A filter of these hashes. Some of them are repeated at the end.
Result<AnyFilter> try_build(const FilterSpec& spec, const std::vector<std::uint64_t>& hashes,
                            const BuildOptions& options) {
  auto builder = FilterBuilder::create(spec, options);
  if (!builder) return builder.error();
  for (const auto part : {std::span(hashes), std::span(hashes).first(std::min(kRepeated, hashes.size()))}) {
    if (auto added = add_to(*builder, spec.kind, part); !added) return added.error();
  }
  return builder->finish();
}
AnyFilter build_of(const FilterSpec& spec, const std::vector<std::uint64_t>& hashes, const BuildOptions& options) {
  return *try_build(spec, hashes, options);
}
std::string refusal(const FilterSpec& spec, const std::vector<std::uint64_t>& hashes, const BuildOptions& options) {
  return message_of(try_build(spec, hashes, options));
}

TEST_P(MemoryLimit, GivesTheSameFilterAsWithoutIt) {
  const TempFolder folder;
  const auto hashes = present_hashes(kDistinct, 0);
  for (const std::uint64_t capacity : {std::uint64_t{0}, kDistinct * 6 / 5}) {
    const FilterSpec spec = spec_for(capacity, 0.3);
    std::size_t most_files = 0;
    double last = 0;
    const auto on_progress = [&](double done) {
      EXPECT_GE(done, last);
      last = done;
      most_files = std::max(most_files, unnamed_files_in(folder.path()).size());
      return true;
    };
    const AnyFilter limited =
        build_of(spec, hashes, {.progress = on_progress, .max_memory = kLimit, .temp_folder = folder.path()});
    expect_same_filter(limited.ref(), build_of(spec, hashes, {}).ref());
    EXPECT_EQ(last, 1);
    const bool goes_straight_in = (capacity != 0 || needs_no_capacity()) && GetParam().can.add;
    EXPECT_EQ(most_files > 0, !goes_straight_in);
    EXPECT_EQ(unnamed_files_in(folder.path()).size(), 0U);
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  }
}

TEST_P(MemoryLimit, GivesTheSameFilterOfFewKeys) {
  for (const std::size_t keys : {0U, 1U, 3000U}) {
    const auto hashes = present_hashes(keys, 0);
    expect_same_filter(build_of(spec_for(0), hashes, {.max_memory = kLimit}).ref(),
                       build_of(spec_for(0), hashes, {}).ref());
  }
}

TEST_P(MemoryLimit, MustBeEnoughForAnyBuild) {
  const auto refused = FilterBuilder::create(spec_for(0), {.max_memory = kLimit - 1});
  EXPECT_EQ(refused.error().code, ErrorCode::kBadArgument);
  EXPECT_EQ(refused.error().message, "max_memory must be at least 16777216, got 16777215");
}

TEST_P(MemoryLimit, RefusesAFilterThatTakesItAtOnceIfItsSizeIsKnown) {
  if (!GetParam().can.add || needs_no_capacity()) return;  // the payload may be in a file, or begins small
  const auto refused = FilterBuilder::create(spec_for(20'000'000), {.max_memory = kLimit});
  EXPECT_EQ(refused.error().code, ErrorCode::kBadArgument);
  EXPECT_THAT(refused.error().message, StartsWith("max_memory must be at least "));
  EXPECT_THAT(refused.error().message, HasSubstr(", got 16777216"));
}

TEST_P(MemoryLimit, RefusesAFilterThatTakesItWhenItsKeysAreCounted) {
  if (!GetParam().can.add || needs_no_capacity()) return;  // the payload is in a file, or no keys are counted
  const auto hashes = present_hashes(1'500'000, 0);
  const auto message = refusal(spec_for(0, 1e-9), hashes, {.max_memory = kLimit});
  EXPECT_THAT(message, StartsWith("max_memory must be at least "));
  // The minimum in the message is sufficient.
  const std::uint64_t enough = std::stoull(message.substr(message.find("least ") + 6));
  EXPECT_EQ(refusal(spec_for(0, 1e-9), hashes, {.max_memory = enough}), "no error");
}

TEST_P(MemoryLimit, RefusesAFilterThatGrowsBeyondIt) {
  if (!GetParam().can.grow) return;
  const auto hashes = present_hashes(1'000'000, 0);
  const auto with = [&](std::uint64_t limit) { return refusal(spec_for(100, 1e-9), hashes, {.max_memory = limit}); };
  std::uint64_t enough = 0;  // the limit in the last message: enough for one more layer
  for (std::uint64_t limit = kLimit; with(limit) != "no error"; limit = enough) {
    const auto message = with(limit);
    ASSERT_THAT(message, MatchesRegex("max_memory must be at least [0-9]+ for a filter of [0-9]+ bytes, got " +
                                      std::to_string(limit)));
    enough = std::stoull(message.substr(message.find("least ") + 6));
    ASSERT_GT(enough, limit);
    if (needs_no_capacity()) enough = 2 * limit;  // otherwise, one round per group of a few hundred keys
  }
  EXPECT_GT(enough, kLimit);
  EXPECT_THAT(refusal(spec_for(100, 1e-9), hashes, {.max_bytes = 100'000, .max_memory = kLimit}),
              MatchesRegex("payload with a new (layer|group) must be at most the limit of 100000 bytes.*"));
}

TEST_P(MemoryLimit, EndsWhenTheCallerCancels) {
  const auto hashes = present_hashes(kDistinct, 0);
  for (const double share : {0.0, 0.6}) {
    double last = 0;
    const auto stop = [&](double done) {
      EXPECT_GE(done, last);
      last = done;
      return done <= share;
    };
    const auto message = refusal(spec_for(0, 0.3), hashes, {.progress = stop, .max_memory = kLimit});
    EXPECT_THAT(message, StartsWith("cancelled by the progress function"));
  }
}

TEST_P(MemoryLimit, SaysThatTheTemporaryFolderIsNoFolder) {
  if (needs_no_capacity()) return;  // the builder stores no pending keys
  const auto message =
      refusal(spec_for(0, 0.3), present_hashes(kDistinct, 0), {.max_memory = kLimit, .temp_folder = "/nowhere"});
  EXPECT_EQ(message, "temp_folder must be writable, got /nowhere: No such file or directory");
}

TEST_P(MemoryLimit, SaysThatTheDiskIsFull) {
  if (needs_no_capacity()) return;  // the builder stores no pending keys
  const FullDisk disk(1 << 20);
  const auto message =
      refusal(spec_for(0, 0.3), present_hashes(kDistinct, 0), {.max_memory = kLimit, .temp_folder = "/tmp"});
  EXPECT_EQ(message, "temp_folder must have space for the hashes of a build, got /tmp: File too large");
}

TEST(MemoryLimitOfARibbon, LetsThePayloadLieInAFileToo) {
  const TempFolder folder;
  const FilterSpec spec{.kind = Kind::kRibbon, .fp_rate = 1e-7};
  const auto hashes = present_hashes(2'000'000, 0);
  {
    const AnyFilter limited = build_of(spec, hashes, {.max_memory = kLimit, .temp_folder = folder.path()});
    EXPECT_EQ(unnamed_files_in(folder.path()).size(), 1U) << "the payload";
    expect_same_filter(limited.ref(), build_of(spec, hashes, {}).ref());
    const AnyFilter copy = limited;  // NOLINT(performance-unnecessary-copy-initialization)
    EXPECT_EQ(unnamed_files_in(folder.path()).size(), 1U) << "the copy lies in memory";
    expect_same_filter(copy.ref(), limited.ref());
  }
  EXPECT_EQ(unnamed_files_in(folder.path()).size(), 0U);
}

TEST(MemoryLimitOfARibbon, HoldsWithThreads) {
  const FilterSpec spec{.kind = Kind::kRibbon};
  const auto hashes = present_hashes(2'000'000, 0);
  const AnyFilter expected = build_of(spec, hashes, {});
  for (const unsigned threads : {2U, 64U}) {
    const BuildOptions options{.threads = threads, .max_memory = 2 * kLimit};
    expect_same_filter(build_of(spec, hashes, options).ref(), expected.ref());
  }
}

TEST(MemoryLimitOfARibbon, RefusesHashesThatAreNotUniform) {
  std::vector<std::uint64_t> close(2'000'000);  // all in one bucket, which exceeds every allowed limit
  for (std::size_t i = 0; i < close.size(); ++i) close[i] = i;
  EXPECT_THAT(refusal({.kind = Kind::kRibbon}, close, {.max_memory = kLimit}),
              StartsWith("hashes must be uniform, as hash_key makes them, got "));
}

}  // namespace
}  // namespace crivo::testing
