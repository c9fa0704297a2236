// Any number of threads may ask one filter. What the test is worth shows under ThreadSanitizer.
#include <atomic>
#include <thread>

#include "c_filters.h"

namespace crivo::testing {
namespace {

class ThreadsPerKind : public PerKind {};
CRIVO_FOR_KINDS(ThreadsPerKind, every_kind());

TEST_P(ThreadsPerKind, AskOneFilterEverythingWhileOthersBuildTheSame) {
  constexpr std::uint64_t kKeys = 3'000;
  const KeyList list = present_keys(kKeys);
  const crivo_keys* keys = list.keys();
  const Blob blob = blob_of(filter_of(GetParam(), kKeys));
  const Filter owned = read(blob);
  const Filter borrowed = borrow(blob);
  std::atomic<int> wrong{0};
  const auto ask = [&](const crivo_filter* filter) {
    std::vector<std::uint8_t> hits(kKeys);
    wrong += crivo_contains_keys(filter, keys, hits.data(), nullptr) != CRIVO_OK ? 1 : 0;
    for (const std::uint8_t hit : hits) wrong += hit == 1 ? 0 : 1;
    for (std::uint64_t i = 0; i < kKeys; ++i) {
      const std::string key = present(i);
      wrong += crivo_contains(filter, key.data(), key.size(), nullptr) == 1 ? 0 : 1;
    }
    auto facts = sized<crivo_facts>();
    wrong += crivo_get_facts(filter, &facts, nullptr) != CRIVO_OK || facts.keys != kKeys ? 1 : 0;
    auto stats = sized<crivo_stats>();
    wrong += crivo_get_stats(filter, &stats, nullptr) != CRIVO_OK || stats.bits_set == 0 ? 1 : 0;
    Blob written(crivo_blob_bound(filter));
    std::uint64_t bytes = 0;
    wrong += crivo_write(filter, CRIVO_FORM_RAW, 0, written.data(), written.size(), &bytes, nullptr) != CRIVO_OK;
    written.resize(bytes);
    wrong += written == blob ? 0 : 1;
    crivo_filter* copy = nullptr;
    wrong += crivo_copy(filter, &copy, nullptr) != CRIVO_OK;
    crivo_free(copy);
    crivo_error error{};  // errors are the caller's own
    wrong += crivo_contains(nullptr, "a", 1, &error) == -CRIVO_BAD_ARGUMENT ? 0 : 1;
  };
  const auto build = [&] { wrong += blob_of(filter_of(GetParam(), kKeys)) == blob ? 0 : 1; };
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&] { ask(owned.get()); });
    threads.emplace_back([&] { ask(borrowed.get()); });
    threads.emplace_back(build);
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace crivo::testing
