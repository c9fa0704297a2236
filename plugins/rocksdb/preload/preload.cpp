// libcrivo_rocksdb_preload.so: Crivo's filters in programs that were not written for them.
//
// A program that starts with this library in LD_PRELOAD calls the functions below in place of librocksdb's, which they
// call in turn. RocksDB makes each column family, however its database is opened or the family created, from options
// that SanitizeOptions has looked through (10.x: SanitizeCfOptions). It is no public function, but librocksdb exports
// it and calls it as other programs would, and it takes public types and one reference that we only hand on. And it
// writes the options that it made into LOG by ColumnFamilyOptions::Dump, behind which we say why there is no filter.
//
// A process may have a second RocksDB in it: its calls go to its own functions, and nothing else happens.
#include <dlfcn.h>
#include <rocksdb/env.h>
#include <rocksdb/options.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "preload/choice.h"

namespace crivo::plugin {
namespace {

constexpr const char* kSanitize = "_ZN7rocksdb15SanitizeOptionsERKNS_18ImmutableDBOptionsERKNS_19ColumnFamilyOptionsE";
constexpr const char* kSanitizeFamily =
    "_ZN7rocksdb17SanitizeCfOptionsERKNS_18ImmutableDBOptionsEbRKNS_19ColumnFamilyOptionsE";
constexpr const char* kDump = "_ZNK7rocksdb19ColumnFamilyOptions4DumpEPNS_6LoggerE";

/// Says it once, however many families have the same trouble.
void say(const std::string& trouble) noexcept try {
  static std::mutex& mutex = *new std::mutex;
  static std::set<std::string>& said = *new std::set<std::string>;  // programs outlive our objects
  const std::lock_guard lock(mutex);
  if (said.insert(trouble).second) std::fprintf(stderr, "crivo: no filters: %s\n", trouble.c_str());
} catch (...) {
  // There is no memory for it, and the program goes on.
}

struct Module {
  const void* base = nullptr;
  const char* file = nullptr;
};
Module module_of(const void* address) noexcept {
  Dl_info info{};
  return ::dladdr(address, &info) != 0 ? Module{info.dli_fbase, info.dli_fname} : Module{};
}

/// The function that we stand before.
template <class Function>
struct Original {
  Function* function;
  bool is_ours;  // of the RocksDB that this library is linked to, so that options are the types that we know
};

/// That of the RocksDB that called us, which lies around `caller`.
template <class Function>
Original<Function> original(const char* symbol, const void* caller) noexcept {
  void* found = ::dlsym(RTLD_NEXT, symbol);
  const Module calling = module_of(caller);
  const bool is_ours = found != nullptr && module_of(found).base == calling.base;
  if (!is_ours && calling.file != nullptr) {
    if (void* const other = ::dlopen(calling.file, RTLD_LAZY | RTLD_NOLOAD)) found = ::dlsym(other, symbol);
    if (!wish_of_environment().policy.empty()) {
      say(std::string("librocksdb must be the one that libcrivo_rocksdb was built for, got ") + calling.file);
    }
  }
  if (found == nullptr) {
    std::fprintf(stderr, "crivo: RocksDB must export %s\n", symbol);
    std::abort();  // it cannot be: RocksDB itself called it
  }
  return {reinterpret_cast<Function*>(found), is_ours};
}

/// The options with the filters that are wished for; no value if they stay as they are.
std::optional<rocksdb::ColumnFamilyOptions> with_filters(const rocksdb::ColumnFamilyOptions& given) noexcept try {
  const Wish& wish = wish_of_environment();
  if (wish.policy.empty()) return std::nullopt;
  rocksdb::ColumnFamilyOptions changed = given;
  bool mistaken = false;
  const std::string reason = give_filters(wish, changed, mistaken);
  if (mistaken) say(reason);
  return reason.empty() ? std::optional(std::move(changed)) : std::nullopt;
} catch (const std::exception& error) {
  say(error.what());
  return std::nullopt;
}

/// What LOG says behind the options of a column family.
void log_reason(const rocksdb::ColumnFamilyOptions& options, rocksdb::Logger* log) noexcept try {
  const Wish& wish = wish_of_environment();
  if (wish.policy.empty()) return;
  rocksdb::ColumnFamilyOptions changed = options;
  bool mistaken = false;
  const std::string reason = give_filters(wish, changed, mistaken);
  if (!reason.empty()) rocksdb::Warn(log, "crivo: CRIVO_ROCKSDB gives no filters here: %s", reason.c_str());
} catch (...) {
  // There is no memory for the line.
}

}  // namespace
}  // namespace crivo::plugin

// NOLINTBEGIN(readability-identifier-naming): RocksDB's names
namespace rocksdb {

struct ImmutableDBOptions;

using Sanitize = ColumnFamilyOptions(const ImmutableDBOptions&, const ColumnFamilyOptions&);
ColumnFamilyOptions SanitizeOptions(const ImmutableDBOptions& db, const ColumnFamilyOptions& given) {
  const auto next = crivo::plugin::original<Sanitize>(crivo::plugin::kSanitize, __builtin_return_address(0));
  if (!next.is_ours) return next.function(db, given);
  const auto changed = crivo::plugin::with_filters(given);
  return next.function(db, changed ? *changed : given);
}

using SanitizeFamily = ColumnFamilyOptions(const ImmutableDBOptions&, bool, const ColumnFamilyOptions&);
ColumnFamilyOptions SanitizeCfOptions(const ImmutableDBOptions& db, bool read_only, const ColumnFamilyOptions& given) {
  const auto next =
      crivo::plugin::original<SanitizeFamily>(crivo::plugin::kSanitizeFamily, __builtin_return_address(0));
  if (!next.is_ours) return next.function(db, read_only, given);
  const auto changed = crivo::plugin::with_filters(given);
  return next.function(db, read_only, changed ? *changed : given);
}

using DumpOptions = void(const ColumnFamilyOptions*, Logger*);
void ColumnFamilyOptions::Dump(Logger* log) const {
  const auto next = crivo::plugin::original<DumpOptions>(crivo::plugin::kDump, __builtin_return_address(0));
  next.function(this, log);
  if (next.is_ours) crivo::plugin::log_reason(*this, log);
}

}  // namespace rocksdb
// NOLINTEND(readability-identifier-naming)
