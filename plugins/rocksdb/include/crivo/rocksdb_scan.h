// Scans that skip SST files: each file's properties have small filters of its keys' prefixes, attributes or numbers.
//
//   if (!crivo::NewScanFilterCollectorFactory({.extract = "prefix:4,8 path:/"}, &factory).ok()) return;
//   options.table_properties_collector_factories.push_back(factory);
//   ...
//   const auto filter = crivo::ScanFilter::for_prefix("0004");
//   if (!filter.apply_to(&read_options).ok()) return;
//   for (it->Seek("0004"); it->Valid() && filter.matches(it->key()); it->Next()) ...
//
// docs/scans.md says when scan filters are worthwhile.
#pragma once

#include <rocksdb/db.h>
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

#include "crivo/rocksdb.h"

namespace crivo {

namespace plugin {
class ScanQuery;
struct ScanCondition;
}  // namespace plugin

/// Receives one value of an attribute.
using ScanValueSink = std::function<void(std::string_view value)>;

/// A function that passes each value of a key's attribute to the sink; a key may have no value. The values may depend
/// only on the key, not on the value that the database stores for it. Otherwise a scan could skip a file with a newer
/// version, or a tombstone, of a key that the scan finds in another file. The function must be thread-safe, and pass
/// the same values in all processes. It may throw: the file then gets no filter for this attribute.
using ScanAttribute = std::function<void(const rocksdb::Slice& key, const ScanValueSink& sink)>;

/// Registers an attribute by a name of 1 to 22 ASCII letters, digits or characters of "_-.", for options and scans.
/// Register each name once per process, before an option string or OPTIONS file that contains the name is parsed.
/// Filters are looked up by this name, so a function whose results change needs a new name. Errors: InvalidArgument if
/// the name is invalid or already registered, or if the function is empty.
[[nodiscard]] rocksdb::Status RegisterScanAttribute(std::string_view name, ScanAttribute attribute);

/// The number of a key, if the key has one. It may depend only on the key. Numbers need not be ordered like the keys.
using ScanNumber = std::function<std::optional<std::uint64_t>(const rocksdb::Slice& key)>;

/// As RegisterScanAttribute, for a number. Built in: `be64@8`, a big-endian number of eight bytes at offset 8; `dec@5`,
/// the decimal digits at offset 5. Offsets are 0 to 65535. A key has no number if it is too short, has no digits at the
/// offset, or has a number of more than 64 bits.
[[nodiscard]] rocksdb::Status RegisterScanNumber(std::string_view name, ScanNumber number);

/// The options of the scan filters, also in option strings and OPTIONS files:
/// table_properties_collectors={{id=crivo.ScanFilter;extract=prefix:4,8 path:/}}
struct ScanFilterOptions {
  /// The filters of each file, separated by blanks:
  ///   prefix:4,8,12    the first 4, 8 and 12 bytes of keys that are long enough: one filter per length, 1 to 65535
  ///   path:/           the prefixes of a key that end in '/' (or in another printable character, but not ;{}=\)
  ///   attribute:NAME   the values of a registered attribute (RegisterScanAttribute)
  ///   range:be64@8     a number of the key, built in or registered (RegisterScanNumber)
  std::string extract = {};
  /// "ribbon", or "blocked", which is larger and faster to build. `range` filters have a kind of their own.
  std::string kind = "ribbon";
  /// The share of files without matching keys that are read anyway, 1e-9 to 0.5.
  double fp_rate = 0.01;
  /// For `range`: the length of the ranges for which fp_rate holds, a power of two up to 2^31. For ranges n times as
  /// long, the rate is n times as high. A filter needs log2(range_length / fp_rate) + 2 bits per number.
  std::uint32_t range_length = 256;
  /// The maximum total size of all scan filters of one file, 64 to 2^30. Filters that do not fit are omitted.
  std::uint64_t max_bytes = 65536;
  /// The name of a comparator without timestamps, under which different bytes are never equal keys. Files are skipped
  /// only with this comparator or RocksDB's bytewise ones. For timestamped keys, only prefixes skip files.
  std::string comparator = {};
};

/// A factory for ColumnFamilyOptions::table_properties_collector_factories. Files written without this factory are read
/// by every scan. Building a filter needs up to 43 bytes of memory per byte of max_bytes at a rate of 0.01, and more at
/// higher rates (256 at 0.5). An error in a collector never fails the flush or compaction: the file then lacks the scan
/// filter, and its properties or LOG state the reason. Errors: InvalidArgument, "crivo.ScanFilter: <field> must ...,
/// got ...".
[[nodiscard]] rocksdb::Status NewScanFilterCollectorFactory(
    const ScanFilterOptions& options, std::shared_ptr<rocksdb::TablePropertiesCollectorFactory>* factory);

/// The condition of a scan, and its `table_filter`, which skips files without matching keys. **Only keys that match are
/// read correctly**: for other keys the scan may miss the newest version or return a deleted key. So stop at the first
/// key that does not match, or skip it.
///
/// Copies share the counts. Thread-safe.
class ScanFilter {
 public:
  /// Keys with this prefix. A file is tested with one filter: the `prefix` or `path` filter that covers the most
  /// leading bytes of `prefix`. A `path` filter covers the bytes up to the last separator.
  [[nodiscard]] static ScanFilter for_prefix(std::string_view prefix);
  /// Keys with this value of the attribute.
  [[nodiscard]] static ScanFilter for_attribute(std::string_view name, std::string_view value);
  /// Keys whose number is in [low, high].
  [[nodiscard]] static ScanFilter for_range(std::string_view name, std::uint64_t low, std::uint64_t high);
  /// Keys that match both conditions.
  [[nodiscard]] ScanFilter and_also(const ScanFilter& other) const;

  /// Sets table_filter for one scan, replacing any other, and total_order_seek, because a prefix_extractor could hide
  /// keys. The caller should set iterate_upper_bound: without an upper bound, a scan that finds nothing opens each
  /// further file of a level to test the file's filter. Do not set `tailing` afterwards: a tailing iterator loses the
  /// keys after a skipped file. Errors, with the options unchanged: InvalidArgument if an attribute or number is not
  /// registered, or if `tailing` is set.
  [[nodiscard]] rocksdb::Status apply_to(rocksdb::ReadOptions* options) const;

  /// Whether a key, without its timestamp, matches. Throws what the functions of attributes and numbers throw.
  [[nodiscard]] bool matches(const rocksdb::Slice& key) const;

  /// Whether the file may have matching keys. True if unknown.
  [[nodiscard]] bool may_match(const rocksdb::TableProperties& file) const noexcept;

  /// How often files were tested and skipped. A scan tests a file each time that it reaches the file.
  [[nodiscard]] std::uint64_t asked() const noexcept;
  [[nodiscard]] std::uint64_t skipped() const noexcept;

 private:
  [[nodiscard]] static ScanFilter only(plugin::ScanCondition condition);
  explicit ScanFilter(std::shared_ptr<const plugin::ScanQuery> query) noexcept;

  std::shared_ptr<const plugin::ScanQuery> query_;
};

/// Whether a column family may have a key with this prefix. Checks the memtables and the scan filters, but reads no
/// data blocks. Tests all files of level 0, and the files of other levels that may overlap the prefix's range. A
/// deleted key counts while a file contains it. Also true if a tested file has no filter for this prefix, if the prefix
/// is empty or has only bytes 0xFF, with comparators other than RocksDB's bytewise ones without timestamps, and after
/// errors.
[[nodiscard]] bool PrefixMayExist(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* family, std::string_view prefix);

}  // namespace crivo
