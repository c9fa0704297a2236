// Crivo's filters as a RocksDB filter policy. The one public header of libcrivo_rocksdb.
//
//   rocksdb::BlockBasedTableOptions table;
//   table.filter_policy = crivo::NewRocksDBFilterPolicy({.bits_per_key = 10});
//   options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
//
// The library also registers "crivo.Bloom" and "crivo.Ribbon" when it is loaded, so option strings and OPTIONS files
// can name them: filter_policy=crivo.Bloom:10, filter_policy=crivo.Ribbon:10:1, or
// filter_policy={id=crivo.Ribbon;fp_rate=0.01;bloom_before_level=-1}. See plugins/rocksdb/README.md.
#pragma once

#include <rocksdb/filter_policy.h>

#include <memory>
#include <optional>

#include "crivo/filter.h"

namespace crivo {

/// What the filters of a column family are to be. Give bits_per_key or fp_rate; with neither it is 10 bits per key.
struct RocksDBFilterOptions {
  /// Filter bits per distinct key or prefix, 0 to 1000, fractions welcome; below 0.5 no filter is written.
  /// A blocked filter of n keys is n * bits_per_key / 8 bytes, rounded up to blocks of 64, and a trailer of 32.
  /// For a ribbon these are Bloom-equivalent bits, as for NewRibbonFilterPolicy: it has the false-positive rate of the
  /// blocked filter of that size, or 2^-32 if that is lower, in 30% less memory.
  std::optional<double> bits_per_key = std::nullopt;
  /// Share of the absent keys that are looked up in vain, from 1e-9 up to but not including 1.
  std::optional<double> fp_rate = std::nullopt;
  /// kBlocked makes crivo.Bloom, kRibbon makes crivo.Ribbon.
  Kind kind = Kind::kBlocked;
  /// kRibbon only: files below this level, -1 to INT_MAX, get blocked filters of the same rate, which are quicker to
  /// build. As for NewRibbonFilterPolicy a flush counts as level -1, and unknown levels and compaction styles other
  /// than level and universal as the last. Without it, 0: flushes alone. -1: ribbons only. INT_MAX: none.
  std::optional<int> bloom_before_level = std::nullopt;
};

/// A policy for BlockBasedTableOptions::filter_policy; any number of column families and databases may share it.
/// It writes Crivo's filters and reads those of RocksDB's own policies, too.
/// Never null: what is wrong with the options, or with the version of the librocksdb in this process, is kept and
/// reported by DB::Open as InvalidArgument, "crivo.Bloom: <field> must ..., got ...".
[[nodiscard]] std::shared_ptr<const rocksdb::FilterPolicy> NewRocksDBFilterPolicy(
    const RocksDBFilterOptions& options = {});

}  // namespace crivo
