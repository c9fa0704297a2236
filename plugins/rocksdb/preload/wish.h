// The filters that a column family gets in a program without Crivo, and why it gets none.
#pragma once

#include <rocksdb/options.h>

#include <string>

namespace crivo::plugin {

/// The environment's request. CRIVO_ROCKSDB: a filter policy, as in an option string; none if unset or empty.
/// CRIVO_ROCKSDB_REPLACE: also replace RocksDB's own policies that write filters. CRIVO_ROCKSDB_PREFIXES: also for
/// families with a prefix extractor and no policy. All are ignored in a set-user-ID or set-group-ID program
/// (secure_getenv).
struct Wish {
  std::string policy;
  bool replace = false;
  bool prefixes = false;
};
[[nodiscard]] const Wish& wish_of_environment();

/// Sets the requested policy in `options`, if the column family can have it. Returns why it was not set; empty if it is
/// set now, or was before. `options` is unchanged otherwise. An invalid request sets `mistaken`.
[[nodiscard]] std::string give_filters(const Wish& wish, rocksdb::ColumnFamilyOptions& options, bool& mistaken);

}  // namespace crivo::plugin
