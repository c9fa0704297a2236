// BuildOptions: threads and the host's memory do not change the bytes, progress rises to 1, cancelling is an error.
#include <cstring>
#include <map>
#include <memory_resource>

#include "crivo/builder.h"
#include "every_kind.h"

namespace crivo::testing {
namespace {

class BuildWith : public PerKind {
 protected:
  /// A filter of the present keys' hashes. A kind that cannot `add` is sized for its keys.
  static Result<AnyFilter> build(std::uint64_t keys, const BuildOptions& options) {
    return build_from(spec_for(std::max<std::uint64_t>(keys, 1)), present_hashes(keys, 0), options);
  }
};
CRIVO_FOR_EVERY_KIND(BuildWith);

/// A `progress` callback that records its arguments and never cancels.
auto noted_in(std::vector<double>& shares) {
  return [&shares](double done) {
    shares.push_back(done);
    return true;
  };
}

TEST_P(BuildWith, AnyNumberOfThreadsLeadsToTheSameBytes) {
  for (const std::uint64_t keys : {0U, 1U, 1000U, 100'000U}) {
    const auto expected = build(keys, {});
    for (const unsigned threads : {0U, 2U, 3U, 8U, 1U << 31}) {
      const auto filter = build(keys, {.threads = threads});
      expect_same_filter(filter->ref(), expected->ref());
    }
  }
}

// 270,000 keys, enough that each thread gets a range of the filter.
TEST_P(BuildWith, ThreadsAddToTheirOwnPartsInAnyOrderOfTheHashes) {
  auto hashes = present_hashes(270'000, 0);
  for (const bool sorted : {false, true}) {
    if (sorted) std::sort(hashes.begin(), hashes.end());
    const FilterSpec spec = spec_for(hashes.size());
    const auto expected = build_from(spec, hashes);
    for (const unsigned threads : {2U, 3U, 4U}) {
      const auto filter = build_from(spec, hashes, {.threads = threads});
      expect_same_filter(filter->ref(), expected->ref());
    }
  }
}

TEST_P(BuildWith, ABuilderWithThreadsMakesTheSameBytes) {
  const auto hashes = present_hashes(600'000, 0);  // duplicates are removed twice, each time with several threads
  FilterSpec spec = spec_for(1);
  spec.capacity = 0;
  const auto built_by = [&](unsigned threads) {
    auto builder = FilterBuilder::create(spec, {.threads = threads});
    EXPECT_TRUE(add_to(*builder, kind(), hashes));
    EXPECT_TRUE(add_to(*builder, kind(), std::span(hashes).first(hashes.size() / 2)));
    return *builder->finish();
  };
  const AnyFilter expected = built_by(1);
  expect_same_filter(built_by(3).ref(), expected.ref());
}

// The filter exceeds every cache, and each thread except the first has its own array. One probe keeps this test short.
TEST(BuildWithThreads, LargeClassicFiltersAreTheSame) {
  std::vector<std::uint64_t> hashes(10'000'000);
  for (std::size_t i = 0; i < hashes.size(); ++i) hashes[i] = (i + 1) * 0x9E3779B97F4A7C15;
  const FilterSpec spec{.kind = Kind::kClassic, .capacity = hashes.size(), .bits_per_key = 7.25, .smallest_blob = true};
  const auto expected = build_from(spec, hashes);
  ASSERT_GE(expected->payload().size(), std::size_t{64} << 20);
  ASSERT_LE(expected->payload().size(), 8 * hashes.size()) << "or one thread adds all";
  const auto filter = build_from(spec, hashes, {.threads = 2});
  expect_same_filter(filter->ref(), expected->ref());
}

TEST_P(BuildWith, MovedHashesGiveTheSameBytes) {
  if (GetParam().can.needs_values()) return;  // AnyFilter::build passes no values
  auto hashes = present_hashes(20'000, 0);
  hashes.insert(hashes.end(), hashes.begin(), hashes.begin() + 500);  // every fortieth hash occurs twice
  const FilterSpec spec = spec_for(hashes.size());
  const auto expected = build_from(spec, hashes);
  const auto filter = AnyFilter::build(spec, std::move(hashes));
  EXPECT_EQ(filter->facts().keys, 20'500U);
  EXPECT_EQ(filter->shape(), expected->shape());
  EXPECT_TRUE(std::ranges::equal(filter->payload(), expected->payload()));
}

TEST_P(BuildWith, ProgressRisesToOne) {
  for (const unsigned threads : {1U, 4U}) {
    std::vector<double> shares;
    ASSERT_TRUE(build(300'000, {.threads = threads, .progress = noted_in(shares)}));
    ASSERT_GE(shares.size(), 5U);
    EXPECT_TRUE(std::ranges::is_sorted(shares));
    EXPECT_GE(shares.front(), 0);
    EXPECT_LT(shares.front(), 1);
    EXPECT_EQ(shares.back(), 1);
    if (threads > 1) continue;
    for (std::size_t i = 1; i < shares.size(); ++i) EXPECT_LE(shares[i] - shares[i - 1], 0.25) << shares[i];
  }
}

// The reported progress is exact: at 0.5, half of the keys are in the filter.
TEST_P(BuildWith, ProgressIncludesTheLastChunk) {
  if (!GetParam().can.add) return;  // the progress of these kinds counts steps, not keys
  std::vector<double> shares;
  constexpr std::uint64_t kChunk = 1 << 16;
  ASSERT_TRUE(build(4 * kChunk, {.progress = noted_in(shares)}));
  EXPECT_EQ(shares, (std::vector<double>{0.25, 0.5, 0.75, 1}));
}

TEST_P(BuildWith, EveryCallOfProgressCanCancel) {
  for (const unsigned threads : {1U, 3U}) {
    unsigned calls_left = 0;
    unsigned calls = 0;
    const BuildOptions options{.threads = threads, .progress = [&](double) { return ++calls != calls_left; }};
    ASSERT_TRUE(build(100'000, options));
    for (const unsigned all = calls; calls_left < all;) {
      ++calls_left;
      calls = 0;
      const auto filter = build(100'000, options);
      ASSERT_FALSE(filter) << calls_left;
      EXPECT_EQ(filter.error().code, ErrorCode::kCancelled);
      EXPECT_EQ(filter.error().message, "cancelled by the progress function");
      EXPECT_EQ(calls, calls_left) << "called again after it said no";
    }
  }
}

/// A host's memory. Records its allocations, and fills them with a byte: 0 for payloads, another for temporary memory.
class HostMemory final : public std::pmr::memory_resource {
 public:
  explicit HostMemory(int fill) : fill_(fill) {}
  ~HostMemory() override { EXPECT_TRUE(pieces_.empty()) << "all of it must come back"; }
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;

  [[nodiscard]] bool has(std::span<const std::byte> bytes) const {
    return std::ranges::any_of(pieces_, [bytes](const auto& piece) {
      return bytes.data() >= piece.first && bytes.data() + bytes.size() <= piece.first + piece.second;
    });
  }
  [[nodiscard]] std::size_t pieces() const { return pieces_.size(); }

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    void* const memory = std::pmr::new_delete_resource()->allocate(bytes, alignment);
    pieces_[static_cast<const std::byte*>(memory)] = bytes;
    return std::memset(memory, fill_, bytes);
  }
  void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override {
    EXPECT_EQ(pieces_.at(static_cast<const std::byte*>(memory)), bytes);
    pieces_.erase(static_cast<const std::byte*>(memory));
    std::pmr::new_delete_resource()->deallocate(memory, bytes, alignment);
  }
  [[nodiscard]] bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }

  int fill_;
  std::map<const std::byte*, std::size_t> pieces_;
};

TEST_P(BuildWith, BuildsTheSameFilterInTheHostsMemory) {
  const bool grows = GetParam().can.grow;  // later growth uses other memory
  for (const std::uint64_t keys : {0U, 1U, 1000U, 100'000U}) {
    HostMemory payloads(0);
    HostMemory temporary(0xa5);
    const auto expected = build(keys, {});
    auto filter = build(keys, {.payload_memory = &payloads, .temporary_memory = &temporary});
    expect_same_filter(filter->ref(), expected->ref());
    EXPECT_TRUE(payloads.has(filter->payload()) || grows);
    EXPECT_EQ(temporary.pieces(), 0U) << "when the build has ended";

    AnyFilter copy = *filter;
    EXPECT_FALSE(payloads.has(copy.payload())) << "a copy may outlive the host's memory";
    const std::byte* const at = filter->payload().data();
    AnyFilter moved = *std::move(filter);
    EXPECT_EQ(moved.payload().data(), at) << "moving moves no bytes";
    std::swap(moved, copy);
    EXPECT_EQ(copy.payload().data(), at);
    expect_same_filter(moved.ref(), expected->ref());
    moved = std::move(copy);
    expect_same_filter(moved.ref(), expected->ref());
  }
}

TEST_P(BuildWith, TheBuilderPassesItsOptionsOn) {
  double done = 0;
  HostMemory payloads(0);
  bool go_on = true;
  const BuildOptions options{.progress =
                                 [&](double share) {
                                   EXPECT_GE(share, done);
                                   done = share;
                                   return go_on;
                                 },
                             .payload_memory = &payloads};
  for (const bool wanted : {true, false}) {
    go_on = wanted;
    done = 0;
    auto builder = FilterBuilder::create(spec_for(0), options);
    ASSERT_TRUE(add_to(*builder, kind(), present_hashes(5000, 0)));
    const auto filter = builder->finish();
    ASSERT_EQ(static_cast<bool>(filter), wanted);
    if (wanted) {
      EXPECT_TRUE(payloads.has(filter->payload()) || GetParam().can.grow);
    } else {
      EXPECT_EQ(filter.error().code, ErrorCode::kCancelled);
    }
  }
}

// Copies of a key can fill a cuckoo table early, so that the builder restarts with a larger one.
TEST_P(BuildWith, TheBuildersProgressNeverFalls) {
  std::vector<double> shares;
  auto builder = FilterBuilder::create(spec_for(0), {.progress = noted_in(shares)});
  const auto hashes = present_hashes(60'000, 0);
  for (int copies = 0; copies < 3; ++copies) {
    ASSERT_TRUE(add_to(*builder, kind(), hashes));
  }
  ASSERT_TRUE(builder->finish());
  EXPECT_TRUE(std::ranges::is_sorted(shares));
  EXPECT_EQ(shares.back(), 1);
}

}  // namespace
}  // namespace crivo::testing
