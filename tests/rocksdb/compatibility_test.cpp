// Crivo's policies read the blocks of RocksDB's policies. migration_test.cpp has both in one database.
#include "support.h"

namespace crivo::testing {
namespace {

constexpr std::uint64_t kKeys = 4000;

TEST(RocksdbCompatibility, BuiltinBlocksOfAnySizeAreDelegated) {
  // The reader distinguishes blocks by marker and size, so every size must be recognized.
  const Policy ours = crivo_bloom();
  rocksdb::BlockBasedTableOptions legacy;
  legacy.format_version = 4;
  for (const bool for_memory : {false, true}) {
    rocksdb::BlockBasedTableOptions current;
    current.optimize_filters_for_memory = for_memory;
    for (const Policy& theirs : {builtin_bloom(), builtin_ribbon(), builtin_bloom(3.7), builtin_ribbon(17)}) {
      for (const auto& table : {current, legacy}) {
        for (std::uint64_t keys = 1; keys < 3000; keys += 1 + keys / 7) {
          const std::string block = build_block(*new_builder(*theirs, table), 0, keys);
          const auto reader = new_reader(*theirs, block);
          const auto our_reader = new_reader(*ours, block);
          for (std::uint64_t i = 0; i < keys + 100; ++i) {
            ASSERT_EQ(our_reader->MayMatch(key_of(i)), reader->MayMatch(key_of(i))) << block.size() << " bytes";
          }
        }
      }
    }
  }
}

// RocksDB's readers accept these blocks, and would read up to 4 GiB past the end of a block.
TEST(RocksdbCompatibility, BuiltinBlocksWithAWrongNumberOfLinesAreNotDelegated) {
  rocksdb::BlockBasedTableOptions legacy;
  legacy.format_version = 4;
  std::vector<std::string> forged(6, build_block(*new_builder(*builtin_bloom(), legacy), 0, kKeys));
  for (std::size_t bit = 0; bit < forged.size(); ++bit) {
    char& last = forged[bit].back();
    last = static_cast<char>(last ^ 4 << bit);
  }
  for (const std::size_t payload : {16U, 32U, 48U, 80U}) {
    forged.push_back(std::string(payload, '\0') + std::string("\xff\0\x06\0\0", 5));
  }
  const Policy ours = crivo_bloom();
  for (const std::string& block : forged) {
    const auto reader = new_reader(*ours, block);
    for (std::uint64_t i = 0; i < 1000; ++i) ASSERT_TRUE(reader->MayMatch(key_of(i))) << block.size() << " bytes";
  }
  EXPECT_EQ(GetRocksDBFilterCounters(ours.get())->damaged_blocks, forged.size());
}

}  // namespace
}  // namespace crivo::testing
