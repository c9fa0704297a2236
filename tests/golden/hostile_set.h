// Bytes that are no filter, each with a name and the error it must get. They are committed in hostile/.
#pragma once

#include "filters.h"

namespace crivo::testing {

struct HostileFile {
  std::string name;     // the file's name, which ends in ".blob" or ".sst"
  Bytes bytes;          // as they were written once
  std::string message;  // what the error's text must contain: the field, and what was got where that can be said
};

[[nodiscard]] std::vector<HostileFile> hostile_files();

/// The limits that hostile blobs are read under. One of them decodes to a gigabyte.
inline constexpr std::uint64_t kHostileLimit = std::uint64_t{1} << 20;

}  // namespace crivo::testing
