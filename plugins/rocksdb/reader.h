// Answers queries from one filter block. Whether a block is ours or RocksDB's own is read from its contents alone.
#pragma once

#include <rocksdb/filter_policy.h>
#include <rocksdb/slice.h>

#include <memory>

#include "counters.h"

namespace crivo {

/// Makes a reader for a filter block that we or RocksDB's own policies wrote; `builtin` is a policy of RocksDB's own.
/// The reader borrows the contents. If a block of ours is damaged, the answer is "maybe" for every key. Returns null
/// when there is no memory; RocksDB takes that as "maybe" too. `counters` are told what was opened, and, with
/// `count_questions`, what the reader is asked for as long as it lives.
rocksdb::FilterBitsReader* new_block_reader(const rocksdb::Slice& contents, const rocksdb::FilterPolicy& builtin,
                                            const std::shared_ptr<Counters>& counters, bool count_questions) noexcept;

}  // namespace crivo
