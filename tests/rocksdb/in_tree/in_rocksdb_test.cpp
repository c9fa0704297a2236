// What only holds where the plugin is a part of librocksdb.
#include <rocksdb/env.h>
#include <rocksdb/utilities/object_registry.h>

#include <array>
#include <cstdarg>
#include <string>
#include <type_traits>

#include "builder/builder.h"
#include "support.h"

namespace crivo::testing {
namespace {

class TextLogger final : public rocksdb::Logger {
 public:
  using rocksdb::Logger::Logv;
  void Logv(const char* format, va_list arguments) override {
    std::array<char, 1000> line;
    std::vsnprintf(line.data(), line.size(), format, arguments);
    text += line.data();
  }

  std::string text;
};

TEST(InRocksDB, BuildersAreOfRocksDBsOwnClass) {
  EXPECT_TRUE((std::is_base_of_v<rocksdb::FilterBitsBuilder, BlockBuilder>));
}

// RocksDB's build knows the plugin by the name of its folder, and RocksDB itself calls the registrar.
TEST(InRocksDB, RocksDBRegistersThePlugin) {
  TextLogger logger;
  rocksdb::ObjectRegistry::Default()->Dump(&logger);
  EXPECT_THAT(logger.text, HasSubstr("Registered Plugins: crivo"));
  EXPECT_STREQ(policy_from_string("crivo.Ribbon:10")->Name(), "crivo.Ribbon");
}

}  // namespace
}  // namespace crivo::testing
