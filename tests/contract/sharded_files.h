// Sharded filters in a temporary folder, for tests of their readers.
#pragma once

#include <filesystem>
#include <string>

#include "crivo/blob_file.h"
#include "crivo/sharded_builder.h"
#include "crivo/sharded_filter.h"
#include "every_kind.h"
#include "temp_folder.h"

namespace crivo::testing {

inline constexpr std::uint32_t kShards = 8;

class ShardedFiles {
 protected:
  Manifest build(const FilterSpec& spec, std::span<const std::uint64_t> hashes, std::uint32_t shards = kShards) const {
    auto builder = ShardedBuilder::create(spec, shards);
    EXPECT_TRUE(builder->add_hashes(hashes));
    EXPECT_EQ(builder->keys(), hashes.size());
    return *builder->finish(path_);
  }
  [[nodiscard]] std::string path_of(std::uint32_t shard) const {
    return shard_path(path_, *read_manifest(path_), shard);
  }
  /// A filter file that is not a shard.
  [[nodiscard]] std::string file_of(const FilterSpec& spec) const {
    std::string path = folder_.file("other");
    EXPECT_TRUE(write_blob_file(build_filter(spec, 1000).ref(), path).has_value());
    return path;
  }
  /// Calls look() while the shard's file is removed, or replaced with the file `other`.
  template <class Look>
  void with_other(std::uint32_t shard, const std::string& other, const Look& look) const {
    constexpr auto kOverwrite = std::filesystem::copy_options::overwrite_existing;
    const std::string good = path_of(shard);
    std::filesystem::copy_file(good, folder_.file("kept"), kOverwrite);
    std::filesystem::remove(good);
    if (!other.empty()) std::filesystem::copy_file(other, good);
    look();
    std::filesystem::copy_file(folder_.file("kept"), good, kOverwrite);
  }
  /// The error of a lookup in this shard.
  template <class Filter>
  static std::string refusal(Filter& filter, std::uint32_t shard) {
    for (std::uint64_t hash = 1;; hash += 0x9E3779B97F4A7C15) {
      if (shard_of(hash, kShards) == shard) return message_of(filter.may_contain_hash(hash));
    }
  }

  TempFolder folder_;
  std::string path_ = folder_.file("f.crivo");
};

}  // namespace crivo::testing
