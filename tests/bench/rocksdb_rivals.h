// The filter policies that `./dev bench rocksdb` compares. RocksDB's own come from the library that CRIVO_ROCKSDB_SRC
// names (rocksdb_library.h) if it is set, with labels that say so, and else from the installed one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rocksdb_database.h"

namespace crivo::bench {

/// Policies whose filters have the false-positive rate of a Bloom filter of ten bits per key. The first is RocksDB's
/// Bloom, over which the ratios are taken.
[[nodiscard]] std::vector<Rival> rivals_at_equal_rate();

/// Policies whose filters take the same memory, in bits per key over the whole database. Those for ribbons are asked
/// for the size that gives this memory at `keys_per_file` keys.
[[nodiscard]] std::vector<Rival> rivals_at_equal_memory(double bits_per_key, std::uint64_t keys_per_file);

/// The bits per key that a filter of this policy really takes in a file of the bottommost level; 0 if it writes none.
[[nodiscard]] double real_bits_per_key(const rocksdb::FilterPolicy& policy, std::uint64_t keys);

}  // namespace crivo::bench
