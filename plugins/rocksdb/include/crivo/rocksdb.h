// Crivo's filters as a RocksDB filter policy. The one public header of libcrivo_rocksdb.
//
//   rocksdb::Options options;
//   rocksdb::Status configured = crivo::ConfigureRocksDB(options, {.bits_per_key = 10});
//
// The library also registers "crivo.Bloom" and "crivo.Ribbon" when it is loaded, so option strings and OPTIONS files
// can name them: filter_policy=crivo.Bloom:10, filter_policy=crivo.Ribbon:10:1, filter_policy=crivo.Bloom:fp_rate:0.01,
// or filter_policy={id=crivo.Ribbon;fp_rate=0.01;bloom_before_level=-1}. See plugins/rocksdb/README.md.
#pragma once

#include <rocksdb/filter_policy.h>
#include <rocksdb/options.h>
#include <rocksdb/status.h>
#include <rocksdb/table_properties.h>

#include <memory>
#include <optional>

#include "crivo/filter.h"

namespace crivo {

// A program that has RocksDB built into it may have given it another name, which RocksDB's headers put into this macro.
namespace rocksdb = ROCKSDB_NAMESPACE;

/// What the filters of a column family are to be. Give bits_per_key or fp_rate; without either, a filter has 10 bits
/// per key.
struct RocksDBFilterOptions {
  /// Filter bits per distinct key or prefix: any number from 0 to 1000, not only integers. Below 0.5 no filter is
  /// written. A blocked filter of n keys is n * bits_per_key / 8 bytes, rounded up to blocks of 64, and a trailer of
  /// 32. For a ribbon these are Bloom-equivalent bits, as for NewRibbonFilterPolicy: it has the false-positive rate of
  /// the blocked filter of that size, or 2^-32 if that is lower, in 30% less memory.
  std::optional<double> bits_per_key = std::nullopt;
  /// The share of absent keys that a filter lets pass, so that they are looked up in vain: from 1e-9 up to but not
  /// including 1.
  std::optional<double> fp_rate = std::nullopt;
  /// kBlocked makes crivo.Bloom, kRibbon makes crivo.Ribbon.
  Kind kind = Kind::kBlocked;
  /// kRibbon only: files below this level, -1 to INT_MAX, get blocked filters of the same rate, which are quicker to
  /// build. As for NewRibbonFilterPolicy a flush counts as level -1, and unknown levels and compaction styles other
  /// than level and universal as the last. Without a value it is 0, so that only flushes write blocked filters. With -1
  /// all filters are ribbons, with INT_MAX none.
  std::optional<int> bloom_before_level = std::nullopt;
};

/// Sets a filter policy for a column family (rocksdb::Options will do), and installs NewRocksDBFilterCollector, so that
/// each file says which filter it has. What else is set in `options` stays as it is, and factories that `options`
/// shares with another column family are not changed. Errors: InvalidArgument, with `options` unchanged, if the table
/// factory is not RocksDB's block-based one, if `filter` is wrong ("crivo.Bloom: <field> must ..., got ..."), or if the
/// librocksdb in this process has the wrong version.
[[nodiscard]] rocksdb::Status ConfigureRocksDB(rocksdb::ColumnFamilyOptions& options,
                                               const RocksDBFilterOptions& filter = {});

/// A policy for BlockBasedTableOptions::filter_policy. It writes Crivo's filters and reads those of RocksDB's own
/// policies, too. Any number of column families and databases may share it, but then a change of its options in place
/// (DB::SetOptions with "table_factory.filter_policy.<option>", and before RocksDB 9.8 with any spelling) is a change
/// for all of them: give each column family a policy of its own if one is to be changed alone. Never null: what is
/// wrong with the options, or with the version of the librocksdb in this process, is kept and reported by DB::Open as
/// InvalidArgument, "crivo.Bloom: <field> must ..., got ...".
[[nodiscard]] std::shared_ptr<const rocksdb::FilterPolicy> NewRocksDBFilterPolicy(
    const RocksDBFilterOptions& options = {});

/// For ColumnFamilyOptions::table_properties_collector_factories: writes the user property "crivo.filter" into each SST
/// file that gets a filter of Crivo's. Its value is the kind that the file really has, which a later move to another
/// level does not change: "blocked" or "ribbon"; "none" if there was no memory to build the filter, so that it lets
/// every key pass; "blocked+none" or "ribbon+none" if this happened to some of the file's partitions. A file without
/// the property has no filter of Crivo's, or was written without this collector.
[[nodiscard]] std::shared_ptr<rocksdb::TablePropertiesCollectorFactory> NewRocksDBFilterCollector();

}  // namespace crivo
