// Registers the names of our policies with RocksDB when this library is loaded, be it linked, opened by dlopen or
// preloaded by LD_PRELOAD.
#include <rocksdb/utilities/object_registry.h>

#include <cstdio>
#include <memory>
#include <string>

#include "collector.h"
#include "counter_log.h"
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
  // The listener, too; and who has no code to change can write listeners={crivo.FilterCounters} there.
  library.AddFactory<rocksdb::EventListener>(
      CounterListener::kName, [](const std::string&, std::unique_ptr<rocksdb::EventListener>* guard, std::string*) {
        *guard = std::make_unique<CounterListener>();
        return guard->get();
      });
}

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

}  // namespace
}  // namespace crivo
