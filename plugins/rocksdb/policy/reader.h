// Queries one filter block. The block's contents alone determine whether Crivo or RocksDB wrote it.
#pragma once

#include <rocksdb/filter_policy.h>
#include <rocksdb/slice.h>

#include <memory>

#include "crivo/rocksdb.h"
#include "options/key_transform.h"
#include "report/counters.h"

namespace crivo::plugin {

/// Makes a reader for a filter block of Crivo's or of RocksDB's own policies; `builtin` is any of RocksDB's policies.
/// `transform` computes the canonical keys; null for unchanged keys. The reader borrows the contents. It answers
/// "maybe" for every key if a Crivo block has no filter, is damaged, or has another transform or hash; also for a block
/// of RocksDB's own if there is a transform. Returns null if memory is short, which RocksDB also treats as "maybe".
/// `counters` count the opened block and, with `count_questions`, the reader's queries.
rocksdb::FilterBitsReader* new_block_reader(const rocksdb::Slice& contents, const rocksdb::FilterPolicy& builtin,
                                            const NamedKeyTransform* transform,
                                            const std::shared_ptr<Counters>& counters, bool count_questions) noexcept;

/// A reader that always answers "maybe"; null if memory is short.
rocksdb::FilterBitsReader* new_maybe_reader() noexcept;

}  // namespace crivo::plugin
