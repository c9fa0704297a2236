// Table options, and options of a database, as rows. The walks (model_session.cpp) draw from them; database_test.cpp
// tests each one alone. To test another option, add a row.
#pragma once

#include <rocksdb/cache.h>
#include <rocksdb/convenience.h>
#include <rocksdb/slice_transform.h>

#include <algorithm>
#include <vector>

#include "random_walk.h"
#include "support.h"

namespace crivo::testing {

struct Knobs {
  rocksdb::ColumnFamilyOptions family;
  rocksdb::BlockBasedTableOptions table;
};

template <typename Options>
struct Row {
  const char* name;
  unsigned percent;  // the probability of this row
  void (*apply)(Options& options, Random& random);
};

inline bool can_compress() {
  const auto supported = rocksdb::GetSupportedCompressions();
  return std::ranges::find(supported, rocksdb::kSnappyCompression) != supported.end();
}

// Options of the column family. If two rows contradict each other, the later one applies.
inline const std::vector<Row<Knobs>> kTableSettings = {
    {"partitioned", 45,
     [](Knobs& knobs, Random& random) { partition(knobs.table, std::size_t{256} << random.below(5)); }},
#if CRIVO_ROCKSDB_VERSION >= 906
    {"decoupled", 50, [](Knobs& knobs, Random&) { knobs.table.decouple_partitioned_filters = true; }},
#endif
    {"cached", 50, [](Knobs& knobs, Random&) { knobs.table.cache_index_and_filter_blocks = true; }},
    {"small cache", 40, [](Knobs& knobs, Random&) { knobs.table.block_cache = rocksdb::NewLRUCache(32 << 10, 0); }},
    {"L0 pinned", 30, [](Knobs& knobs, Random&) { knobs.table.pin_l0_filter_and_index_blocks_in_cache = true; }},
    {"all pinned", 25,
     [](Knobs& knobs, Random&) {
       knobs.table.metadata_cache_options.top_level_index_pinning = rocksdb::PinningTier::kAll;
       knobs.table.metadata_cache_options.partition_pinning = rocksdb::PinningTier::kAll;
       knobs.table.metadata_cache_options.unpartitioned_pinning = rocksdb::PinningTier::kAll;
     }},
    {"cache prepopulated", 20,
     [](Knobs& knobs, Random&) {
       knobs.table.prepopulate_block_cache = rocksdb::BlockBasedTableOptions::PrepopulateBlockCache::kFlushOnly;
     }},
    {"filters for memory", 25, [](Knobs& knobs, Random&) { knobs.table.optimize_filters_for_memory = true; }},
    {"filters for hits", 15, [](Knobs& knobs, Random&) { knobs.family.optimize_filters_for_hits = true; }},
    {"filters verified", 30, [](Knobs& knobs, Random&) { knobs.table.detect_filter_construct_corruption = true; }},
    {"filters charged", 20,
     [](Knobs& knobs, Random&) {
       knobs.table.cache_usage_options.options_overrides[rocksdb::CacheEntryRole::kFilterConstruction].charged =
           rocksdb::CacheEntryRoleOptions::Decision::kEnabled;
     }},
    {"no checksums", 25, [](Knobs& knobs, Random&) { knobs.table.checksum = rocksdb::kNoChecksum; }},
    {"format 4", 15, [](Knobs& knobs, Random&) { knobs.table.format_version = 4; }},
    {"small blocks", 50, [](Knobs& knobs, Random&) { knobs.table.block_size = 256; }},
    {"prefix of 4", 30,
     [](Knobs& knobs, Random&) { knobs.family.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(4)); }},
    {"prefix of 6", 15,
     [](Knobs& knobs, Random&) { knobs.family.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(6)); }},
    {"prefix of up to 5", 20,
     [](Knobs& knobs, Random&) { knobs.family.prefix_extractor.reset(rocksdb::NewCappedPrefixTransform(5)); }},
    {"prefix filters only", 30, [](Knobs& knobs, Random&) { knobs.table.whole_key_filtering = false; }},
    {"parallel compression", 30,
     [](Knobs& knobs, Random&) {
       knobs.family.compression = can_compress() ? rocksdb::kSnappyCompression : rocksdb::kNoCompression;
       knobs.family.compression_opts.parallel_threads = 3;
     }},
    {"compactions by hand", 50, [](Knobs& knobs, Random&) { knobs.family.disable_auto_compactions = true; }},
    {"small memtables", 40, [](Knobs& knobs, Random&) { knobs.family.write_buffer_size = 64 << 10; }},
};

// Options of the whole database.
inline const std::vector<Row<rocksdb::DBOptions>> kDatabaseSettings = {
    {"mmap", 25, [](rocksdb::DBOptions& database, Random&) { database.allow_mmap_reads = true; }},
    {"direct I/O", 20,
     [](rocksdb::DBOptions& database, Random&) {
       database.allow_mmap_reads = false;
       database.use_direct_reads = database.use_direct_io_for_flush_and_compaction = true;
     }},
    {"few open files", 20, [](rocksdb::DBOptions& database, Random&) { database.max_open_files = 20; }},
    {"subcompactions", 20, [](rocksdb::DBOptions& database, Random&) { database.max_subcompactions = 3; }},
    {"atomic flush", 15, [](rocksdb::DBOptions& database, Random&) { database.atomic_flush = true; }},
};

}  // namespace crivo::testing
