// Compares maps and exact filters with a std::map in random walks over the calls of a builder. The walks vary the
// order, the options and the invalid calls, and how the result is stored, opened and queried.
#include <unistd.h>

#include <filesystem>
#include <map>

#include "crivo/blob.h"
#include "crivo/blob_file.h"
#include "crivo/builder.h"
#include "crivo/map.h"
#include "crivo/mapped_filter.h"
#include "filters.h"
#include "matchers.h"
#include "random_walk.h"
#include "temp_folder.h"

namespace crivo::testing {
namespace {

class PairsWalk {
 public:
  explicit PairsWalk(std::uint64_t seed) : random_(seed) {
    spec_.kind = random_.percent(50) ? Kind::kMap : Kind::kExact;
    spec_.fp_rate = random_.one_of<double>({1, 1, 0.5, 0.01, 1e-6});
    spec_.seed = random_.below(3);
    if (random_.percent(20)) spec_.capacity = 1 + random_.below(3000);
    if (is_map() && random_.percent(50)) spec_.value_bits = static_cast<unsigned>(1 + random_.below(32));
    most_ = is_map() ? UINT64_MAX >> (64 - (spec_.value_bits == 0 ? 32 : spec_.value_bits)) : 1;
    options_.threads = 1 + static_cast<unsigned>(random_.below(3));
    if (random_.percent(30)) options_.max_memory = kMinBuildMemoryBytes;
    keys_ = random_.one_of<std::uint64_t>({3, 100, 100, 3000, 20'000, 200'000});
  }

  void walk() {
    Result<FilterBuilder> builder = FilterBuilder::create(spec_, options_);
    ASSERT_TRUE(builder) << builder.error().message;
    const std::uint64_t calls = random_.below(40);
    for (std::uint64_t i = 0; i < calls; ++i) ASSERT_NO_FATAL_FAILURE(add_some(*builder));
    if (found_) return;
    ASSERT_EQ(builder->keys(), added_);
    const Result<AnyFilter> built = builder->finish();
    if (conflict_) {
      ASSERT_FALSE(built);
      ASSERT_EQ(built.error().code, ErrorCode::kBadArgument);
      ASSERT_EQ(built.error().key_hash, conflict_);
      return;
    }
    ASSERT_TRUE(built) << built.error().message;
    ASSERT_EQ(built->facts().keys, added_);
    ASSERT_NO_FATAL_FAILURE(expect_model(built->ref()));
    ASSERT_NO_FATAL_FAILURE(expect_model_of_blob(built->ref()));
  }

 private:
  [[nodiscard]] bool is_map() const noexcept { return spec_.kind == Kind::kMap; }
  [[nodiscard]] std::string draw_key() { return "key " + std::to_string(random_.below(keys_)); }
  [[nodiscard]] std::uint64_t hash(const std::string& key) const { return hash_key(key, spec_.seed); }

