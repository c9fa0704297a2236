// Which filters a column family gets in a program that says nothing of Crivo, and why it gets none.
#pragma once

#include <rocksdb/options.h>

#include <string>

namespace crivo::plugin {

/// What the environment asks for: CRIVO_ROCKSDB, a filter policy as an option string names it, and
/// CRIVO_ROCKSDB_REPLACE, whether it takes the place of RocksDB's own policies that write filters, too, and
/// CRIVO_ROCKSDB_PREFIXES, whether it is for families with a prefix extractor and no policy, too. Without the first, or
/// with an empty one, nothing is asked for. A program with more rights than its user has takes none of them.
struct Wish {
  std::string policy;
  bool replace = false;
  bool prefixes = false;
};
[[nodiscard]] const Wish& wish_of_environment();

/// Gives `options` the policy that is wished for, if the column family can have it. Returns why it has none, or why it
/// keeps the one that it has; empty if it now has this very policy, or had it before. `options` is unchanged unless
/// it got the policy. A wish that nobody could fulfil sets `mistaken`.
[[nodiscard]] std::string give_filters(const Wish& wish, rocksdb::ColumnFamilyOptions& options, bool& mistaken);

}  // namespace crivo::plugin
