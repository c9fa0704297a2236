// libcrivo_rocksdb_preload.so: Crivo's filters in programs that were not written for them.
//
// If this library is in LD_PRELOAD, the functions below replace those of librocksdb, and call the originals. RocksDB
// makes each column family from options that SanitizeOptions has processed (later versions: SanitizeCfOptions), no
// matter how the database is opened or the family is created. This function is not public, but librocksdb exports it,
// and calls it through the dynamic linker. RocksDB then writes the options into LOG by ColumnFamilyOptions::Dump. This
// library's Dump calls the original, and then logs why the column family gets no filters.
//
// This library is not linked to RocksDB, because modules with a RocksDB of their own would then find the linked one
// first. It loads the plugin only if the program uses the RocksDB that the plugin was built for.
#include <dlfcn.h>
#include <fcntl.h>
#include <rocksdb/version.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>

#include "preload/calls.h"

// NOLINTBEGIN(readability-identifier-naming): RocksDB's names
namespace rocksdb {

struct ImmutableDBOptions;
class Logger;

/// Stands in for RocksDB's class, whose objects this library only passes on. The destructor makes the ABI return
/// objects through the caller's memory, as it does for the real class.
struct ColumnFamilyOptions {
  ColumnFamilyOptions() = delete;
  ~ColumnFamilyOptions();
  void Dump(Logger* log) const;
};

ColumnFamilyOptions SanitizeOptions(const ImmutableDBOptions& db, const ColumnFamilyOptions& given);
ColumnFamilyOptions SanitizeCfOptions(const ImmutableDBOptions& db, bool read_only, const ColumnFamilyOptions& given);

}  // namespace rocksdb

namespace crivo::plugin {
namespace {

using rocksdb::ColumnFamilyOptions;

constexpr const char* kSanitize = "_ZN7rocksdb15SanitizeOptionsERKNS_18ImmutableDBOptionsERKNS_19ColumnFamilyOptionsE";
constexpr const char* kSanitizeFamily =
    "_ZN7rocksdb17SanitizeCfOptionsERKNS_18ImmutableDBOptionsEbRKNS_19ColumnFamilyOptionsE";
constexpr const char* kDump = "_ZNK7rocksdb19ColumnFamilyOptions4DumpEPNS_6LoggerE";

Dl_info place_of(const void* address) noexcept {
  Dl_info info{};
  return ::dladdr(address, &info) != 0 ? info : Dl_info{};
}

/// Recorded at startup, before the program can change its environment, folder or files.
struct Start {
  bool filters_requested;  // CRIVO_ROCKSDB is set and not empty
  bool may_print;          // standard error was open, so it is not a file that the program opened
  char plugin[PATH_MAX];