  /// The key's usual value, and rarely another one.
  [[nodiscard]] std::uint64_t draw_value(std::uint64_t key_hash) {
    if (random_.below(20'000) == 0) return random_.below(2) & most_;
    return (key_hash >> 20) & most_ & (is_map() || key_hash % 8 == 0 ? UINT64_MAX : 0);
  }

  void note(std::uint64_t key_hash, std::uint64_t value) {
    const auto [known, is_new] = model_.emplace(key_hash, value);
    // If several keys have two values, the builder may name any of them, so a walk ends with the first.
    if (!is_new && known->second != value) conflict_ = key_hash;
    ++added_;
  }

  void add_some(FilterBuilder& builder) {
    if (conflict_) return;
    switch (random_.below(6)) {
      case 0: {
        const std::string key = draw_key();
        const std::uint64_t value = draw_value(hash(key));
        note(hash(key), value);
        return expect_added(builder.add(key, value));
      }
      case 1:
        ASSERT_EQ(builder.add(draw_key()).error().code, ErrorCode::kUnsupported);
        return;
      case 2:
        if (most_ == UINT64_MAX) return;
        ASSERT_THAT(builder.add(draw_key(), most_ + 1).error().message, StartsWith("value must be in [0, "));
        return;
      case 3: {
        const std::uint64_t hashes[2] = {};
        ASSERT_FALSE(builder.add_hashes(hashes, std::span<const std::uint64_t>()));
        return;
      }
      default: {
        std::vector<std::uint64_t> hashes;
        std::vector<std::uint64_t> values;
        for (std::uint64_t left = random_.below(1 + keys_ / 4); left > 0 && !conflict_; --left) {
          hashes.push_back(hash(draw_key()));
          values.push_back(draw_value(hashes.back()));
          note(hashes.back(), values.back());
        }
        expect_added(builder.add_hashes(hashes, values));
      }
    }
  }

  /// The builder may report two values of a key at once, or in finish().
  void expect_added(const Result<void>& added) {
    if (added) return;
    ASSERT_EQ(added.error().key_hash, conflict_) << added.error().message;
    found_ = true;
  }

  /// Looks up all keys of the model, one by one or in a batch.
  void expect_model(const FilterRef& filter) {
    std::vector<std::uint64_t> hashes;
    std::vector<std::uint64_t> expected;
    for (const auto& [key_hash, value] : model_) {
      hashes.push_back(key_hash);
      expected.push_back(value);
    }
    const std::unique_ptr<bool[]> hits(new bool[hashes.size() + 1]);
    filter.may_contain_hashes(hashes, {hits.get(), hashes.size()});
    std::vector<std::uint64_t> values(hashes.size());
    if (is_map()) {
      const MapRef map = *MapRef::of(filter);
      ASSERT_TRUE(std::all_of(hits.get(), hits.get() + hashes.size(), [](bool hit) { return hit; }));
      map.find_hashes(hashes, values, {hits.get(), hashes.size()});
      for (std::size_t i = 0; i < hashes.size(); i += 17) ASSERT_EQ(map.find_hash(hashes[i]), expected[i]);
    } else {
      std::copy_n(hits.get(), hashes.size(), values.begin());
      for (std::size_t i = 0; i < hashes.size(); i += 17) {
        ASSERT_EQ(filter.may_contain_hash(hashes[i]), expected[i] == 1);
      }
    }
    ASSERT_EQ(values, expected);
  }

  void expect_model_of_blob(const FilterRef& filter) {
    const BlobForm form = random_.one_of<BlobForm>({BlobForm::kRaw, BlobForm::kSmallest, BlobForm::kMappable});
    const Result<std::vector<std::byte>> blob = to_blob(filter, form);
    ASSERT_TRUE(blob);
    const Result<OpenedBlob> opened = parse_blob(*blob);
    ASSERT_TRUE(opened) << opened.error().message;
    ASSERT_NO_FATAL_FAILURE(expect_model(opened->ref()));
    const TempFolder folder;
    const std::string path = folder.file("pairs.crivo");
    ASSERT_TRUE(write_blob_file(filter, path, form).has_value());
    const Result<MappedFilter> mapped = MappedFilter::open(path);
    ASSERT_TRUE(mapped) << mapped.error().message;
    std::uint64_t turn = 0;
    for (const auto& [key_hash, value] : model_) {
      if (++turn % 13 != 0) continue;
      if (is_map()) {
        const auto found = mapped->find_hash(key_hash);
        ASSERT_TRUE(found.has_value());
        ASSERT_EQ(*found, value);
      } else {
        const auto has = mapped->may_contain_hash(key_hash);
        ASSERT_TRUE(has.has_value());
        ASSERT_EQ(*has, value == 1);
      }
    }
  }

  Random random_;
  FilterSpec spec_;
  BuildOptions options_;
  std::uint64_t keys_ = 0;
  std::uint64_t most_ = 0;
  std::uint64_t added_ = 0;
  std::map<std::uint64_t, std::uint64_t> model_;
  std::optional<std::uint64_t> conflict_;  // a key that was added with two values
  bool found_ = false;                     // whether the builder has already reported it
};

void walk_from(std::uint64_t first, std::uint64_t count) {
  walk_seeds("CRIVO_PAIRS_SEED", first, count, [](std::uint64_t seed) { PairsWalk(seed).walk(); });
}

TEST(PairsWalks, AnswerAsAMap) { walk_from(1, 150); }
TEST(PairsWalks, AnswerAsAMapLong) { walk_from(1000, 20'000); }

}  // namespace
}  // namespace crivo::testing
