// Crivo's filters as a RocksDB filter policy: the first public header of libcrivo_rocksdb. (The others are
// rocksdb_verify.h, for a look at the filters that the files of a database have, rocksdb_refilter.h, for new ones,
// rocksdb_counters.h, for C and exporters, and rocksdb_scan.h, for scans.)
//
//   rocksdb::Options options;
//   rocksdb::Status configured = crivo::ConfigureRocksDB(options, {.bits_per_key = 10});
//
// The library also registers "crivo.Auto", "crivo.Bloom" and "crivo.Ribbon" when it is loaded, so option strings and
// OPTIONS files can name them: filter_policy=crivo.Auto:10, filter_policy=crivo.Bloom:fp_rate:0.01,
// filter_policy=crivo.Ribbon:10:1, or filter_policy={id=crivo.Auto;budget_bits_per_key=7}. See
// plugins/rocksdb/README.md.
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

// A program that has RocksDB built into it may have given it another name, which RocksDB's headers put into this macro.
namespace rocksdb = ROCKSDB_NAMESPACE;

/// What the filters of a column family are to be. Give one of bits_per_key, fp_rate and budget_bits_per_key; without
/// any of them, filters have 10 bits per key. Options of another policy are errors.
struct RocksDBFilterOptions {
  /// Filter bits per distinct key or prefix: any number from 0 to 1000, not only integers. Below 0.5 no filter is
  /// written. A blocked filter of n keys is n * bits_per_key / 8 bytes, rounded up to blocks of 64, and a trailer of
  /// 32. For a ribbon these are Bloom-equivalent bits, as for NewRibbonFilterPolicy: it has the false-positive rate of
  /// the blocked filter of that size, or 2^-32 if that is lower, in 30% less memory.
  std::optional<double> bits_per_key = std::nullopt;
  /// The share of absent keys that a filter lets pass, so that they are looked up in vain: from 1e-9 up to but not
  /// including 1.
  std::optional<double> fp_rate = std::nullopt;
  /// Without a kind, the policy is crivo.Auto, which writes blocked filters where files are short-lived (flushes and
  /// the upper levels) and ribbons where they live long. kBlocked makes crivo.Bloom, kRibbon makes crivo.Ribbon.
  std::optional<Kind> kind = std::nullopt;
  /// For comparators under which different bytes can be the same key: the name of the function that turns keys into
  /// canonical keys before they reach a filter, a built-in one or one of RegisterKeyTransform. Built in are
  /// "lower_ascii" (A to Z become a to z), "take_prefix:N" (the first N bytes; a shorter key is left as it is) and
  /// "drop_suffix:N" (all but the last N bytes; a shorter key becomes the empty key), N from 1 to 4294967295. "none" or
  /// an empty name means keys as they are.
  std::string key_transform = {};
  /// crivo.Ribbon only: files below this level, -1 to INT_MAX, get blocked filters of the same rate, which are quicker
  /// to build. As for NewRibbonFilterPolicy a flush counts as level -1, and unknown levels and compaction styles other
  /// than level and universal as the last. Without a value it is 0, so that only flushes write blocked filters. With -1
  /// all filters are ribbons, with INT_MAX none.
  std::optional<int> bloom_before_level = std::nullopt;
  /// Whether the filters' questions are counted (RocksDBFilterCounters), by default not. It costs 5 to 10 ns for each
  /// filter that a Get asks, and about 1 ns for each that a key of a MultiGet asks.
  std::optional<bool> count_questions = std::nullopt;

  /// The most bytes that the filter blocks of one file may have together: from 0 to 1e15, where 0, the default, means
  /// no limit. A filter that would need more gets fewer bits per key, so that its rate is higher, and LOG says so.
  /// Where less than 96 bytes are left for a file or a partition, it has a block of 6 bytes, not counted, that every
  /// key passes.
  std::optional<std::uint64_t> max_filter_bytes = std::nullopt;
  /// The most bytes that all filters may take while they are built in this process, by this policy and others: from 0
  /// to 1e15, where 0, the default, means no limit. Where builders would take more, ribbons become blocked filters of
  /// the same rate, and hashes go to a temporary file without a name, in the folder that TMPDIR names, or else
  /// in the database's (if the listener is installed), or in /var/tmp. What a finished filter needs is
  /// always given, even beyond the limit.
  std::optional<std::uint64_t> max_build_bytes = std::nullopt;

  // The following are for crivo.Auto only.

  /// One limit for the bytes of all filters of the database: from 0 to 1e15, where 0, the default, means no limit.
  /// Filters are what the other options say while all files fit into 0.9 of it. From then on 0.9 of it is divided over
  /// the levels that have keys (as with budget_bits_per_key), and a new file gets the bits per key of its level. Old
  /// files follow when a compaction or RefilterRocksDB rewrites them. Column families that have the option share the
  /// limit by their keys; give all of them the same. It needs NewRocksDBFilterListener among the database's listeners,
  /// without which DB::Open fails. docs/rocksdb_options.md says when filters can exceed it.
  std::optional<std::uint64_t> max_total_bytes = std::nullopt;

