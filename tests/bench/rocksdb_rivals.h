// The filter policies that `./dev bench rocksdb` compares. RocksDB's own come from the library that CRIVO_ROCKSDB_SRC
// names (rocksdb_library.h) if it is set, with labels that say so, and else from the installed one.
#pragma once

#include "rocksdb_database.h"

namespace crivo::bench {

/// Policies whose filters have the false-positive rate of a Bloom filter of ten bits per key. The first is RocksDB's
/// Bloom, over which the ratios are taken.
[[nodiscard]] std::vector<Rival> rivals_at_equal_rate();

/// Policies that are asked for such sizes that their filters really take this memory, in bits per key over the whole
/// database, whatever they lose by rounding and in trailers.
[[nodiscard]] std::vector<Rival> rivals_at_equal_memory(double bits_per_key, const Shape& shape);

}  // namespace crivo::bench
