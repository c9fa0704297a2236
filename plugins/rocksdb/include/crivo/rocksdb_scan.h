// Scans that leave out whole SST files: a small filter in each file's properties knows which prefixes, or which values
// of an attribute of the key, the file has.
//
//   crivo::NewScanFilterCollectorFactory({.extract = "prefix:4,8 path:/"}, &factory);
//   options.table_properties_collector_factories.push_back(factory);
//   ...
//   const auto filter = crivo::ScanFilter::for_prefix("0004");
//   filter.apply_to(&read_options);
//   for (it->Seek("0004"); it->Valid() && filter.matches(it->key()); it->Next()) ...
//
// docs/scans.md says when this pays.
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
#include <vector>

#include "crivo/rocksdb.h"

namespace crivo {

namespace plugin {
class ScanQuestion;
struct ScanCondition;
}  // namespace plugin

/// Hands over one value of an attribute.
using ScanValueSink = std::function<void(std::string_view value)>;

/// An attribute of a key: calls the sink for each of its values, none or several. It must depend on nothing but the
/// key, because a file with a newer version or a tombstone of the key must not be left out where an older version is
/// read. So there are no attributes of a row's value. Any number of threads may call the function at the same time, and
/// it must give the same values in all processes. It may throw: the file then gets no filter for it.
using ScanAttribute = std::function<void(const rocksdb::Slice& key, const ScanValueSink& sink)>;

/// Gives an attribute a name of 1 to 22 ASCII letters, digits or characters of "_-.", by which options and questions
/// ask for it. Call it once per process, before an option string or OPTIONS file with it is read. A function that
/// begins to give other values needs another name: a filter is asked by this name alone. Errors: InvalidArgument.
[[nodiscard]] rocksdb::Status RegisterScanAttribute(std::string_view name, ScanAttribute attribute);

/// The number of a key, if it has one: its order need not be that of the keys. As for attributes, it must depend on
/// nothing but the key.
using ScanNumber = std::function<std::optional<std::uint64_t>(const rocksdb::Slice& key)>;

/// The same as RegisterScanAttribute, for a number. Built in are `be64@8`, eight bytes from offset 8 on as a big-endian
/// number, and `dec@5`, the decimal digits from offset 5 on; keys that are too short, or have no digit there or too
/// many, have no number.
[[nodiscard]] rocksdb::Status RegisterScanNumber(std::string_view name, ScanNumber number);

/// What NewScanFilterCollectorFactory writes. Option strings and OPTIONS files have the same options:
/// table_properties_collectors={{id=crivo.ScanFilter;extract=prefix:4,8 path:/}}
struct ScanFilterOptions {
  /// The filters of a file, with blanks between them:
  ///   prefix:4,8,12    the first 4, 8 and 12 bytes of each key that has so many: a filter for each length, 1 to 65535
  ///   path:/           what a key has up to each '/' (or another character), that one included
  ///   attribute:NAME   the values of an attribute that RegisterScanAttribute was given
  ///   range:be64@8     a number of the key, built in or one that RegisterScanNumber was given
  std::string extract = {};
  std::string kind = "ribbon";  // or "blocked", which takes more room and is built faster; ranges have their own
  double fp_rate = 0.01;        // the share of files that have no such key and are read all the same: 1e-9 to 0.5
  /// The length of the ranges for which a range filter has fp_rate, a power of two up to 2^31: of a range *n* times as
  /// long *n* times as many files are read. It takes log2(range_length / fp_rate) + 2 bits per number.
  std::uint32_t range_length = 256;
  std::uint64_t max_bytes = 65536;  // for all filters of one file, 64 to 2^30. One that does not fit is left out
  /// A file is left out only if its comparator is known to take no two different keys for equal: RocksDB's two bytewise
  /// ones, and the one of this name, if it does so too and its keys have no timestamps.
  std::string comparator = {};
};

/// Makes a factory for ColumnFamilyOptions::table_properties_collector_factories. Files that were written without it
/// are read by every scan. While a file is written, each of its filters takes up to 43 bytes of memory for each byte of
/// max_bytes at a rate of 0.01, and more at a higher rate (256 at 0.5). A collector never fails the file: where
/// something goes wrong, the file has no filter, and the file's properties in LOG say why. Errors: InvalidArgument,
/// "crivo.ScanFilter: <field> must ..., got ...".
[[nodiscard]] rocksdb::Status NewScanFilterCollectorFactory(
    const ScanFilterOptions& options, std::shared_ptr<rocksdb::TablePropertiesCollectorFactory>* factory);

/// What a scan is about, and the `table_filter` that leaves out the files without it. **Only keys that match are what
/// they are without the filter**: of another key a scan may miss the newest version, or show one that was deleted. So
/// stop at the first key that does not match, or go past it.
///
/// A copy asks the same and shares the counts. Any number of threads may use it at the same time.
class ScanFilter {
 public:
  /// Keys that begin with these bytes. The file's filters for its own first bytes answer, whatever their lengths: the
  /// longest that is not longer than `prefix`, and `path` for what it has up to its last separator.
  [[nodiscard]] static ScanFilter for_prefix(std::string_view prefix);
  /// Keys that have this value of the attribute.
  [[nodiscard]] static ScanFilter for_attribute(std::string_view name, std::string_view value);
  /// Keys whose number lies in this range, both ends included.
  [[nodiscard]] static ScanFilter for_range(std::string_view name, std::uint64_t low, std::uint64_t high);
  /// Keys that match both.
  [[nodiscard]] ScanFilter and_also(const ScanFilter& other) const;

  /// Sets table_filter for one scan, and total_order_seek, because otherwise a prefix_extractor decides what the scan
  /// sees. Set iterate_upper_bound, too: without it a scan that finds nothing opens each further file of a level to ask
  /// its filter. In RocksDB after 11.8 the options point into this object: it, or a copy, must then outlive the
  /// iterator. Replaces a table_filter that was set before. Errors: InvalidArgument, with the options unchanged, if an
  /// attribute or number was not registered, or if `tailing` is set. Do not set it later either: a tailing iterator
  /// loses keys behind a file that is left out.
  [[nodiscard]] rocksdb::Status apply_to(rocksdb::ReadOptions* options) const;

  /// Whether the key, without its timestamp, is one that was asked for.
  [[nodiscard]] bool matches(const rocksdb::Slice& key) const;

  /// Whether the file may have such keys. True where nothing is known of it.
  [[nodiscard]] bool may_match(const rocksdb::TableProperties& file) const noexcept;

  /// How often a file was asked, and how often it was left out. A scan asks a file each time that it comes to it.
  [[nodiscard]] std::uint64_t asked() const noexcept;
  [[nodiscard]] std::uint64_t skipped() const noexcept;

 private:
  [[nodiscard]] static ScanFilter only(plugin::ScanCondition condition);
  explicit ScanFilter(std::shared_ptr<const plugin::ScanQuestion> question) noexcept;

  std::shared_ptr<const plugin::ScanQuestion> question_;
};

/// Whether a column family may have a key that begins with these bytes: a look into the memtables, and at the scan
/// filters of the files: of all of level 0, and of those around the prefix in further levels. No block is read. Keys
/// that were deleted count as long as a file has them. "Maybe" (true) is also what is not known: files without a filter
/// for so few of the prefix's bytes, comparators other than RocksDB's bytewise ones, and every error.
[[nodiscard]] bool PrefixMayExist(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* family, std::string_view prefix);
/// The same for many prefixes, in their order.
[[nodiscard]] std::vector<bool> PrefixesMayExist(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* family,
                                                 const std::vector<std::string_view>& prefixes);

}  // namespace crivo