  /// Filter bits per key, 0 to 1000, as the mean over all keys of the tree: real bits, not Bloom-equivalent ones. The
  /// rate of each level is then the one that makes false positives of absent keys the fewest at this memory.
  std::optional<double> budget_bits_per_key = std::nullopt;
  /// The rate of filters in the bottommost level: from 1e-9 to 1, where 1 means no filter. Most questions that get
  /// there find their key, so 0.1 saves half of all filter memory (a ribbon then takes 3.4 bits per key), if few
  /// questions are for absent keys. Without a value it is the rate of the other levels. Not together with
  /// budget_bits_per_key.
  std::optional<double> bottommost_fp_rate = std::nullopt;
  /// How many levels, counted from the last, get ribbons: 0 to 64, by default 2, which hold 99% of the keys at a ratio
  /// of 10. All others, what is flushed, and files and partitions of so few keys that a ribbon would save less than an
  /// eighth, get blocked filters.
  std::optional<int> ribbon_levels = std::nullopt;
  /// The number of levels below level 0 that have data: 2 to 64, by default 4, or num_levels - 1 where that is less.
  /// Without dynamic level sizes, level number `levels` counts as the last one (with them, it is RocksDB's last level,
  /// num_levels - 1).
  std::optional<int> levels = std::nullopt;
  /// How many times more keys a level has than the one above it: 1 to 1000, by default that of the
  /// column family's max_bytes_for_level_multiplier, and 10 with universal compaction. It matters for
  /// budget_bits_per_key only.
  std::optional<double> level_ratio = std::nullopt;
};

/// Turns a key into its canonical key, which is a part of `key` or lies in `*scratch` (a string with any contents, that
/// the function may change as it likes).
///
/// The contract: **keys that the comparator calls equal have equal canonical keys**, or reads will miss keys that are
/// there. Different keys may share a canonical key; the filter then cannot tell them apart, which costs reads and
/// nothing else. The function gets user keys without their timestamps, and where there is a prefix extractor, it gets
/// prefixes, too. This is sound as long as the prefixes of equal keys are equal under the comparator, which RocksDB
/// demands of an extractor in any case. Any number of threads may call the function at the same time. It must always
/// give the same result, in all processes that open the database. It may throw: a filter whose keys could not all be
/// transformed lets every key pass, and so does the question that threw.
using KeyTransform = std::function<rocksdb::Slice(const rocksdb::Slice& key, std::string* scratch)>;

/// Gives a key transform a name by which options can ask for it (`key_transform`), also those in option strings and
/// OPTIONS files. Call it once per process, before a database is opened or an option string names it, and keep the
/// function's code loaded until the process ends. Each filter keeps the name, and is asked only where the policy has a
/// transform of the same name. So **a function that begins to give other results needs another name**. Errors:
/// InvalidArgument, if the name is not 1 to 32 ASCII letters, digits or characters of "_-.", if it is that of a
/// built-in transform, or if it was registered before; if `transform` is empty.
[[nodiscard]] rocksdb::Status RegisterKeyTransform(std::string_view name, KeyTransform transform);

/// Sets a filter policy for a column family (rocksdb::Options will do), and installs NewRocksDBFilterCollectorFactory,
/// so that each file says which filter it has. What else is set in `options` stays as it is, and factories that
/// `options` shares with another column family are not changed. Errors: InvalidArgument, with `options` unchanged, if
/// the table factory is not RocksDB's block-based one, if `filter` is wrong ("crivo.Bloom: <field> must ..., got ..."),
/// or if the librocksdb in this process has the wrong version.
[[nodiscard]] rocksdb::Status ConfigureRocksDB(rocksdb::ColumnFamilyOptions& options,
                                               const RocksDBFilterOptions& filter = {});

/// The same for the options of a database and its default column family, where it also installs
/// NewRocksDBFilterListener.
[[nodiscard]] rocksdb::Status ConfigureRocksDB(rocksdb::Options& options, const RocksDBFilterOptions& filter = {});

/// A policy for BlockBasedTableOptions::filter_policy. It writes Crivo's filters and reads those of RocksDB's own
/// policies, too. Any number of column families and databases may share it, but then a change of its options in place
/// (DB::SetOptions with "table_factory.filter_policy.<option>", and before RocksDB 9.8 with any spelling) is a change
/// for all of them: give each column family a policy of its own if one is to be changed alone. Never null: what is
/// wrong with the options, or with the version of the librocksdb in this process, is kept and reported by DB::Open as
/// InvalidArgument, "crivo.Bloom: <field> must ..., got ...".
[[nodiscard]] std::shared_ptr<const rocksdb::FilterPolicy> NewRocksDBFilterPolicy(
    const RocksDBFilterOptions& options = {});

