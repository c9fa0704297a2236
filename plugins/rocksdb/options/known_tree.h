// The tree of a column family as it is, and what others of its database have.
#pragma once

#include <cstdint>
#include <vector>

namespace crivo::plugin {

struct KnownTree {
  std::vector<std::uint64_t> keys;  // of the column family's files, by level
  std::uint64_t flushed_keys = 0;   // of the largest files of late that were flushed; 0 if none was
  std::uint64_t sharing_keys = 0;   // of all column families among which max_total_bytes is divided
  std::uint64_t sharing_files = 0;  // of these
  std::uint64_t other_bytes = 0;    // of the filters of the others
};

}  // namespace crivo::plugin
