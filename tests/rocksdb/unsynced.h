// An Env that never synchronizes files with the disk. Tests that simulate no power failure are several times faster.
#pragma once

#include <rocksdb/env.h>

namespace crivo::testing {

/// The default environment without fsync. Lives until the program ends.
[[nodiscard]] rocksdb::Env* unsynced_env();

}  // namespace crivo::testing
