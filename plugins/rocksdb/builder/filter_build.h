// Builds a filter from a log of hashes, within the memory limit of this process's builders.
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

/// The limits of a file's builder, and its context for messages.
struct BuildLimits {
  std::size_t max_filter_bytes = SIZE_MAX;              // for all filters of the file together
  const char* limit_name = "max_filter_bytes";          // the limit's name in messages
  std::size_t max_build_bytes = BuildMemory::kNoLimit;  // for all builders that share `memory`
  BuildMemory* memory = &BuildMemory::of_process();
  rocksdb::Logger* log = nullptr;                       // may be null
  int level = -1;                                       // the file's level in messages
  std::shared_ptr<rocksdb::Cache> charged = nullptr;    // the cache to charge for the build's memory; may be null
  std::shared_ptr<const std::string> folder = nullptr;  // for HashLog
};

/// Builds the filter of all hashes in the log. Its payload is in `payload`, which must outlive the filter. A blocked
/// filter replaces a ribbon if the hashes are in a file, if the ribbon would exceed the builders' limit, or if memory
/// is short. No value if no filter can be built. Throws std::bad_alloc and the log's exceptions. The hashes stay in the
/// log, but a ribbon removes repeated ones.
[[nodiscard]] std::optional<AnyFilter> build_filter(HashLog& hashes, const BlockSizing& sizing,
                                                    const BuildLimits& limits, BlockMemory& payload);

}  // namespace crivo::plugin
