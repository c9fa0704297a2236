// Registers the names of our policies with RocksDB: when this library is loaded, be it linked, opened by dlopen or
// preloaded by LD_PRELOAD; or, where the plugin is compiled into RocksDB, when RocksDB asks for it.
#include <rocksdb/utilities/object_registry.h>

#include <cstddef>
#include <cstdio>
#include <memory>
#include <string>

#include "collector.h"
#include "policy.h"

namespace crivo {
namespace {

// There is one factory for every name that begins with "crivo". So a misspelt name or number reaches our code, which
// reports it when the database is opened; RocksDB itself would go on without a filter.
void register_factories(rocksdb::ObjectLibrary& library) {
  library.AddFactory<const rocksdb::FilterPolicy>(
      rocksdb::ObjectLibrary::PatternEntry("crivo", /*optional=*/true).AddSeparator("", /*at_least_one=*/false),
      [](const std::string& id, std::unique_ptr<const rocksdb::FilterPolicy>* guard, std::string*) {
        *guard = std::make_unique<FilterPolicy>(id);
        return guard->get();
      });
  // OPTIONS files name the collector where ConfigureRocksDB was used.
  library.AddFactory<rocksdb::TablePropertiesCollectorFactory>(
      CollectorFactory::kName,
      [](const std::string&, std::unique_ptr<rocksdb::TablePropertiesCollectorFactory>* guard, std::string*) {
        *guard = std::make_unique<CollectorFactory>();
        return guard->get();
      });
}

#ifndef CRIVO_IN_ROCKSDB

[[maybe_unused]] const bool kRegistered = [] {
  const std::string mismatch = library_mismatch();
  if (!mismatch.empty()) {
    // Nothing else of ours will run, and without this line the filters would be missing in silence.
    std::fprintf(stderr, "%s; its filter policies are not registered\n", mismatch.c_str());
    return false;
  }
  register_factories(*rocksdb::ObjectLibrary::Default());
  return true;
}();

#endif

}  // namespace
}  // namespace crivo

#ifdef CRIVO_IN_ROCKSDB

// RocksDB's generated build_version.cc calls this by its name in crivo.mk, before it looks up the first name in an
// option string. Returns how many factories there are.
extern "C" int crivo_register(ROCKSDB_NAMESPACE::ObjectLibrary& library, const std::string& /*argument*/) {
  crivo::register_factories(library);
  std::size_t kinds_of_objects = 0;
  return static_cast<int>(library.GetFactoryCount(&kinds_of_objects));
}

#endif
