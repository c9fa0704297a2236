// What a filter policy would write, seen in a filter that it is asked to build.
#pragma once

#include <rocksdb/filter_policy.h>

#include <cstddef>
#include <optional>
#include <string>

#include "../abi.h"
#include "filter_facts.h"

namespace crivo::sst {

/// A filter of this many keys, at least 1. The builder must be one of Crivo's or RocksDB's policies, and can be used
/// again afterwards.
[[nodiscard]] FilterFacts sample_filter(abi::FilterBitsBuilder& builder, std::size_t keys);

/// The key transform of a policy of Crivo's; no value for other policies, and for one that writes no filters.
[[nodiscard]] std::optional<std::string> key_transform_of(const rocksdb::FilterPolicy& policy,
                                                          const rocksdb::BlockBasedTableOptions& table);

}  // namespace crivo::sst
