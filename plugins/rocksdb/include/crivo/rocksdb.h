// Crivo's filters as a RocksDB filter policy. Start here. libcrivo_rocksdb has four other headers: rocksdb_verify.h
// reports the filters of a database's files, rocksdb_refilter.h replaces these filters, rocksdb_counters.h exports
// counters (also to C), and rocksdb_scan.h lets scans skip files.
//
//   rocksdb::Options options;
//   rocksdb::Status configured = crivo::ConfigureRocksDB(options, {.bits_per_key = 10});
//
// The library also registers "crivo.Auto", "crivo.Bloom" and "crivo.Ribbon" when it is loaded. Option strings and
// OPTIONS files can name these policies: filter_policy=crivo.Auto:10, filter_policy=crivo.Ribbon:10:1, or
// filter_policy={id=crivo.Auto;budget_bits_per_key=7}. See plugins/rocksdb/README.md.
#pragma once

#include <rocksdb/filter_policy.h>
#include <rocksdb/listener.h>
#include <rocksdb/options.h>
#include <rocksdb/slice.h>
#include <rocksdb/status.h>
#include <rocksdb/table_properties.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "crivo/filter.h"

namespace crivo {

// RocksDB's headers define ROCKSDB_NAMESPACE, because a program's own build of RocksDB may rename the namespace.
namespace rocksdb = ROCKSDB_NAMESPACE;

// The namespace is a part of the names in the library. Rename it when the struct changes: a program that was compiled
// with the old struct then fails with "undefined symbol", instead of passing wrong values.
inline namespace v0_2 {

/// The options of a filter policy, for one column family. Set at most one of bits_per_key, fp_rate and
/// budget_bits_per_key; the default is 10 bits per key. Setting an option that the policy does not have is an error.
struct RocksDBFilterOptions {
  /// Filter bits per distinct key or prefix, 0 to 1000, not necessarily integral. Below 0.5 no filter is written. A
  /// blocked filter of n keys has n * bits_per_key / 8 bytes, rounded up to blocks of 64 bytes, plus a trailer of 32
  /// bytes (up to 64 with a key_transform). For a ribbon these are Bloom-equivalent bits, as in NewRibbonFilterPolicy:
  /// the ribbon has the rate of a blocked filter of this size, but at least 2^-32, and is about 30% smaller.
  std::optional<double> bits_per_key = std::nullopt;
  /// The false-positive rate: the share of absent keys that pass the filter and cause wasted reads. In [1e-9, 1).
  std::optional<double> fp_rate = std::nullopt;
  /// The default is crivo.Auto: blocked filters for short-lived files (flushes and upper levels), ribbons for
  /// long-lived ones. kBlocked selects crivo.Bloom, and kRibbon selects crivo.Ribbon; other kinds are errors.
  std::optional<Kind> kind = std::nullopt;
  /// For comparators under which different byte strings can be equal keys: the name of the function that canonicalizes
  /// keys for the filter. Built in: "lower_ascii" (A-Z become a-z), "take_prefix:N" (the first N bytes; the whole key
  /// if it is shorter) and "drop_suffix:N" (all but the last N bytes; an empty key if the key is shorter), with N from
  /// 1 to 4294967295. RegisterKeyTransform adds others. "none" or an empty name leaves keys unchanged.
  std::string key_transform = {};
  /// crivo.Ribbon only: files whose level has a lower number than this, -1 to INT_MAX, get blocked filters of the same
  /// rate, which are faster to build. As in NewRibbonFilterPolicy, a flush counts as level -1, and an unknown level as
  /// the last. With compaction styles other than level and universal, all files count as files of the last level. The
  /// default, 0, writes blocked filters for flushes only; -1 never writes them, and INT_MAX always does.
  std::optional<int> bloom_before_level = std::nullopt;
  /// Whether to count queries (RocksDBFilterCounters); the default is false. Counting costs 5 to 10 ns per filter that
  /// a Get queries, and about 1 ns per filter and key of a MultiGet.
  std::optional<bool> count_questions = std::nullopt;

  /// The maximum size of one file's filter blocks, in bytes, 0 to 1e15; 0, the default, means no limit. To stay within
  /// the limit, filters get fewer bits per key and thus a higher rate, which LOG reports. If less than 96 bytes are
  /// left (up to 128 with a key_transform), a block has 6 bytes, even if these exceed the limit, and lets every key
  /// pass.
  std::optional<std::uint64_t> max_filter_bytes = std::nullopt;
  /// The maximum memory for building filters, over all policies of this process, in bytes, 0 to 1e15; 0, the default,
  /// means no limit. Hashes beyond half of the limit go to an unnamed temporary file: in $TMPDIR, or else in the
  /// database's folder (if the listener is installed), /var/tmp or /tmp. A ribbon that would exceed the limit, or has
  /// hashes in a file, becomes a blocked filter of the same rate. The finished filter may exceed the limit.
  std::optional<std::uint64_t> max_build_bytes = std::nullopt;

  // crivo.Auto only:

  /// Filter bits per key, 0 to 1000, as a mean over all keys of the tree; real bits, not Bloom-equivalent ones. The
  /// levels get the rates that minimize false positives within this memory.
  std::optional<double> budget_bits_per_key = std::nullopt;
  /// The false-positive rate in the bottommost level, 1e-9 to 1; 1 means no filter. A rate of 0.1 saves 40% of the
  /// memory of all filters (a ribbon then needs 3.4 bits per key). This suits workloads in which most lookups that
  /// reach this level find their key. The default is the rate of the other levels. Do not combine with
  /// budget_bits_per_key.
  std::optional<double> bottommost_fp_rate = std::nullopt;
  /// How many levels, counted from the last, get ribbons: 0 to 64. The default is 2: these levels hold 99% of the keys
  /// at a level ratio of 10. Flushes and all other levels get blocked filters, as do files or partitions with so few
  /// keys that a ribbon would save less than an eighth of the bytes.
  std::optional<int> ribbon_levels = std::nullopt;
  /// The number of levels with data below level 0: 2 to 64. The default is num_levels - 1, clamped to [2, 4]. With
  /// dynamic level sizes or universal compaction, the last level has the number num_levels - 1; otherwise it has the
  /// number `levels`.
  std::optional<int> levels = std::nullopt;
  /// The ratio of keys between a level and the one above it, 1 to 1000. The default is max_bytes_for_level_multiplier
  /// with level compaction, and 10 with other styles. Used only with budget_bits_per_key.
  std::optional<double> level_ratio = std::nullopt;
  /// The maximum total size of all filters of the database, in bytes, 0 to 1e15; 0, the default, means no limit. While
  /// all filters fit into 90% of the limit, the other options apply. Beyond that, 90% of the limit is divided over the
  /// levels that have keys (as with budget_bits_per_key), and a new file gets the bits per key of its level. An old
  /// file keeps its filter until a compaction or RefilterRocksDB rewrites it. Column families with this option share
  /// the limit in proportion to their keys; set the same value for all. The database's listeners must include
  /// NewRocksDBFilterListener, or DB::Open fails. docs/rocksdb_options.md says when filters can exceed the limit.
  std::optional<std::uint64_t> max_total_bytes = std::nullopt;
};

}  // namespace v0_2

/// Returns the canonical key, which is a part of `key` or of `*scratch`. The function may overwrite `*scratch`.
///
/// The contract: **keys that the comparator treats as equal must have equal canonical keys**, or reads will miss
/// existing keys. Different keys may share a canonical key; the filter cannot distinguish them, which only costs reads.
/// The function gets user keys without timestamps. With a prefix extractor it also gets prefixes; prefixes of equal
/// keys must be equal under the comparator, as RocksDB requires anyway. The function must be thread-safe, and return
/// the same result in all processes that open the database. It may throw: a query then returns "maybe", and a filter
/// whose keys could not all be transformed lets every key pass.
using KeyTransform = std::function<rocksdb::Slice(const rocksdb::Slice& key, std::string* scratch)>;

/// Registers a key transform by a name for `key_transform`, also in option strings and OPTIONS files. Register each
/// name once per process, before a database is opened or an option string is parsed; the function's code must stay
/// loaded. Filters store the name, and are only queried by a policy with the same name. So **a function whose results
/// change needs a new name**. Errors: InvalidArgument if the name is built in, already registered, or not 1 to 32 ASCII
/// letters, digits or characters of "_-."; also if `transform` is empty.
[[nodiscard]] rocksdb::Status RegisterKeyTransform(std::string_view name, KeyTransform transform);

/// Sets a filter policy for a column family, and installs NewRocksDBFilterCollectorFactory. Does not change other
/// options, nor factories that `options` shares with other column families. Errors, with `options` unchanged:
/// InvalidArgument if the table factory is not block-based, if `filter` is invalid ("crivo.Bloom: <field> must ..., got
/// ..."), if CRIVO_ISA or a Crivo collector is invalid, or if librocksdb has the wrong version.
[[nodiscard]] rocksdb::Status ConfigureRocksDB(rocksdb::ColumnFamilyOptions& options,
                                               const RocksDBFilterOptions& filter = {});

/// The same for a database and its default column family. Also installs NewRocksDBFilterListener, unless present.
[[nodiscard]] rocksdb::Status ConfigureRocksDB(rocksdb::Options& options, const RocksDBFilterOptions& filter = {});

/// A policy for BlockBasedTableOptions::filter_policy. It writes Crivo's filters. Without a key_transform, it also
/// reads the filters of RocksDB's own policies. Column families and databases may share a policy, but crivo.Auto
/// then uses the levels of the column family that was opened last, and DB::SetOptions with
/// "table_factory.filter_policy.<option>" changes the policy for all of them. Before RocksDB 9.8,
/// "block_based_table_factory" with "{filter_policy={<option>=...}}" does the same. Never returns null: if the options
/// or the version of librocksdb are wrong, DB::Open returns InvalidArgument, "crivo.Bloom: <field> must ..., got ...".
[[nodiscard]] std::shared_ptr<const rocksdb::FilterPolicy> NewRocksDBFilterPolicy(
    const RocksDBFilterOptions& options = {});

/// For ColumnFamilyOptions::table_properties_collector_factories: describes a file's filters in its user properties,
/// which stay true when the file moves to another level. A file without these properties has no Crivo filter, or was
/// written without this collector.
///   crivo.filter          the kind: "blocked" or "ribbon"; "always_maybe" if no filter could be built, so that every
///                         key passes. If partitions have different kinds, "+" joins the kinds, in this order
///   crivo.filter.blocks   the number of filter blocks: 1, or the number of partitions
///   crivo.filter.keys     keys and prefixes that were added to the filters
///   crivo.filter.bytes    the size of the filter blocks, without the index of partitions
///   crivo.filter.predicted_fp_rate
///                         the modelled false-positive rate, 0 to 1
///   crivo.filter.options  the filter that the options specified, such as "blocked:10", for RefilterRocksDB
///   crivo.filter.key_transform
///                         the name of the key transform, if there is one
///   crivo.filter.max_total_bytes
///                         the limit of the database's filters, if there was one
/// Numbers are decimal text; the rate has at most four significant digits. One more property has no value; its name
/// contains the kind, blocks, keys, bytes and rate as text, because sst_dump prints values in hexadecimal.
[[nodiscard]] std::shared_ptr<rocksdb::TablePropertiesCollectorFactory> NewRocksDBFilterCollectorFactory();

/// The counters of one policy since its creation, over all column families that share it. From RocksDB 9.8 on,
/// SetOptions may create a new policy (docs/rocksdb_options.md).
struct RocksDBFilterCounters {
  struct OfKind {
    std::uint64_t built = 0;              // filter blocks
    std::uint64_t keys = 0;               // keys and prefixes that were added to them
    std::uint64_t bytes = 0;              // the size of the blocks
    std::uint64_t build_nanoseconds = 0;  // to turn the hashes of the keys into blocks
    // Queries are counted only with count_questions, and only for filters loaded after it was set.
    std::uint64_t asked_singly = 0;      // queries of Get and of seeks
    std::uint64_t asked_in_batches = 0;  // keys queried by MultiGet
    std::uint64_t answered_no = 0;       // of all these queries, those answered "certainly absent"
  };
  OfKind blocked;
  OfKind ribbon;
  std::uint64_t always_maybe = 0;  // blocks that every key passes, because no filter could be built
  // Filter blocks, counted each time they are read into memory:
  std::uint64_t damaged_blocks = 0;          // Crivo's, but damaged: every key passes
  std::uint64_t builtin_blocks = 0;          // of RocksDB's own policies
  std::uint64_t other_transform_blocks = 0;  // Crivo's, with a key transform other than the policy's: every key passes
};

/// The counters of a policy, or of the policy in these options (such as those of DB::GetOptions). Thread-safe. No value
/// if the policy is not one of Crivo's.
[[nodiscard]] std::optional<RocksDBFilterCounters> GetRocksDBFilterCounters(const rocksdb::FilterPolicy* policy);
[[nodiscard]] std::optional<RocksDBFilterCounters> GetRocksDBFilterCounters(
    const rocksdb::ColumnFamilyOptions& options);

/// Writes the counters of a column family's policy into LOG: one line of text; a line for each new damaged filter block
/// (at most eight, and one for the rest); and, with options.statistics, a JSON line about Gets. Null stands for the
/// default column family. Errors: InvalidArgument if the policy is not one of Crivo's.
rocksdb::Status LogRocksDBFilterCounters(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* column_family = nullptr);

/// All filters of a database, and their limit.
struct RocksDBFilterTotal {
  std::uint64_t max_total_bytes;  // the largest of the column families' limits; 0: no limit
  std::uint64_t files;            // SST files
  std::uint64_t keys;             // keys and prefixes in the filters; estimated for files without filters
  std::uint64_t bytes;            // of the filters
};

/// Lists the database's files, in about a microsecond each, and reads the properties of files that are new since the
/// last listing. No value without NewRocksDBFilterListener, or before the first flush, compaction or refilter.
[[nodiscard]] std::optional<RocksDBFilterTotal> GetRocksDBFilterTotal(rocksdb::DB& db);

/// For DBOptions::listeners: lists files for max_total_bytes and, when the database is closed, logs the counters
/// (LogRocksDBFilterCounters) of each policy that built filters. Without a flush or compaction, it logs nothing.
[[nodiscard]] std::shared_ptr<rocksdb::EventListener> NewRocksDBFilterListener();

}  // namespace crivo
