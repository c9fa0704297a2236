// Registers Crivo's policies with RocksDB: when this library is loaded (linked, by dlopen or by LD_PRELOAD), or, if the
// plugin is compiled into RocksDB, when RocksDB calls crivo_register.
#include <rocksdb/utilities/object_registry.h>

#include <cstddef>
#include <cstdio>
#include <initializer_list>
#include <memory>
#include <string>

#include "policy/policy.h"
#include "report/counter_listener.h"
#include "report/filter_collector.h"
#include "scan/scan_collector.h"

namespace crivo::plugin {
namespace {

using Pattern = rocksdb::ObjectLibrary::PatternEntry;

/// Matches every text that begins with "crivo", in upper or lower case.
Pattern begins_with_crivo() {
  std::string name = "crivo";
  Pattern pattern(name, /*optional=*/true);
  for (unsigned capitals = 1; capitals < 32; ++capitals) {
    for (unsigned i = 0; i < name.size(); ++i) {
      name[i] = static_cast<char>((capitals >> i & 1) != 0 ? "CRIVO"[i] : "crivo"[i]);
    }
    pattern.AnotherName(name);
  }
  return pattern.AddSeparator("", /*at_least_one=*/false);
}

/// Matches every text that contains this word after its first character.
Pattern contains(const std::string& word) {
  return Pattern("", /*optional=*/false).AddSeparator("", false).AddSeparator(word, false);
}

/// Adds a factory for objects of type T, which constructs the class Ours from the requested name.
template <typename T, typename Ours>
void add_factory(rocksdb::ObjectLibrary& library, const Pattern& pattern) {
  library.AddFactory<T>(pattern, [](const std::string& name, std::unique_ptr<T>* guard, std::string*) {
    *guard = std::make_unique<Ours>(name);
    return guard->get();
  });
}

// A misspelled policy name must reach Crivo's code, which reports the name when the database is opened. Without a
// factory for the name, RocksDB would continue without filters. So the factories match every text that begins with
// "crivo" (upper or lower case), or contains "crivo", "Crivo" or "CRIVO". If the text in braces has no id, or has an
// option without a value, RocksDB uses the whole text as the name, with its blanks, quotes and braces. OPTIONS files
// may also name the collector and the listener, which ConfigureRocksDB installs.
void register_factories(rocksdb::ObjectLibrary& library) {
  library.AddFactory<rocksdb::TablePropertiesCollectorFactory>(ScanCollectorFactory::kName,
                                                               [](const auto&, auto* guard, std::string*) {
                                                                 *guard = std::make_unique<ScanCollectorFactory>();
                                                                 return guard->get();
                                                               });
  for (const Pattern& pattern : {begins_with_crivo(), contains("crivo"), contains("Crivo"), contains("CRIVO")}) {
    add_factory<const rocksdb::FilterPolicy, FilterPolicy>(library, pattern);
    add_factory<rocksdb::TablePropertiesCollectorFactory, CollectorFactory>(library, pattern);
    add_factory<rocksdb::EventListener, CounterListener>(library, pattern);
  }
}

#ifndef CRIVO_IN_ROCKSDB

[[maybe_unused]] const bool kRegistered = [] {
  const std::string mismatch = library_mismatch();
  if (!mismatch.empty()) {
    // Without this line, filters would be missing silently.
    std::fprintf(stderr, "%s; its filter policies are not registered\n", mismatch.c_str());
    return false;
  }
  register_factories(*rocksdb::ObjectLibrary::Default());
  return true;
}();

#endif

}  // namespace
}  // namespace crivo::plugin

#ifdef CRIVO_IN_ROCKSDB

// RocksDB's generated build_version.cc calls this function, whose name is in crivo.mk, before the first lookup of a
// name from an option string. Returns the number of factories.
extern "C" int crivo_register(ROCKSDB_NAMESPACE::ObjectLibrary& library, const std::string& /*argument*/) {
  crivo::plugin::register_factories(library);
  std::size_t kinds_of_objects = 0;
  return static_cast<int>(library.GetFactoryCount(&kinds_of_objects));
}

#endif
