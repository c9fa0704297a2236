// The functions of libcrivo_rocksdb.so that libcrivo_rocksdb_preload.so calls by pointers, because it is not linked to
// that library.
#pragma once

namespace crivo::plugin {

/// Pointers to options are rocksdb::ColumnFamilyOptions*.
struct PreloadCalls {
  /// A function of the librocksdb that the plugin is linked to.
  const void* rocksdb_function;
  /// A copy of the options with the filters that the environment requests, to be freed; null if it gets none. `say`
  /// receives what is wrong with the request.
  void* (*copy_with_filters)(const void* options, void (*say)(const char* trouble) noexcept) noexcept;
  void (*free_copy)(void* options) noexcept;
  /// Logs why these options have no Crivo filters, unless they have them.
  void (*log_reason)(const void* options, void* log) noexcept;
};

/// The plugin's symbol with this structure.
inline constexpr const char* kPreloadCalls = "crivo_rocksdb_preload_calls";

}  // namespace crivo::plugin
