// A minimal program that uses the RocksDB plugin.
#include <crivo/rocksdb.h>

#include <string_view>

int main() {
  const std::shared_ptr<const rocksdb::FilterPolicy> policy = crivo::NewRocksDBFilterPolicy({.bits_per_key = 10});
  return policy && policy->Name() == std::string_view("crivo.Auto") ? 0 : 1;
}
