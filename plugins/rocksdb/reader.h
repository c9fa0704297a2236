// Asks one filter block. What a block is, is told by its contents alone.
#pragma once

#include <rocksdb/filter_policy.h>
#include <rocksdb/slice.h>

namespace crivo {

/// A reader for a filter block that we or RocksDB's own policies wrote; `builtin` is one of the latter.
/// It borrows the contents. A block of ours that does not check out is answered "maybe" for every key.
/// Null, which RocksDB takes as "maybe" too, when there is no memory.
rocksdb::FilterBitsReader* new_block_reader(const rocksdb::Slice& contents,
                                            const rocksdb::FilterPolicy& builtin) noexcept;

}  // namespace crivo
