// libcrivo_rocksdb_preload.so: Crivo's filters in programs that were not written for them.
//
// A program that starts with this library in LD_PRELOAD calls the functions below in place of librocksdb's, which they
// call in turn. RocksDB makes each column family, however its database is opened or the family created, from options
// that SanitizeOptions has looked through (10.x: SanitizeCfOptions). It is no public function, but librocksdb exports
// it and calls it as other programs would. And it writes the options that it made into LOG by
// ColumnFamilyOptions::Dump, behind which we say why there is no filter.
//
// This library is linked to no RocksDB, which would else be the first one that modules with a RocksDB of their own
// find. Only when a RocksDB calls it that the plugin was built for does it load the plugin.
#include <dlfcn.h>
#include <rocksdb/version.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "preload/calls.h"

// NOLINTBEGIN(readability-identifier-naming): RocksDB's names
namespace rocksdb {

struct ImmutableDBOptions;
class Logger;

/// Stands for RocksDB's class, which this library hands on and does not know. It is returned as that is: where the
/// caller says, since it has a destructor.
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

bool is_asked_for() noexcept {
  const char* const policy = ::secure_getenv("CRIVO_ROCKSDB");
  return policy != nullptr && *policy != '\0';
}

Dl_info place_of(const void* address) noexcept {
  Dl_info info{};
  return ::dladdr(address, &info) != 0 ? info : Dl_info{};
}

/// What the plugin beside this library offers; null, with the reason said, if it cannot be loaded.
const PreloadCalls* load_plugin() noexcept {
  const std::string self = place_of(reinterpret_cast<const void*>(&load_plugin)).dli_fname;
  const std::string plugin = self.substr(0, self.rfind('/') + 1) + "libcrivo_rocksdb.so";
  void* const loaded = ::dlopen(plugin.c_str(), RTLD_NOW);
  const auto* const calls = loaded != nullptr ? static_cast<PreloadCalls*>(::dlsym(loaded, kPreloadCalls)) : nullptr;
  if (calls == nullptr) std::fprintf(stderr, "crivo: no filters: %s\n", ::dlerror());
  return calls;
}

#define CRIVO_TEXT_OF(number) #number
#define CRIVO_TEXT(number) CRIVO_TEXT_OF(number)
constexpr std::string_view kLibrary = "librocksdb.so";
constexpr std::string_view kVersion = "." CRIVO_TEXT(ROCKSDB_MAJOR) "." CRIVO_TEXT(ROCKSDB_MINOR);

/// Whether a file can be the librocksdb that the plugin is linked to, by its name. To load the plugin beside another
/// one would already be too much: two copies of what RocksDB is linked to can quarrel.
bool can_be_ours(std::string_view file) noexcept {
  file.remove_prefix(file.rfind('/') + 1);
  if (!file.starts_with(kLibrary)) return false;
  file.remove_prefix(kLibrary.size());
  return file.empty() || (file.starts_with(kVersion) && (file == kVersion || file[kVersion.size()] == '.'));
}

void say_it_is_another(const char* file) noexcept {
  static std::atomic<bool> said = false;
  if (said.exchange(true)) return;
  std::fprintf(stderr,
               "crivo: no filters: librocksdb must be the %s%s for which libcrivo_rocksdb.so was built, got %s\n",
               kLibrary.data(), kVersion.data(), file);
}

/// The plugin's functions, if `caller` lies in the RocksDB that the plugin is linked to; else null.
const PreloadCalls* calls_for(const Dl_info& caller) noexcept {
  if (!is_asked_for()) return nullptr;
  if (can_be_ours(caller.dli_fname)) {
    static const PreloadCalls* const calls = load_plugin();
    if (calls == nullptr || place_of(calls->rocksdb_function).dli_fbase == caller.dli_fbase) return calls;
  }
  say_it_is_another(caller.dli_fname);
  return nullptr;
}

/// The function of the RocksDB that called us, before which we stand.
template <class Function>
Function* original(const char* symbol, const Dl_info& caller) noexcept {
  void* const library = ::dlopen(caller.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  void* const found = library != nullptr ? ::dlsym(library, symbol) : nullptr;
  if (found == nullptr) {
    std::fprintf(stderr, "crivo: %s must export %s, which it called\n", caller.dli_fname, symbol);
    std::abort();
  }
  return reinterpret_cast<Function*>(found);
}

/// The options with filters, or else those that were given.
class Options {
 public:
  Options(const PreloadCalls* calls, const ColumnFamilyOptions& given) noexcept
      : calls_(calls), given_(given), copy_(calls != nullptr ? calls->copy_with_filters(&given) : nullptr) {}
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
  const Dl_info caller = place_of(__builtin_return_address(0));
  const Options options(calls_for(caller), given);
  return original<decltype(SanitizeOptions)>(kSanitize, caller)(db, options.get());
}

ColumnFamilyOptions SanitizeCfOptions(const ImmutableDBOptions& db, bool read_only, const ColumnFamilyOptions& given) {
  const Dl_info caller = place_of(__builtin_return_address(0));
  const Options options(calls_for(caller), given);
  return original<decltype(SanitizeCfOptions)>(kSanitizeFamily, caller)(db, read_only, options.get());
}

void ColumnFamilyOptions::Dump(Logger* log) const {
  const Dl_info caller = place_of(__builtin_return_address(0));
  original<void(const ColumnFamilyOptions*, Logger*)>(kDump, caller)(this, log);
  if (const PreloadCalls* const calls = calls_for(caller)) calls->log_reason(this, log);
}

}  // namespace rocksdb
// NOLINTEND(readability-identifier-naming)
