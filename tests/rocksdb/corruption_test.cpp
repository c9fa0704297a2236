// Damaged filter blocks in SST files: a read more is fine, a key less is not.
#include <algorithm>
#include <array>
#include <functional>
#include <random>
#include <span>

#include "corruption_support.h"
#include "crivo/host/sst_block.h"

namespace crivo::testing {
namespace {

constexpr std::uint64_t kKeys = 6000;

struct Damage {
  std::string name;
  std::function<void(std::span<char> block, std::mt19937_64& random)> apply;
};

std::vector<Damage> damages() {
  const auto marker = [](char value) {
    return [value](std::span<char> block, std::mt19937_64&) { block[block.size() - 5] = value; };
  };
  const auto fill = [](std::span<char> part, char value) { std::ranges::fill(part, value); };
  const auto noise = [](std::span<char> part, std::mt19937_64& random) {
    for (char& byte : part) byte = static_cast<char>(random());
  };
  return {
      {"400 zeros in the payload",
       [=](auto block, auto&) { fill(block.subspan(64, std::min<std::size_t>(400, block.size() - 96)), 0); }},
      {"one bit of the payload",
       [](auto block, auto& random) {
         char& byte = block[random() % (block.size() - kSstTrailerBytes)];
         byte = static_cast<char>(byte ^ 1 << random() % 8);
       }},
      {"a payload of noise", [=](auto block, auto& random) { noise(block.first(block.size() - 32), random); }},
      {"a payload of zeros", [=](auto block, auto&) { fill(block.first(block.size() - 32), 0); }},
      {"a block of zeros", [=](auto block, auto&) { fill(block, 0); }},
      {"a block of ones", [=](auto block, auto&) { fill(block, -1); }},
      {"a block of noise", [=](auto block, auto& random) { noise(block, random); }},
      {"a trailer of noise", [=](auto block, auto& random) { noise(block.last(32), random); }},
      {"the payload moved by one",
       [](auto block, auto&) { std::rotate(block.begin(), block.begin() + 1, block.end() - 32); }},
      {"Bloom's marker", marker(-1)},
      {"Ribbon's marker", marker(-2)},
      {"a legacy marker", marker(6)},
      {"Bloom's trailer over zeros",
       [=](auto block, auto&) {
         fill(block, 0);
         std::ranges::copy(std::array<char, 5>{-1, 0, 6, 0, 0}, block.end() - 5);
       }},
      {"Ribbon's trailer over zeros",
       [=](auto block, auto&) {
         fill(block, 0);
         std::ranges::copy(std::array<char, 5>{-2, 1, 2, 0, 0}, block.end() - 5);
       }},
  };
}

class EverySurrounding : public ::testing::TestWithParam<std::tuple<PolicyMaker, bool, bool, bool>> {};

TEST_P(EverySurrounding, LosesNoKeyToADamagedFilterBlock) {
  const auto [policy, checksums, cached, partitioned] = GetParam();
  const rocksdb::Options options = options_for(policy.make(10), {checksums, cached, partitioned}, 2048);
  ScratchDatabase db(options);
  put_keys(*db, 0, kKeys);
  expect_filters_at_work(*db, options, kKeys, policy.name);
  const auto files = sst_files(db.path());
  ASSERT_EQ(files.size(), 1U);
  const std::string sound = read_bytes(files[0]);
  const auto blocks = filter_blocks(sound);
  ASSERT_EQ(blocks.size() > 1, partitioned) << blocks.size() << " blocks";
  ASSERT_GE(blocks.size(), 1U);

  std::mt19937_64 random(3);
  for (const Damage& damage : damages()) {
    SCOPED_TRACE(damage.name);
    std::string damaged = sound;
    for (const Extent& block : blocks) damage.apply(std::span(damaged).subspan(block.offset, block.size), random);
    ASSERT_NE(damaged, sound);
    write_bytes(files[0], damaged);
    db.reopen(options);
    const std::uint64_t before = filter_useful(options);
    EXPECT_EQ(count_not_found(*db, 0, kKeys), 0U);
    EXPECT_EQ(count_not_found_by_multiget(*db, 0, kKeys), 0U);
    EXPECT_EQ(filter_useful(options), before) << "a damaged filter must not say no to anything";
  }
}

std::string surrounding_name(const ::testing::TestParamInfo<std::tuple<PolicyMaker, bool, bool, bool>>& test) {
  const auto [policy, checksums, cached, partitioned] = test.param;
  return policy.label + (checksums ? "Checksums" : "NoChecksums") + (cached ? "Cached" : "Preloaded") +
         (partitioned ? "Partitioned" : "Full");
}

INSTANTIATE_TEST_SUITE_P(Rocksdb, EverySurrounding,
                         ::testing::Combine(::testing::ValuesIn(our_policies()), ::testing::Bool(), ::testing::Bool(),
                                            ::testing::Bool()),
                         surrounding_name);

}  // namespace
}  // namespace crivo::testing