/// For ColumnFamilyOptions::table_properties_collector_factories: writes user properties into each SST file that gets
/// filters of Crivo's, and says there what filters the file really has, which a later move to another level does not
/// change. A file without these properties has no filter of Crivo's, or was written without this collector.
///   crivo.filter          the kind: "blocked" or "ribbon"; "always_maybe" if no filter could be built, so that every
///                         key passes; joined by "+" in this order if the file's partitions differ
///   crivo.filter.blocks   the number of filter blocks: 1, or the number of partitions
///   crivo.filter.keys     the number of keys and prefixes that were added to the filters
///   crivo.filter.bytes    the size of the filter blocks in bytes, without the index of partitions
///   crivo.filter.predicted_fp_rate
///                         the share of absent keys that pass by the model, from 0 to 1
///   crivo.filter.options  what the options asked of the filters, such as "blocked:10": RefilterRocksDB compares it
///   crivo.filter.key_transform
///                         the name of the key transform, if there is one
/// The numbers are text that std::from_chars reads, the rate with four digits. There is one more property for people
/// who read the output of sst_dump, with all of these in its name and no value.
[[nodiscard]] std::shared_ptr<rocksdb::TablePropertiesCollectorFactory> NewRocksDBFilterCollectorFactory();

/// What the filters of one policy have done since the policy was made, in all column families that share it.
/// (SetOptions may make a new policy from RocksDB 9.8 on; see docs/rocksdb_options.md.)
struct RocksDBFilterCounters {
  struct OfKind {
    std::uint64_t built = 0;              // filter blocks
    std::uint64_t keys = 0;               // keys and prefixes that were added to them
    std::uint64_t bytes = 0;              // the size of the blocks
    std::uint64_t build_nanoseconds = 0;  // in Finish, which turns the hashes of the keys into a block
    // Questions are counted only with the option count_questions. Filters that were in memory before it was set are not
    // counted.
    std::uint64_t asked_singly = 0;      // by Get and by seeks
    std::uint64_t asked_in_batches = 0;  // keys, by MultiGet
    std::uint64_t answered_no = 0;       // of both: these keys are certainly not in the file
  };
  OfKind blocked;
  OfKind ribbon;
  std::uint64_t always_maybe = 0;  // blocks that every key passes, as there was no memory or a transform threw
  // Filter blocks that were opened, each counted whenever it was read from its file into memory:
  std::uint64_t damaged_blocks = 0;          // Crivo's, but damaged: every key passes
  std::uint64_t builtin_blocks = 0;          // of RocksDB's own policies
  std::uint64_t other_transform_blocks = 0;  // Crivo's, with another key transform than the policy's: every key passes
};

/// The counters of a policy, or of the policy in these options (rocksdb::Options will do, so also DB::GetOptions). Any
/// thread may call it at any time. No value if there is no policy of Crivo's.
[[nodiscard]] std::optional<RocksDBFilterCounters> GetRocksDBFilterCounters(const rocksdb::FilterPolicy* policy);
[[nodiscard]] std::optional<RocksDBFilterCounters> GetRocksDBFilterCounters(
    const rocksdb::ColumnFamilyOptions& options);

/// Writes one line into LOG with the counters of the policy of a column family (of the default one without a handle),
/// one for each damaged filter block that was not yet logged, and, with RocksDB's statistics, one of JSON with the
/// Gets. Errors: InvalidArgument if its policy is not one of Crivo's.
rocksdb::Status LogRocksDBFilterCounters(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* column_family = nullptr);

/// The filters of a database, beside its limit.
struct RocksDBFilterTotal {
  std::uint64_t max_total_bytes;  // the largest of its column families' policies that have written files; 0 for none
  std::uint64_t files;            // SST files
  std::uint64_t keys;             // and prefixes, of their filters; estimated for files without a filter
  std::uint64_t bytes;            // of their filters
};

/// Lists the files of the database, which takes about a microsecond for each, and reads the properties of those that
/// are older than this process's first flush or compaction. No value if NewRocksDBFilterListener was not installed, or
/// the database has neither flushed nor compacted anything since it was opened.
[[nodiscard]] std::optional<RocksDBFilterTotal> GetRocksDBFilterTotal(rocksdb::DB& db);

/// For DBOptions::listeners: keeps filters within max_total_bytes, and does the same as LogRocksDBFilterCounters when a
/// database closes, for each policy that has built filters for it while it was open. A database that has neither
/// flushed nor compacted anything since it was opened closes without a line.
[[nodiscard]] std::shared_ptr<rocksdb::EventListener> NewRocksDBFilterListener();

}  // namespace crivo
