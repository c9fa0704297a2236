// A lookup by key gives the same answer as a lookup by hash, for every key length and instruction set.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "crivo/filter.h"
#include "filter/view_of.h"
#include "filters.h"
#include "kernels.h"

namespace crivo {
namespace {

constexpr std::uint64_t kSeed = 0x0123456789ABCDEF;

/// Keys of every length up to 40, and longer keys that use other branches of XXH3.
std::vector<std::string> keys_of_many_lengths() {
  std::vector<std::string> keys;
  for (std::size_t length = 0; length <= 40; ++length) keys.emplace_back(length, static_cast<char>('a' + length % 26));
  for (const std::size_t length : {128U, 129U, 240U, 241U, 5000U}) keys.emplace_back(length, '\xFF');
  return keys;
}

/// A filter with every second key, and thousands of other keys, because a ribbon needs many.
AnyFilter filter_of(Kind kind, double fp_rate, unsigned ribbon_width = 64) {
  std::vector<std::uint64_t> hashes;
  const auto keys = keys_of_many_lengths();
  for (std::size_t i = 0; i < keys.size(); i += 2) hashes.push_back(hash_key(keys[i], kSeed));
  for (int i = 0; i < 5000; ++i) hashes.push_back(hash_key(std::to_string(i), kSeed));
  return *testing::build_from(
      {.kind = kind, .capacity = hashes.size(), .fp_rate = fp_rate, .seed = kSeed, .ribbon_width = ribbon_width},
      hashes);
}

void expect_keys_answered_like_hashes(const Probe& probe, const AnyFilter& filter) {
  const FilterRef ref = filter.ref();
  const auto keys = keys_of_many_lengths();
  const std::vector<std::string_view> views(keys.begin(), keys.end());  // more than one internal batch
  const auto hits = std::make_unique<bool[]>(keys.size());
  probe.contains_keys(ViewOf::filter(ref), views.data(), views.size(), hits.get());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const bool by_hash = probe.contains(ViewOf::filter(ref), hash_key(keys[i], kSeed));
    EXPECT_EQ(probe.contains_key(ViewOf::filter(ref), keys[i]), by_hash) << "length " << keys[i].size();
    EXPECT_EQ(hits[i], by_hash) << "in a batch, length " << keys[i].size();
    EXPECT_TRUE(by_hash || i % 2 != 0) << "length " << keys[i].size();
  }
}

class EveryProbe : public ::testing::TestWithParam<Kernels> {};
INSTANTIATE_TEST_SUITE_P(Isa, EveryProbe, ::testing::ValuesIn(available_kernels().begin(), available_kernels().end()),
                         [](const auto& level) { return std::string(level.param.isa); });

TEST_P(EveryProbe, AnswersKeysLikeTheirHashes) {
  for (const double fp_rate : {0.3, 0.01, 0.0001}) {  // below and above eight probes, and eight columns
    expect_keys_answered_like_hashes(GetParam().blocked, filter_of(Kind::kBlocked, fp_rate));
    expect_keys_answered_like_hashes(GetParam().counting, filter_of(Kind::kCounting, fp_rate));
    expect_keys_answered_like_hashes(GetParam().ribbon, filter_of(Kind::kRibbon, fp_rate));
    expect_keys_answered_like_hashes(GetParam().narrow_ribbon, filter_of(Kind::kRibbon, fp_rate, 32));
  }
}

TEST(Probes, AnswerKeysLikeTheirHashesInEveryKind) {
  for (const KindInfo& info : kinds()) {
    const AnyFilter filter = filter_of(info.kind, 0.01);
    const auto keys = keys_of_many_lengths();
    const std::vector<std::string_view> views(keys.begin(), keys.end());
    const auto hits = std::make_unique<bool[]>(keys.size());
    filter.ref().may_contain_keys(views, {hits.get(), keys.size()});
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const bool by_hash = filter.ref().may_contain_hash(filter.ref().hash(keys[i]));
      EXPECT_EQ(filter.may_contain(keys[i]), by_hash) << info.name << ", length " << keys[i].size();
      EXPECT_EQ(hits[i], by_hash) << info.name << ", in a batch, length " << keys[i].size();
    }
  }
}

}  // namespace
}  // namespace crivo
