// Applies the same damage to filter blocks of Crivo and of RocksDB, and counts the live keys that are lost. Prints a
// table, and expects Crivo's columns to match plugins/rocksdb/README.md: accidental damage loses no key.
//
// The check in a block detects neither a valid block in the wrong place nor a block that was sealed on purpose.
// RocksDB's block checksums detect the first from format_version 6, and the second in all versions.

#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <random>
#include <span>

#include "crivo/host/sst_block.h"
#include "recording_policy.h"
#include "unsynced.h"

namespace crivo::testing {
namespace {

constexpr std::uint64_t kKeys = 4000;
constexpr std::size_t kPartitionBytes = 512;
constexpr std::size_t kRocksdbTrailer = 5;  // after every block: compression type and checksum

using Bytes = std::span<char>;

/// The files of a database as bytes, and the locations of their filter blocks.
struct Files {
  std::vector<std::string> paths;
  std::vector<std::string> bytes;
  std::vector<std::vector<RecordingPolicy::Block>> blocks;

  [[nodiscard]] Bytes block(std::size_t file, std::size_t index, std::size_t more = 0) {
    return Bytes(bytes[file]).subspan(blocks[file][index].offset, blocks[file][index].size + more);
  }
};

/// The database's options that affect how damage is detected.
struct TableSettings {
  bool checksums;  // RocksDB's block checksums
  bool cached;
  bool partitioned;
};

rocksdb::Options options_for(const Policy& policy, const TableSettings& settings) {
  rocksdb::BlockBasedTableOptions table;
  table.filter_policy = policy;
  table.checksum = settings.checksums ? rocksdb::kXXH3 : rocksdb::kNoChecksum;
  table.cache_index_and_filter_blocks = settings.cached;
  if (settings.partitioned) partition(table, kPartitionBytes);
  rocksdb::Options options = with_table(test_options(), table);
  options.env = unsynced_env();
  return options;
}

struct Damage {
  const char* name;
  bool accident;  // the damage is accidental, so Crivo's filters must lose no key
  void (*apply)(Files& files, std::mt19937_64& random);
};

template <typename Spoil>
void each_block(Files& files, Spoil spoil) {
  for (std::size_t file = 0; file < files.blocks.size(); ++file) {
    for (std::size_t i = 0; i < files.blocks[file].size(); ++i) spoil(files.block(file, i));
  }
}

void flip_bit(Bytes bytes, std::mt19937_64& random) {
  char& byte = bytes[random() % bytes.size()];
  byte = static_cast<char>(byte ^ 1 << random() % 8);
}

/// Zeros, with the last five bytes of a built-in filter.
template <char... kTrailer>
void forge_trailer(Files& files, std::mt19937_64&) {
  each_block(files, [](Bytes block) {
    std::ranges::fill(block, 0);
    std::ranges::copy(std::array<char, 5>{kTrailer...}, block.end() - 5);
  });
}

template <char kMarker>
void set_marker(Files& files, std::mt19937_64&) {
  each_block(files, [](Bytes block) { block[block.size() - 5] = kMarker; });
}

void make_noise(Bytes bytes, std::mt19937_64& random) {
  std::ranges::generate(bytes, [&] { return static_cast<char>(random()); });
}

/// Includes the checksums that RocksDB stores after the blocks.
void swap_blocks(Bytes a, Bytes b) {
  if (a.size() == b.size()) std::ranges::swap_ranges(a, b);
}

const std::vector<Damage> kDamages = {
    {"a bit of each block", true,
     [](Files& files, auto& random) { each_block(files, [&](Bytes block) { flip_bit(block, random); }); }},
    {"a bit of its last 5 bytes", true,
     [](Files& files, auto& random) { each_block(files, [&](Bytes block) { flip_bit(block.last(5), random); }); }},
    {"64 zeros", true,
     [](Files& files, auto& random) {
       each_block(files, [&](Bytes block) { std::ranges::fill(block.subspan(random() % (block.size() - 64), 64), 0); });
     }},
    {"a payload of zeros", true,
     [](Files& files, auto&) {
       each_block(files, [](Bytes block) { std::ranges::fill(block.first(block.size() - 5), 0); });
     }},
    {"a payload of noise", true,
     [](Files& files, auto& random) {
       each_block(files, [&](Bytes block) { make_noise(block.first(block.size() - 5), random); });
     }},
    {"a block of zeros", true,
     [](Files& files, auto&) { each_block(files, [](Bytes block) { std::ranges::fill(block, 0); }); }},
    {"a block of ones", true,
     [](Files& files, auto&) { each_block(files, [](Bytes block) { std::ranges::fill(block, -1); }); }},
    {"a block of noise", true,
     [](Files& files, auto& random) { each_block(files, [&](Bytes block) { make_noise(block, random); }); }},
    {"a trailer of noise", true,
     [](Files& files, auto& random) { each_block(files, [&](Bytes block) { make_noise(block.last(32), random); }); }},
    {"Bloom's marker", true, set_marker<-1>},
    {"Ribbon's marker", true, set_marker<-2>},
    {"a legacy marker", true, set_marker<6>},
    {"Bloom's trailer over zeros", true, forge_trailer<-1, 0, 6, 0, 0>},
    {"Ribbon's trailer over zeros", true, forge_trailer<-2, 1, 2, 0, 0>},
    {"a block moved by a byte", true,
     [](Files& files, auto&) {
       each_block(files, [](Bytes block) { std::rotate(block.begin(), block.begin() + 1, block.end() - 5); });
     }},
    {"blocks of two files swapped", false,
     [](Files& files, auto&) {
       for (std::size_t i = 0; i < std::min(files.blocks[0].size(), files.blocks[1].size()); ++i) {
         swap_blocks(files.block(0, i, kRocksdbTrailer), files.block(1, i, kRocksdbTrailer));
       }
     }},
    {"partitions of a file swapped", false,
     [](Files& files, auto&) {
       for (std::size_t file = 0; file < files.blocks.size(); ++file) {
         for (std::size_t i = 0; i + 1 < files.blocks[file].size(); i += 2) {
           swap_blocks(files.block(file, i, kRocksdbTrailer), files.block(file, i + 1, kRocksdbTrailer));
         }
       }
     }},
    {"zeros, sealed anew", false,
     [](Files& files, auto&) {
       each_block(files, [](Bytes block) {
         const auto filter = open_sst_block(std::as_bytes(block));
         std::ranges::fill(block.first(block.size() - 5), 0);
         if (filter) seal_sst_block(Shape(filter->shape()), std::as_writable_bytes(block));
       });
     }},
};

/// Two files that both span all keys, so that each is queried for at least half of the keys.
Files write_files(const PolicyMaker& maker, const TableSettings& settings, const std::string& path) {
  const auto policy = std::make_shared<RecordingPolicy>(maker.make(10));
  {
    const auto db = open_database(options_for(policy, settings), path);
    put_keys(*db, 0, kKeys / 2);
    put_keys(*db, kKeys / 2, kKeys);
  }
  Files files;
  files.paths = sst_files(path);
  for (const std::string& file : files.paths) {
    files.bytes.push_back(read_bytes(file));
    files.blocks.push_back(policy->blocks_in(files.bytes.back()));
  }
  EXPECT_EQ(files.blocks.size(), 2U);
  for (const auto& blocks : files.blocks) EXPECT_EQ(blocks.size() > 1, settings.partitioned) << maker.label;
  return files;
}

/// The number of keys that Get or MultiGet does not find. Returns 0 if RocksDB reports the damage when it opens the
/// files.
std::uint64_t count_lost(const rocksdb::Options& options, const std::string& path) {
  std::unique_ptr<rocksdb::DB> db;
  const rocksdb::Status status = open_into(&db, [&](auto* out) { return rocksdb::DB::Open(options, path, out); });
  EXPECT_TRUE(status.ok() || status.IsCorruption()) << status.ToString();
  return status.ok() ? std::max(count_not_found(*db, 0, kKeys), count_not_found_by_multiget(*db, 0, kKeys)) : 0;
}

/// The number of lost keys for each damage. After accidental damage, a filter of Crivo (`is_ours`) must always say
/// "maybe".
std::vector<std::uint64_t> losses(const PolicyMaker& maker, bool is_ours, const TableSettings& settings, int trials) {
  const TempFolder folder;
  const Files sound = write_files(maker, settings, folder.path());
  std::vector<std::uint64_t> lost;
  std::mt19937_64 random(5);
  for (const Damage& damage : kDamages) {
    lost.push_back(0);
    for (int trial = 0; trial < trials; ++trial) {
      Files damaged = sound;
      damage.apply(damaged, random);
      for (std::size_t i = 0; i < damaged.paths.size(); ++i) write_bytes(damaged.paths[i], damaged.bytes[i]);
      const rocksdb::Options options = options_for(maker.make(10), settings);
      lost.back() += count_lost(options, folder.path());
      if (is_ours && damage.accident) {
        EXPECT_EQ(filter_useful(options), 0U) << maker.label << ", " << damage.name;
      }
    }
  }
  return lost;
}

void print(const std::vector<PolicyMaker>& policies, bool checksums,
           const std::map<std::string, std::vector<std::uint64_t>>& lost, std::uint64_t asked) {
  std::printf("| lost of %llu live keys, block checksums %s |", static_cast<unsigned long long>(asked),
              checksums ? "on" : "off");
  for (const PolicyMaker& policy : policies) std::printf(" %s |", policy.label.c_str());
  std::printf("\n|---|");
  for (std::size_t i = 0; i < policies.size(); ++i) std::printf("---:|");
  for (std::size_t i = 0; i < kDamages.size(); ++i) {
    std::printf("\n| %s |", kDamages[i].name);
    for (const PolicyMaker& policy : policies) {
      std::printf(" %llu |", static_cast<unsigned long long>(lost.at(policy.label)[i]));
    }
  }
  std::printf("\n");
}

void compare(bool checksums, const std::vector<TableSettings>& tables, int trials) {
  const std::vector<PolicyMaker> ours = {our_policies()[0], our_policies()[1]};  // crivo.Auto flushes like the first
  const auto theirs = builtin_policies();
  std::vector<PolicyMaker> all = theirs;
  all.insert(all.end(), ours.begin(), ours.end());
  std::map<std::string, std::vector<std::uint64_t>> lost;
  for (const PolicyMaker& policy : all) {
    auto& sums = lost[policy.label];
    sums.assign(kDamages.size(), 0);
    for (const TableSettings& settings : tables) {
      const auto more = losses(policy, policy.name.starts_with("crivo."), settings, trials);
      std::ranges::transform(sums, more, sums.begin(), std::plus());
    }
  }
  print(all, checksums, lost, kKeys * static_cast<unsigned>(trials) * tables.size());
  for (std::size_t i = 0; i < kDamages.size(); ++i) {
    if (!kDamages[i].accident) continue;
    for (const PolicyMaker& policy : ours) {
      EXPECT_EQ(lost.at(policy.label)[i], 0U) << policy.label << ", " << kDamages[i].name;
    }
  }
  if (checksums) return;
  for (const PolicyMaker& policy : theirs) {
    EXPECT_GT(std::ranges::max(lost.at(policy.label)), kKeys / 2) << policy.label << ": damage that harms nothing";
  }
}

TEST(RocksdbCorruption, OfABlockLosesNoKeyAsItDoesToTheBuiltins) {
  compare(false, {{false, /*cached=*/false, /*partitioned=*/true}, {false, true, false}}, 1);
}

TEST(RocksdbCorruption, OfABlockBeforeAChecksumLosesNoKey) {
  compare(true, {{true, false, false}, {true, true, true}}, 1);
}

TEST(RocksdbCorruption, LongComparisonWithTheBuiltinsLosesNoKey) {
  for (const bool checksums : {false, true}) {
    std::vector<TableSettings> tables;
    for (const bool cached : {false, true}) {
      for (const bool partitioned : {false, true}) tables.push_back({checksums, cached, partitioned});
    }
    compare(checksums, tables, 3);
  }
}

}  // namespace
}  // namespace crivo::testing
