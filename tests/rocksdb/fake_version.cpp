// A librocksdb that reports version 99.1. The plugin must reject it.
#include <string>

namespace rocksdb {

std::string GetRocksVersionAsString(bool with_patch);  // declared in rocksdb/version.h

std::string GetRocksVersionAsString(bool with_patch) { return with_patch ? "99.1.0" : "99.1"; }

}  // namespace rocksdb
