// Files that are never synchronised with the disk: tests whose machine does not fail are several times as quick.
#pragma once

#include <rocksdb/env.h>

namespace crivo::testing {

/// The default environment without fsync. Lives until the program ends.
[[nodiscard]] rocksdb::Env* unsynced_env();

}  // namespace crivo::testing
