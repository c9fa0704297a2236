// The filter policies that `./dev bench rocksdb` compares. RocksDB's own come from the library that CRIVO_ROCKSDB_SRC
// names (rocksdb_library.h), and their labels say so. If it is unset, they come from the installed library.
#pragma once

#include "rocksdb_database.h"

namespace crivo::bench {

/// Policies with the rate of a Bloom filter of ten bits per key. The first, RocksDB's Bloom, is the base of the ratios.
[[nodiscard]] std::vector<Rival> rivals_at_equal_rate();

/// Policies whose filters have this actual size, in bits per key of the database, including rounding and trailers.
[[nodiscard]] std::vector<Rival> rivals_at_equal_memory(double bits_per_key, const Shape& shape);

}  // namespace crivo::bench
