// Tests that apply only if the plugin is a part of librocksdb.
#include <rocksdb/utilities/object_registry.h>

#include <type_traits>

#include "builder/builder.h"
#include "capture_log.h"
#include "support.h"

namespace crivo::testing {
namespace {

TEST(InRocksDB, BuildersAreOfRocksDBsOwnClass) {
  EXPECT_TRUE((std::is_base_of_v<rocksdb::FilterBitsBuilder, BlockBuilder>));
}

// RocksDB's build finds the plugin by the name of its folder, and RocksDB calls its registrar.
TEST(InRocksDB, RocksDBRegistersThePlugin) {
  CaptureLog logger;
  rocksdb::ObjectRegistry::Default()->Dump(&logger);
  EXPECT_THAT(logger.take(), ContainsRegex("Registered Plugins:[[:space:]]+crivo"));
  EXPECT_STREQ(policy_from_string("crivo.Ribbon:10")->Name(), "crivo.Ribbon");
}

}  // namespace
}  // namespace crivo::testing