  Start() noexcept : may_print(::fcntl(STDERR_FILENO, F_GETFD) != -1) {
    const char* const policy = ::secure_getenv("CRIVO_ROCKSDB");
    filters_requested = policy != nullptr && *policy != '\0';
    const char* const self = place_of(reinterpret_cast<const void*>(&place_of)).dli_fname;
    if (self == nullptr || ::realpath(self, plugin) == nullptr) plugin[0] = '\0';
    char* const slash = std::strrchr(plugin, '/');
    const char* const name = "libcrivo_rocksdb.so";
    if (slash == nullptr || slash + 1 + std::strlen(name) >= plugin + PATH_MAX) return;
    std::strcpy(slash + 1, name);
  }
};
const Start& start() noexcept {
  static const Start known;
  return known;
}

/// Prints a problem, unless the last problem printed was the same: many column families may have the same problem.
void say(const char* trouble) noexcept {
  static std::atomic<std::size_t> last = 0;
  const std::size_t hash = std::hash<std::string_view>()(trouble) | 1;
  if (start().may_print && last.exchange(hash) != hash) std::fprintf(stderr, "crivo: no filters: %s\n", trouble);
}

/// The functions of the plugin in this library's folder; null, after printing the reason, if it cannot be loaded. Two
/// threads may both load the plugin, which is harmless. A lock could deadlock with the lock of the dynamic loader.
const PreloadCalls* load_plugin() noexcept {
  static std::atomic<const PreloadCalls*> known = nullptr;
  if (const PreloadCalls* const calls = known; calls != nullptr) return calls;
  void* const loaded = ::dlopen(start().plugin, RTLD_NOW);
  const auto* const calls = loaded != nullptr ? static_cast<PreloadCalls*>(::dlsym(loaded, kPreloadCalls)) : nullptr;
  if (calls == nullptr) {
    const char* const trouble = ::dlerror();
    say(trouble != nullptr ? trouble : "libcrivo_rocksdb.so is of another version");
  }
  known = calls;
  return calls;
}

#define CRIVO_TEXT_OF(number) #number
#define CRIVO_TEXT(number) CRIVO_TEXT_OF(number)
constexpr std::string_view kLibrary = "librocksdb.so";
constexpr std::string_view kVersion = "." CRIVO_TEXT(ROCKSDB_MAJOR) "." CRIVO_TEXT(ROCKSDB_MINOR);

/// Whether a file has the name of the librocksdb that the plugin is linked to. The plugin must not be loaded together
/// with another version: two copies of RocksDB's dependencies may conflict.
bool has_librocksdb_name(std::string_view file) noexcept {
  file.remove_prefix(file.rfind('/') + 1);
  if (!file.starts_with(kLibrary)) return false;
  file.remove_prefix(kLibrary.size());
  return file.empty() || (file.starts_with(kVersion) && (file == kVersion || file[kVersion.size()] == '.'));
}

/// Loads the plugin before the program reads OPTIONS files that name the plugin's policies.
__attribute__((constructor)) void load_early() noexcept {
  if (!start().filters_requested) return;
  const std::string library = std::string(kLibrary) + std::string(kVersion);
  if (::dlopen(library.c_str(), RTLD_LAZY | RTLD_NOLOAD) != nullptr) load_plugin();
}

/// The plugin's functions if `original` is a function of the RocksDB that the plugin is linked to; else null.
const PreloadCalls* calls_for(const void* original) noexcept {
  if (!start().filters_requested) return nullptr;
  const Dl_info library = place_of(original);
  if (library.dli_fname == nullptr) return nullptr;
  if (has_librocksdb_name(library.dli_fname)) {
    const PreloadCalls* const calls = load_plugin();
    if (calls == nullptr || place_of(calls->rocksdb_function).dli_fbase == library.dli_fbase) return calls;
  }
  char trouble[PATH_MAX + 200];
  std::snprintf(trouble, sizeof trouble, "librocksdb must be the %s%s for which libcrivo_rocksdb.so was built, got %s",
                kLibrary.data(), kVersion.data(), library.dli_fname);
  say(trouble);
  return nullptr;
}

/// The function that this library replaces: the one in the calling library or its dependencies, or else the next one in
/// the program. Null if there is none.
void* original(const char* symbol, const void* caller) noexcept {
  const char* const file = place_of(caller).dli_fname;
  void* const library = file != nullptr ? ::dlopen(file, RTLD_LAZY | RTLD_NOLOAD) : nullptr;
  void* found = library != nullptr ? ::dlsym(library, symbol) : nullptr;
  if (library != nullptr) ::dlclose(library);
  if (found == nullptr) found = ::dlsym(RTLD_NEXT, symbol);
  return found;
}

/// The same for a function that must exist, because RocksDB has called it.
template <class Function>
Function* original_of(const char* symbol, const void* caller) noexcept {
  void* const found = original(symbol, caller);
  if (found == nullptr) {
    std::fprintf(stderr, "crivo: librocksdb must export %s, which it called\n", symbol);
    std::abort();
  }
  return reinterpret_cast<Function*>(found);
}

/// The options with filters, or else the original ones.
class Options {
 public:
  Options(const PreloadCalls* calls, const ColumnFamilyOptions& given) noexcept
      : calls_(calls), given_(given), copy_(calls != nullptr ? calls->copy_with_filters(&given, say) : nullptr) {}
  ~Options() {
    if (copy_ != nullptr) calls_->free_copy(copy_);
  }
  Options(const Options&) = delete;
  Options& operator=(const Options&) = delete;
  [[nodiscard]] const ColumnFamilyOptions& get() const noexcept {
    return copy_ != nullptr ? *static_cast<const ColumnFamilyOptions*>(copy_) : given_;
  }

 private:
  const PreloadCalls* calls_;
  const ColumnFamilyOptions& given_;
  void* copy_;
};

}  // namespace
}  // namespace crivo::plugin

namespace rocksdb {

using namespace crivo::plugin;

ColumnFamilyOptions SanitizeOptions(const ImmutableDBOptions& db, const ColumnFamilyOptions& given) {
  auto* const next = original_of<decltype(SanitizeOptions)>(kSanitize, __builtin_return_address(0));
  const Options options(calls_for(reinterpret_cast<const void*>(next)), given);
  return next(db, options.get());
}

ColumnFamilyOptions SanitizeCfOptions(const ImmutableDBOptions& db, bool read_only, const ColumnFamilyOptions& given) {
  auto* const next = original_of<decltype(SanitizeCfOptions)>(kSanitizeFamily, __builtin_return_address(0));
  const Options options(calls_for(reinterpret_cast<const void*>(next)), given);
  return next(db, read_only, options.get());
}

// Programs may call this function, too.
void ColumnFamilyOptions::Dump(Logger* log) const {
  auto* const next = original_of<void(const ColumnFamilyOptions*, Logger*)>(kDump, __builtin_return_address(0));
  next(this, log);
  const PreloadCalls* const calls = calls_for(reinterpret_cast<const void*>(next));
  if (calls != nullptr) calls->log_reason(this, log);
}

}  // namespace rocksdb
// NOLINTEND(readability-identifier-naming)
