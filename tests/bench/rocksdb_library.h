// Loads a second RocksDB next to the one that the program is linked with. This baseline is compiled for the machine's
// CPU, unlike the installed library.
#pragma once

#include <rocksdb/filter_policy.h>

#include <cstdint>
#include <memory>
#include <string>

namespace crivo::bench {

/// The librocksdb.so in the directory that the environment variable CRIVO_ROCKSDB_SRC names. The directory has
/// RocksDB's sources in the version this program was compiled with. RocksDB's own build must have built a release for
/// this CPU there, or in the folder build.
class RocksdbLibrary {
 public:
  /// Null if the variable is unset. Throws std::runtime_error if the library cannot be used.
  static const RocksdbLibrary* get();

  /// The library's policy of this name, "Bloom" or "Ribbon".
  [[nodiscard]] std::shared_ptr<const rocksdb::FilterPolicy> policy(const std::string& name, double bits_per_key) const;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  explicit RocksdbLibrary(const std::string& directory);
  template <class Function>
  Function* function(const char* name) const;

  std::string path_;
  void* handle_;
};

using Policy = std::shared_ptr<const rocksdb::FilterPolicy>;

/// The policy of an option string. Throws std::runtime_error if RocksDB does not know it.
[[nodiscard]] Policy policy_from(const std::string& text);
/// RocksDB's policy "Bloom" or "Ribbon", from the second library if there is one.
[[nodiscard]] Policy rocksdb_policy(const std::string& name, double bits_per_key);
/// The size of the block that a policy builds from the keys 0 to keys - 1 for a file in this context; 0 for no filter.
[[nodiscard]] std::size_t block_bytes(const rocksdb::FilterPolicy& policy,
                                      const rocksdb::FilterBuildingContext& context, std::uint64_t keys);

}  // namespace crivo::bench
