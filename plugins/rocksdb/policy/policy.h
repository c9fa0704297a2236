// The filter policies, crivo.Auto, crivo.Bloom and crivo.Ribbon: RocksDB configures them, and asks them for builders
// and readers of filters.
#pragma once

#include <rocksdb/filter_policy.h>

#include <atomic>
#include <memory>
#include <string>
#include <string_view>

#include "options/limit_plan.h"
#include "options/settings_parser.h"
#include "report/counters.h"

namespace crivo::plugin {

/// A policy is made even if there are errors in its options, because RocksDB would otherwise go on without a filter and
/// say nothing. The errors are kept for ValidateOptions, where DB::Open fails. Where RocksDB asks for a builder without
/// that check (SetOptions from 9.8 on, CreateColumnFamily, SstFileWriter), the filter is that of the last settings
/// without an error, and LOG says so.
class FilterPolicy final : public rocksdb::FilterPolicy {
 public:
  explicit FilterPolicy(const RocksDBFilterOptions& options);
  /// Makes a policy from what stands in an option string: a policy's name with values after colons. A name that we do
  /// not have becomes an error that is kept.
  explicit FilterPolicy(std::string_view id);

  const char* Name() const override { return settings_.policy().name.data(); }
  /// The policy's name with all its settings behind it, as the ids of RocksDB's own policies are. From 9.8 on,
  /// SetOptions makes a new policy out of the old one's id and the options that it is given. Because the id has all
  /// settings, those that are not given stay as they were.
  std::string GetId() const override;
  /// Without a key transform, the name of RocksDB's own policies, because each side reads the filters that the other
  /// wrote. With one, a name that only policies with the same transform have. RocksDB finds a file's filter by this
  /// name before it looks into the block cache, which may hold a reader that was made under a policy with another
  /// transform.
  const char* CompatibilityName() const override;

  rocksdb::FilterBitsBuilder* GetBuilderWithContext(const rocksdb::FilterBuildingContext& context) const override;
  rocksdb::FilterBitsReader* GetFilterBitsReader(const rocksdb::Slice& contents) const override;

  /// RocksDB reads the options of a running database before it changes some of them, and if there is an error in any,
  /// be it of another object, it hands what it has read to ConfigureOptions. So then this is the id.
  std::string SerializeOptions(const rocksdb::ConfigOptions& config, const std::string& prefix) const override;
  rocksdb::Status ConfigureOptions(const rocksdb::ConfigOptions& config,
                                   const std::unordered_map<std::string, std::string>& options,
                                   std::unordered_map<std::string, std::string>* unused) override;
  rocksdb::Status ValidateOptions(const rocksdb::DBOptions& db,
                                  const rocksdb::ColumnFamilyOptions& column_family) const override;
  /// What of this a column family's options say without those of the database.
  [[nodiscard]] rocksdb::Status check(const rocksdb::ColumnFamilyOptions& column_family) const;

 private:
  /// `policy` is null for a name that is not ours.
  explicit FilterPolicy(const PolicyInfo* policy);
  /// Keeps an error. `transforms`: what failed named a key transform.
  void keep(const Result<void>& result, bool transforms = false);
  /// What the file's filters are to be, within max_total_bytes if there is such a limit.
  [[nodiscard]] FilePlan plan(const Settings& settings, const rocksdb::FilterBuildingContext& context) const noexcept;
  /// Says in LOG what is wrong with the options, and what a file gets instead; that the folder for hashes (or null) is
  /// memory; that RocksDB has a bug with these table options; and which damaged blocks were found. RocksDB shows a
  /// policy its log only where it asks for a builder.
  void tell(const rocksdb::FilterBuildingContext& context, const Settings& settings,
            const std::string* folder) const noexcept;

  SharedSettings settings_;
  std::shared_ptr<Counters> counters_;  // never null
  std::string error_;                   // the first error; empty when all is well
  /// False if the key transform that was asked for is not known. A filter of the keys as they are would then lose keys
  /// that the comparator finds, so there are no filters at all.
  bool knows_keys_ = true;
  mutable std::atomic<bool> warned_of_folder_ = false;
  mutable std::atomic<bool> warned_of_partitions_ = false;
  bool fits_library_;  // the librocksdb in this process is the one this library was built for
  std::unique_ptr<const rocksdb::FilterPolicy> builtin_;
};

/// Why this library must not be used with the librocksdb in this process; empty when it may.
[[nodiscard]] std::string library_mismatch();

}  // namespace crivo::plugin
