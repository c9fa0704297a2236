// The filter policies: what RocksDB configures, and asks for builders and readers.
#pragma once

#include <rocksdb/filter_policy.h>

#include <memory>
#include <string>
#include <string_view>

#include "settings.h"

namespace crivo {

/// Errors in its options do not stop its making, because RocksDB would go on without a filter and say nothing. They are
/// kept for ValidateOptions, where DB::Open fails. Where RocksDB asks for a builder without that check (SetOptions from
/// 9.8 on, CreateColumnFamily, SstFileWriter), the filter is that of the last settings without an error, and LOG says
/// so.
class FilterPolicy final : public rocksdb::FilterPolicy {
 public:
  explicit FilterPolicy(const RocksDBFilterOptions& options);
  /// From what stands in an option string: a policy's name, with values after colons, or a name we do not have.
  explicit FilterPolicy(std::string_view id);

  const char* Name() const override { return settings_.policy().name.data(); }
  /// The name with all the settings behind it, as RocksDB's own policies have it. From 9.8 on, SetOptions makes a new
  /// policy out of the old one's id and the options it is given: so only these are a change, and the rest is as it was.
  std::string GetId() const override;
  /// That of RocksDB's own policies: each side reads what the other wrote (README.md, "Compatibility").
  const char* CompatibilityName() const override { return builtin_->CompatibilityName(); }

  rocksdb::FilterBitsBuilder* GetBuilderWithContext(const rocksdb::FilterBuildingContext& context) const override;
  rocksdb::FilterBitsReader* GetFilterBitsReader(const rocksdb::Slice& contents) const override;

  rocksdb::Status ConfigureOptions(const rocksdb::ConfigOptions& config,
                                   const std::unordered_map<std::string, std::string>& options,
                                   std::unordered_map<std::string, std::string>* unused) override;
  rocksdb::Status ValidateOptions(const rocksdb::DBOptions& db,
                                  const rocksdb::ColumnFamilyOptions& column_family) const override;

 private:
  /// Null: one that is not ours.
  explicit FilterPolicy(const PolicyInfo* policy);
  void keep(const Result<void>& result);
  /// Says in LOG what is wrong with the options, and which settings a filter gets instead.
  void warn(rocksdb::Logger* log, const Settings& settings) const noexcept;

  SharedSettings settings_;
  std::string error_;  // the first; empty when all is well
  bool fits_library_;  // the librocksdb in this process is the one this library was built for
  std::unique_ptr<const rocksdb::FilterPolicy> builtin_;
};

/// Why this library must not be used with the librocksdb in this process; empty when it may.
[[nodiscard]] std::string library_mismatch();

}  // namespace crivo
