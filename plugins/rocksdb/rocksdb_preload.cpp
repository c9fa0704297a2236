// What libcrivo_rocksdb_preload.so calls.
#include <rocksdb/env.h>
#include <rocksdb/options.h>
#include <rocksdb/version.h>

#include <cstdio>
#include <exception>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "policy/wish.h"
#include "preload/calls.h"

namespace crivo::plugin {
namespace {

using rocksdb::ColumnFamilyOptions;

/// Says it once, however many column families have the same trouble.
void say(const std::string& trouble) noexcept try {
  static std::mutex& mutex = *new std::mutex;
  static std::set<std::string>& said = *new std::set<std::string>;  // programs outlive our objects
  const std::lock_guard lock(mutex);
  if (said.insert(trouble).second) std::fprintf(stderr, "crivo: no filters: %s\n", trouble.c_str());
} catch (...) {
  // There is no memory for it, and the program goes on.
}

void* copy_with_filters(const void* options) noexcept try {
  auto copy = std::make_unique<ColumnFamilyOptions>(*static_cast<const ColumnFamilyOptions*>(options));
  bool mistaken = false;
  const std::string reason = give_filters(wish_of_environment(), *copy, mistaken);
  if (mistaken) say(reason);
  return reason.empty() ? copy.release() : nullptr;
} catch (const std::exception& error) {
  say(error.what());
  return nullptr;
}

void free_copy(void* options) noexcept { delete static_cast<ColumnFamilyOptions*>(options); }

void log_reason(const void* options, void* log) noexcept try {
  ColumnFamilyOptions copy = *static_cast<const ColumnFamilyOptions*>(options);
  bool mistaken = false;
  const std::string reason = give_filters(wish_of_environment(), copy, mistaken);
  if (reason.empty()) return;
  rocksdb::Warn(static_cast<rocksdb::Logger*>(log), "crivo: CRIVO_ROCKSDB gives no filters here: %s", reason.c_str());
} catch (...) {
  // There is no memory for the line, or the logger threw.
}

}  // namespace
}  // namespace crivo::plugin

extern "C" {
extern const crivo::plugin::PreloadCalls crivo_rocksdb_preload_calls;
const crivo::plugin::PreloadCalls crivo_rocksdb_preload_calls{
    reinterpret_cast<const void*>(&rocksdb::GetRocksVersionAsString), crivo::plugin::copy_with_filters,
    crivo::plugin::free_copy, crivo::plugin::log_reason};
}
