// Loads a second RocksDB beside the one that the program is linked with: a baseline that was compiled for this CPU, as
// the installed one is not.
#pragma once

#include <rocksdb/filter_policy.h>

#include <cstdint>
#include <memory>
#include <string>

namespace crivo::bench {

/// The librocksdb.so in the directory that the environment variable CRIVO_ROCKSDB_SRC names: RocksDB's sources, of the
/// version this program was compiled with, built there (or in its folder build) by RocksDB's own build as a release for
/// this CPU.
class RocksdbLibrary {
 public:
  /// Null when the variable is not set. Throws std::runtime_error when what it names cannot be used.
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

/// The policy of an option string. Throws std::runtime_error if RocksDB knows none.
[[nodiscard]] Policy policy_from(const std::string& text);
/// RocksDB's policy "Bloom" or "Ribbon": the second library's if there is one.
[[nodiscard]] Policy rocksdb_policy(const std::string& name, double bits_per_key);
/// The bytes of the block that a policy builds of the keys 0 to keys - 1 for such a file; 0 if it wants no filter
/// there.
[[nodiscard]] std::size_t block_bytes(const rocksdb::FilterPolicy& policy,
                                      const rocksdb::FilterBuildingContext& context, std::uint64_t keys);

}  // namespace crivo::bench
