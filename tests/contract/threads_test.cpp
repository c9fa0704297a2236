// Any number of threads may ask one filter, while others build their own. What it is worth shows under ThreadSanitizer.
#include <atomic>
#include <thread>

#include "every_kind.h"

namespace crivo::testing {
namespace {

class Threads : public PerKind {};
CRIVO_FOR_EVERY_KIND(Threads);

TEST_P(Threads, AskOneFilterWhileOthersBuildTheSame) {
  constexpr std::uint64_t kKeys = 5'000;  // a ribbon has several levels from 2049 on
  const auto present = present_hashes(kKeys, 0);
  const auto absent = absent_hashes(kKeys, 0);
  const AnyFilter filter = build_filter(kind(), kKeys, 0.1);
  const FilterRef ref = filter.ref();
  std::atomic<std::uint64_t> missing{0};
  std::atomic<std::uint64_t> found_in_all{0};
  std::atomic<std::uint64_t> different{0};
  const auto ask = [&] {
    missing += kKeys - count_found(ref, present);
    for (const std::uint64_t hash : present) missing += ref.may_contain_hash(hash) ? 0 : 1;
    for (const std::uint64_t hash : absent) found_in_all += ref.may_contain_hash(hash) ? 1 : 0;
    different += ref.stats().bits_set == 0 ? 1 : 0;
  };
  const auto build = [&] {
    const AnyFilter other = build_filter(kind(), kKeys, 0.1);
    different += std::ranges::equal(other.payload(), filter.payload()) ? 0 : 1;
  };
  constexpr unsigned kAsking = 4;
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < kAsking; ++i) threads.emplace_back(ask);
  for (unsigned i = 0; i < 2; ++i) threads.emplace_back(build);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(missing, 0U);
  EXPECT_EQ(different, 0U);
  EXPECT_EQ(found_in_all, kAsking * count_found(ref, absent));
}

}  // namespace
}  // namespace crivo::testing
