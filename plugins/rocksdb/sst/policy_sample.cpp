#include "policy_sample.h"

#include <rocksdb/table.h>

#include <cstdio>
#include <memory>
#include <string_view>

namespace crivo::sst {

FilterFacts sample_filter(abi::FilterBitsBuilder& builder, std::size_t keys) {
  for (std::size_t i = 0; i < keys; ++i) {
    char key[24];
    const int size = std::snprintf(key, sizeof key, "%zu", i);
    builder.AddKey(rocksdb::Slice(key, static_cast<std::size_t>(size)));
  }
  std::unique_ptr<const char[]> buffer;
  const rocksdb::Slice block = builder.Finish(&buffer);
  return describe_filter({block.data(), block.size()}, keys, /*matches=*/true);
}

std::optional<std::string> key_transform_of(const rocksdb::FilterPolicy& policy,
                                            const rocksdb::BlockBasedTableOptions& table) {
  if (!std::string_view(policy.Name()).starts_with("crivo.")) return std::nullopt;
  const rocksdb::FilterBuildingContext context(table);
  const std::unique_ptr<abi::FilterBitsBuilder> builder(
      reinterpret_cast<abi::FilterBitsBuilder*>(policy.GetBuilderWithContext(context)));
  if (builder == nullptr) return std::nullopt;
  return sample_filter(*builder, 1).key_transform;
}

}  // namespace crivo::sst
