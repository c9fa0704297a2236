// The plugin's functions for libcrivo_rocksdb_preload.so.
#include <rocksdb/env.h>
#include <rocksdb/options.h>
#include <rocksdb/version.h>

#include <memory>
#include <string>

#include "preload/calls.h"
#include "preload/wish.h"

namespace crivo::plugin {
namespace {

using rocksdb::ColumnFamilyOptions;

void* copy_with_filters(const void* options, void (*say)(const char*) noexcept) noexcept try {
  auto copy = std::make_unique<ColumnFamilyOptions>(*static_cast<const ColumnFamilyOptions*>(options));
  bool mistaken = false;
  const std::string reason = give_filters(wish_of_environment(), *copy, mistaken);
  if (mistaken) say(reason.c_str());
  return reason.empty() ? copy.release() : nullptr;
} catch (...) {
  say("out of memory");
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
  // No memory for the line, or the logger threw.
}

}  // namespace
}  // namespace crivo::plugin

// NOLINTBEGIN(readability-identifier-naming): a symbol of C
extern "C" {
extern const crivo::plugin::PreloadCalls crivo_rocksdb_preload_calls;
const crivo::plugin::PreloadCalls crivo_rocksdb_preload_calls{
    reinterpret_cast<const void*>(&rocksdb::GetRocksVersionAsString), crivo::plugin::copy_with_filters,
    crivo::plugin::free_copy, crivo::plugin::log_reason};
}
// NOLINTEND(readability-identifier-naming)
