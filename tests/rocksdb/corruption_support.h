// What the tests of damaged filter blocks share: how the database looks around the blocks.
#pragma once

#include "support.h"
#include "unsynced.h"

namespace crivo::testing {

struct Surroundings {
  bool checksums;  // RocksDB's own, behind every block
  bool cached;
  bool partitioned;
};

inline rocksdb::Options options_for(const Policy& policy, const Surroundings& around, std::size_t partition_bytes) {
  rocksdb::BlockBasedTableOptions table;
  table.filter_policy = policy;
  table.checksum = around.checksums ? rocksdb::kXXH3 : rocksdb::kNoChecksum;
  table.cache_index_and_filter_blocks = around.cached;
  if (around.partitioned) partition(table, partition_bytes);
  rocksdb::Options options = with_table(test_options(), table);
  options.env = unsynced_env();
  return options;
}

}  // namespace crivo::testing
