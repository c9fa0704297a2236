// Loads a second RocksDB beside the one that the program is linked with: a baseline that was compiled for this CPU, as
// the installed one is not.
#pragma once

#include <rocksdb/filter_policy.h>

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

}  // namespace crivo::bench
