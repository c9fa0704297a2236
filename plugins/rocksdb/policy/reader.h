// Answers queries from one filter block. Whether a block is ours or RocksDB's own is read from its contents alone.
#pragma once

#include <rocksdb/filter_policy.h>
#include <rocksdb/slice.h>

#include <memory>

#include "crivo/rocksdb.h"
#include "options/key_transform.h"
#include "report/counters.h"

namespace crivo::plugin {

/// Makes a reader for a filter block that we or RocksDB's own policies wrote; `builtin` is a policy of RocksDB's own.
/// `transform` makes the canonical keys for which the filter is asked; null for the keys as they are. The reader
/// borrows the contents. The answer is "maybe" for every key if a block of ours is damaged or was built with another
/// transform, and if there is a transform and the block is RocksDB's own, which were built without. Returns null when
/// there is no memory; RocksDB takes that as "maybe" too. `counters` are told what was opened, and, with
/// `count_questions`, what the reader is asked for as long as it lives.
rocksdb::FilterBitsReader* new_block_reader(const rocksdb::Slice& contents, const rocksdb::FilterPolicy& builtin,
                                            const NamedKeyTransform* transform,
                                            const std::shared_ptr<Counters>& counters, bool count_questions) noexcept;

/// A reader that answers "maybe" for every key; null when there is no memory.
rocksdb::FilterBitsReader* new_maybe_reader() noexcept;

}  // namespace crivo::plugin
