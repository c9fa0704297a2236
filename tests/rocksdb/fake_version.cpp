// A librocksdb that says it is version 99.1, for the test that the plugin refuses it.
#include <string>

namespace rocksdb {

std::string GetRocksVersionAsString(bool with_patch);  // as rocksdb/version.h has it

std::string GetRocksVersionAsString(bool with_patch) { return with_patch ? "99.1.0" : "99.1"; }

}  // namespace rocksdb
