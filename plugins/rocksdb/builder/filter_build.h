// Builds a filter from a log of hashes, within the memory that the builders of this process may hold.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "builder/block_memory.h"
#include "builder/block_sizing.h"
#include "builder/build_memory.h"
#include "builder/hash_log.h"
#include "crivo/filter.h"

namespace crivo::plugin {

/// What the builder of a file must keep to, and where it says what came of that.
struct BuildLimits {
  std::size_t max_filter_bytes = SIZE_MAX;              // for the filters of the file, together
  const char* limit_name = "max_filter_bytes";          // of this limit, for messages
  std::size_t max_build_bytes = BuildMemory::kNoLimit;  // for what all builders that share `memory` hold
  BuildMemory* memory = &BuildMemory::of_process();
  rocksdb::Logger* log = nullptr;                       // may be null
  int level = -1;                                       // of the file, for messages
  std::shared_ptr<rocksdb::Cache> charged = nullptr;    // to which all memory of the build is charged; may be null
  std::shared_ptr<const std::string> folder = nullptr;  // HashLog's
};

/// The filter of all hashes in the log, with its payload in `payload`, which must outlive it. It is a blocked one where
/// a ribbon's hashes went to a file, or where it would take builders beyond the limit, or more memory than there is. No
/// value if no filter can be built. Throws std::bad_alloc and what the log throws. The hashes stay, but a ribbon drops
/// repeated ones.
[[nodiscard]] std::optional<AnyFilter> build_filter(HashLog& hashes, const BlockSizing& sizing,
                                                    const BuildLimits& limits, BlockMemory& payload);

}  // namespace crivo::plugin
