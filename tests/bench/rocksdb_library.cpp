#include "rocksdb_library.h"

#include <dlfcn.h>
#include <rocksdb/convenience.h>
#include <rocksdb/version.h>
#include <unistd.h>

#include <cstdlib>
#include <stdexcept>

#include "abi.h"
#include "workload.h"

namespace crivo::bench {
namespace {

constexpr const char* kVariable = "CRIVO_ROCKSDB_SRC";

// The Itanium ABI's names of NewBloomFilterPolicy(double, bool), NewRibbonFilterPolicy(double, int) and
// GetRocksVersionAsString(bool).
constexpr const char* kNewBloom = "_ZN7rocksdb20NewBloomFilterPolicyEdb";
constexpr const char* kNewRibbon = "_ZN7rocksdb21NewRibbonFilterPolicyEdi";
constexpr const char* kVersion = "_ZN7rocksdb23GetRocksVersionAsStringB5cxx11Eb";

std::string find_library(const std::string& directory) {
  for (const std::string folder : {"", "/build"}) {
    std::string path = directory + folder + "/librocksdb.so";
    if (access(path.c_str(), R_OK) == 0) return path;
  }
  throw std::runtime_error(std::string(kVariable) + " must name a directory with librocksdb.so or build/librocksdb.so" +
                           ", got " + directory);
}

}  // namespace

// Deep binding: the library calls its own functions, although the program has functions with the same names.
RocksdbLibrary::RocksdbLibrary(const std::string& directory)
    : path_(find_library(directory)), handle_(dlopen(path_.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND)) {
  if (handle_ == nullptr) throw std::runtime_error(dlerror());
  const std::string version = function<std::string(bool)>(kVersion)(true);
  const std::string expected = rocksdb::GetRocksVersionAsString(true);
  if (version != expected) {
    throw std::runtime_error(std::string(kVariable) + " must be version " + expected + ", got " + version);
  }
}

template <class Function>
Function* RocksdbLibrary::function(const char* name) const {
  void* found = dlsym(handle_, name);
  if (found == nullptr) throw std::runtime_error(path_ + " must export " + name);
  return reinterpret_cast<Function*>(found);
}

const RocksdbLibrary* RocksdbLibrary::get() {
  static const std::unique_ptr<const RocksdbLibrary> library([]() -> RocksdbLibrary* {
    const char* directory = std::getenv(kVariable);
    return directory == nullptr || *directory == '\0' ? nullptr : new RocksdbLibrary(directory);
  }());
  return library.get();
}

std::shared_ptr<const rocksdb::FilterPolicy> RocksdbLibrary::policy(const std::string& name,
                                                                    double bits_per_key) const {
  using rocksdb::FilterPolicy;
  if (name == "Ribbon") {
    return std::shared_ptr<const FilterPolicy>(function<const FilterPolicy*(double, int)>(kNewRibbon)(bits_per_key, 0));
  }
  return std::shared_ptr<const FilterPolicy>(
      function<const FilterPolicy*(double, bool)>(kNewBloom)(bits_per_key, false));
}

Policy policy_from(const std::string& text) {
  Policy policy;
  const auto made = rocksdb::FilterPolicy::CreateFromString({}, text, &policy);
  if (!made.ok() || policy == nullptr) throw std::runtime_error(text + ": " + made.ToString());
  return policy;
}

Policy rocksdb_policy(const std::string& name, double bits_per_key) {
  if (const RocksdbLibrary* library = RocksdbLibrary::get()) return library->policy(name, bits_per_key);
  return Policy(name == "Ribbon" ? rocksdb::NewRibbonFilterPolicy(bits_per_key)
                                 : rocksdb::NewBloomFilterPolicy(bits_per_key));
}

std::size_t block_bytes(const rocksdb::FilterPolicy& policy, const rocksdb::FilterBuildingContext& context,
                        std::uint64_t keys) {
  const std::unique_ptr<abi::FilterBitsBuilder> builder(
      reinterpret_cast<abi::FilterBitsBuilder*>(policy.GetBuilderWithContext(context)));
  if (builder == nullptr) return 0;
  for (std::uint64_t i = 0; i < keys; ++i) {
    const Key key(i);
    builder->AddKey({key.view().data(), key.view().size()});
  }
  std::unique_ptr<const char[]> buffer;
  rocksdb::Status status;
  const rocksdb::Slice block = builder->Finish(&buffer, &status);
  if (!status.ok() || block.size() <= 6) throw std::runtime_error("a builder must make a filter, got none");
  return block.size();
}

}  // namespace crivo::bench
