#include "refilter/planned_filter.h"

#include <algorithm>

namespace crivo::refilter {

const rocksdb::BlockBasedTableOptions* table_of(const rocksdb::ColumnFamilyOptions& family) {
  return family.table_factory != nullptr ? family.table_factory->GetOptions<rocksdb::BlockBasedTableOptions>()
                                         : nullptr;
}

rocksdb::FilterBuildingContext context_of(const rocksdb::ColumnFamilyOptions& family,
                                          const rocksdb::BlockBasedTableOptions& table, const NewFile& file) {
  rocksdb::FilterBuildingContext context(table);
  context.compaction_style = family.compaction_style;
  context.num_levels = family.num_levels;
  context.level_at_creation = file.level;
  context.is_bottommost = file.bottommost && !file.flushed;
  context.reason =
      file.flushed ? rocksdb::TableFileCreationReason::kFlush : rocksdb::TableFileCreationReason::kCompaction;
  return context;
}

bool has_no_filter(const rocksdb::ColumnFamilyOptions& family, const NewFile& file) noexcept {
  return family.optimize_filters_for_hits && file.bottommost && !file.flushed;
}

Builder builder_for(const rocksdb::ColumnFamilyOptions& family, const rocksdb::FilterPolicy& policy,
                    const NewFile& file) {
  rocksdb::BlockBasedTableOptions table = *table_of(family);
  // Otherwise RocksDB's builders would store a filter's keys until it is verified, which sample filters never are.
  table.detect_filter_construct_corruption = false;
  if (has_no_filter(family, file)) return nullptr;
  return Builder(
      reinterpret_cast<abi::FilterBitsBuilder*>(policy.GetBuilderWithContext(context_of(family, table, file))));
}

sst::FilterFacts sample_filter(abi::FilterBitsBuilder& builder, std::size_t keys) {
  for (std::size_t i = 0; i < keys; ++i) builder.AddKey(std::to_string(i));
  std::unique_ptr<const char[]> buffer;
  const rocksdb::Slice block = builder.Finish(&buffer);
  return sst::describe_filter({block.data(), block.size()}, keys, /*matches=*/true);
}

PlannedFilter planned_filter(abi::FilterBitsBuilder& builder, std::uint64_t all_keys, std::size_t blocks) {
  const std::size_t keys = std::max<std::size_t>(static_cast<std::size_t>(all_keys) / blocks, 1);
  const auto times_blocks = [&](std::size_t bytes) { return static_cast<double>(bytes) * static_cast<double>(blocks); };
  if (keys >= kFewKeys) {
    const std::size_t bytes = builder.CalculateSpace(keys);
    return {times_blocks(bytes), builder.EstimatedFpRate(keys, bytes)};
  }
  const sst::FilterFacts built = sample_filter(builder, keys);
  return {times_blocks(built.bytes), built.current_fp_rate};
}

}  // namespace crivo::refilter
