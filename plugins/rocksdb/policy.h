// The filter policies: what RocksDB configures, and asks for builders and readers.
#pragma once

#include <rocksdb/filter_policy.h>

#include <memory>
#include <string>
#include <string_view>

#include "settings.h"

namespace crivo {

/// Errors in its options do not stop its making, because RocksDB would go on without a filter and say nothing;
/// they are kept for ValidateOptions, where DB::Open fails.
class FilterPolicy final : public rocksdb::FilterPolicy {
 public:
  explicit FilterPolicy(const RocksDBFilterOptions& options);
  /// From what stands in an option string: a policy's name, with values after colons, or a name we do not have.
  explicit FilterPolicy(std::string_view id);

  const char* Name() const override { return settings_.policy().name.data(); }
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

  AtomicSettings settings_;
  std::string error_;  // the first; empty when all is well
  std::unique_ptr<const rocksdb::FilterPolicy> builtin_;
};

/// Why this library must not be used with the librocksdb in this process; empty when it may.
[[nodiscard]] std::string library_mismatch();

}  // namespace crivo
