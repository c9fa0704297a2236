// Bytes that are not a valid filter, each with a name and the expected error. They are committed in hostile/.
#pragma once

#include "filters.h"

namespace crivo::testing {

struct HostileFile {
  std::string name;     // the file's name, which ends in ".blob" or ".sst"
  Bytes bytes;          // the committed bytes
  std::string message;  // the expected part of the error: the field, and the value where possible
};

[[nodiscard]] std::vector<HostileFile> hostile_files();

/// The size limit for reading hostile blobs. One of them decodes to a GiB.
inline constexpr std::uint64_t kHostileLimit = std::uint64_t{1} << 20;

}  // namespace crivo::testing
