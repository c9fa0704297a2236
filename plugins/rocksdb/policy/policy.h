// The filter policies crivo.Auto, crivo.Bloom and crivo.Ribbon: RocksDB configures them, and gets builders and readers
// of filters from them.
#pragma once

#include <rocksdb/filter_policy.h>

#include <atomic>
#include <memory>
#include <string>
#include <string_view>

#include "options/limit_plan.h"
#include "options/settings_parser.h"
#include "report/counters.h"
#include "report/filter_tree.h"

namespace crivo::plugin {

/// A policy is created even if its options are wrong, because RocksDB would otherwise silently continue without
/// filters. The first error is stored for ValidateOptions, which makes DB::Open fail. If RocksDB gets a builder without
/// that check (SetOptions from 9.8 on, CreateColumnFamily, SstFileWriter), the filter uses the last valid settings, and
/// LOG reports the error. With an unknown key transform, there is no filter.
class FilterPolicy final : public rocksdb::FilterPolicy {
 public:
  explicit FilterPolicy(const RocksDBFilterOptions& options);
  /// From an option string: a policy's name, with values after colons. An unknown name is stored as an error.
  explicit FilterPolicy(std::string_view id);

  const char* Name() const override { return settings_.policy().name.data(); }
  /// The policy's name and settings; most settings with default values are omitted. From 9.8 on, SetOptions may create
  /// a new policy from the old id and the changed options, so the id must contain all other settings.
  std::string GetId() const override;
  /// Without a key transform, the name of RocksDB's own policies, because Crivo's policies and RocksDB's can open each
  /// other's filters. With a transform, a name that only policies with the same transform share. RocksDB finds a file's
  /// filter by this name before it searches the block cache, which may contain a reader of a policy with another
  /// transform.
  const char* CompatibilityName() const override;

  rocksdb::FilterBitsBuilder* GetBuilderWithContext(const rocksdb::FilterBuildingContext& context) const override;
  rocksdb::FilterBitsReader* GetFilterBitsReader(const rocksdb::Slice& contents) const override;

  /// RocksDB serializes the options of an open database before it changes some of them. Up to 9.7, if any option is
  /// wrong, even one of another object, RocksDB passes the text to ConfigureOptions, to restore the old values. For
  /// that purpose, the text contains the policy's id.
  std::string SerializeOptions(const rocksdb::ConfigOptions& config, const std::string& prefix) const override;
  rocksdb::Status ConfigureOptions(const rocksdb::ConfigOptions& config,
                                   const std::unordered_map<std::string, std::string>& options,
                                   std::unordered_map<std::string, std::string>* unused) override;
  rocksdb::Status ValidateOptions(const rocksdb::DBOptions& db,
                                  const rocksdb::ColumnFamilyOptions& column_family) const override;
  /// The checks that need only a column family's options.
  [[nodiscard]] rocksdb::Status check(const rocksdb::ColumnFamilyOptions& column_family) const;

 private:
  /// `policy` is null for an unknown name or kind.
  explicit FilterPolicy(const PolicyInfo* policy);
  /// Records the first error. `transforms`: whether the options name a key transform. If the options do, but no
  /// transform is in effect after the error, the policy has no filters (knows_keys_).
  void record_error(const Result<void>& result, bool transforms = false);
  struct Plan {
    FilePlan file;
    std::shared_ptr<FlushShare> share = nullptr;  // of a flushed file, with max_total_bytes
  };
  /// The filters of a new file, within max_total_bytes if set.
  [[nodiscard]] Plan plan(const Settings& settings, const rocksdb::FilterBuildingContext& context) const noexcept;
  /// Logs warnings: wrong options and the filter that is used instead; `folder`, the folder for spilled hashes (may be
  /// null), if it is in memory (tmpfs); a bug of RocksDB with these table options; and damaged blocks found since the
  /// last call. Also records the column family in the counters. RocksDB passes a logger to a policy only when it
  /// requests a builder.
  void log_warnings(const rocksdb::FilterBuildingContext& context, const Settings& settings,
                    const std::string* folder) const noexcept;

  SharedSettings settings_;
  std::shared_ptr<Counters> counters_;  // never null
  std::string error_;                   // the first error; may be empty
  /// False if the key transform is unknown. Filters of the untransformed keys would lose keys that the comparator
  /// considers equal, so there are no filters.
  bool knows_keys_ = true;
  mutable std::atomic<bool> warned_of_folder_ = false;
  mutable std::atomic<bool> warned_of_partitions_ = false;
  bool fits_library_;  // librocksdb has the version that this library was built for
  std::unique_ptr<const rocksdb::FilterPolicy> builtin_;
};

/// Why this library must not be used with the loaded librocksdb; empty if it may.
[[nodiscard]] std::string library_mismatch();

}  // namespace crivo::plugin
