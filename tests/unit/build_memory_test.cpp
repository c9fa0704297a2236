// Tests what a build allocates, including from its caller's memory resources. A separate program, because it replaces
// malloc.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory_resource>

#include "bench/measure.h"
#include "crivo/builder.h"
#include "crivo/memory.h"
#include "filters.h"

namespace crivo {
namespace {

/// Counts the bytes that a build allocates from this resource, for the payload and for temporary data.
class Counted final : public std::pmr::memory_resource {
 public:
  [[nodiscard]] double peak() const { return static_cast<double>(peak_); }

 private:
  void* do_allocate(std::size_t bytes, std::size_t) override {
    const std::uint64_t used = used_ += bytes;
    std::uint64_t peak = peak_;
    while (peak < used && !peak_.compare_exchange_weak(peak, used)) {
    }
    return allocate_zeroed(bytes);
  }
  void do_deallocate(void* memory, std::size_t bytes, std::size_t) override {
    used_ -= bytes;
    free_zeroed(memory, bytes);
  }
  [[nodiscard]] bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }

  std::atomic<std::uint64_t> used_ = 0;
  std::atomic<std::uint64_t> peak_ = 0;
};

struct Measured {
  double allocated = 0;  // peak bytes allocated by malloc
  double counted = 0;    // peak bytes allocated by the options' memory resources
  double payload = 0;
  double bits_per_key(std::size_t keys) const { return 8 * (allocated - payload) / static_cast<double>(keys); }
};

template <class Hashes>
Measured measure(const FilterSpec& spec, Hashes&& hashes, BuildOptions options) {
  Counted memory;
  options.payload_memory = options.temporary_memory = &memory;
  Measured measured;
  measured.allocated = static_cast<double>(bench::peak_bytes([&] {
    const auto filter = AnyFilter::build(spec, std::forward<Hashes>(hashes), options);
    measured.payload = static_cast<double>(filter->payload().size());
  }));
  measured.counted = memory.peak();
  return measured;
}

template <class Hashes>
Measured measure_ribbon(Hashes&& hashes, unsigned threads = 1) {
  const FilterSpec spec{.kind = Kind::kRibbon, .capacity = hashes.size()};
  return measure(spec, std::forward<Hashes>(hashes), {.threads = threads});
}

// malloc rounds up; a build has some small strings and vectors; each thread has the bookkeeping of its stack.
void expect_close(const Measured& measured, unsigned threads) {
  EXPECT_LE(measured.allocated, 1.02 * measured.counted + 4096 + 1024 * threads);
  EXPECT_GE(measured.allocated, 0.98 * measured.counted - 4096);
}

TEST(BuildMemory, ComesFromTheCallersResources) {
  for (const std::size_t keys : {1000U, 10'000U, 100'000U, 1'000'000U}) {
    for (const unsigned threads : {1U, 3U}) {
      const auto hashes = testing::random_hashes(keys, keys);
      expect_close(measure_ribbon(hashes, threads), threads);
      expect_close(measure_ribbon(testing::random_hashes(keys, keys), threads), threads);
    }
  }
}

// The limit includes the hashes' own 64 bits per key. It is 0.4 times the 235 bits per key of RocksDB's Ribbon.
TEST(BuildMemory, IsSmallWhereNoCopyIsNeeded) {
  constexpr std::size_t kKeys = 1'000'000;
  auto hashes = testing::random_hashes(kKeys, kKeys);
  auto sorted = hashes;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_LE(64 + measure_ribbon(sorted).bits_per_key(kKeys), 94);
  EXPECT_LE(64 + measure_ribbon(std::move(hashes)).bits_per_key(kKeys), 94);
}

// Many keys of a large blocked filter are partitioned first, with or without a progress callback.
TEST(BuildMemory, CountsThePartsOfALargeBlockedFilter) {
  constexpr std::size_t kKeys = std::size_t{1} << 22;
  const auto hashes = testing::random_hashes(kKeys, kKeys);
  const FilterSpec spec{.kind = Kind::kBlocked, .capacity = kKeys, .bits_per_key = 130};
  for (const bool watched : {false, true}) {
    BuildOptions options;
    if (watched) options.progress = [](double) { return true; };
    const Measured measured = measure(spec, hashes, options);
    EXPECT_GE(measured.counted - measured.payload, 8 * kKeys) << "watched: " << watched;
    expect_close(measured, 1);
  }
}

// A pending hash occupies eight bytes. While hashes arrive, the builder reserves at most as many bytes again.
TEST(BuildMemory, OfABuilderIsWhatItPromises) {
  constexpr std::size_t kFull = std::size_t{1} << 20;  // the hashes fill the reserved memory
  for (const Kind kind : {Kind::kBlocked, Kind::kRibbon, Kind::kCounting}) {
    for (const std::size_t keys : {kFull, kFull + 1}) {
      const auto hashes = testing::random_hashes(keys, keys);
      double payload = 0;
      const std::size_t peak = bench::peak_bytes([&] {
        auto builder = FilterBuilder::create({.kind = kind});
        for (const std::uint64_t hash : hashes) ASSERT_TRUE(builder->add_hash(hash));
        const auto filter = builder->finish();
        payload = static_cast<double>(filter->payload().size());
      });
      const double kept = keys == kFull ? 8 : 16;
      const double build = kind == Kind::kRibbon ? 2 : 0.2;  // bytes per key
      EXPECT_LE((static_cast<double>(peak) - payload) / static_cast<double>(keys), kept + build)
          << kind_name(kind) << ", " << keys << " keys";
    }
  }
}

// The keys are added to the filter in one call, with the lowest max_memory that the builder accepts for them.
TEST(BuildMemory, OfABuilderStaysWithinItsLimit) {
  constexpr std::uint64_t kCallersBytes = std::uint64_t{8} << 20;  // see crivo/build_options.h
  const auto hashes = testing::random_hashes(std::size_t{5} << 20, 1);
  for (const KindInfo& info : kinds()) {
    if (!info.can.add || info.default_capacity != 0) continue;  // kinds with a default capacity begin small and grow
    const FilterSpec spec{.kind = info.kind, .capacity = 8 * hashes.size(), .bits_per_key = 16};
    const std::uint64_t enough = FilterBuilder::create(spec, {.max_memory = kMinBuildMemoryBytes}).error().needed_bytes;
    const std::size_t peak = bench::peak_bytes([&] {
      auto builder = FilterBuilder::create(spec, {.max_memory = enough});
      ASSERT_TRUE(builder->add_hashes(hashes));
      ASSERT_TRUE(builder->finish().has_value());
    });
    EXPECT_LE(peak, enough - kCallersBytes) << info.name;
  }
}

}  // namespace
}  // namespace crivo
