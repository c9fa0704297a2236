// The functions of libcrivo_rocksdb.so that libcrivo_rocksdb_preload.so calls. The preload library calls them by
// pointers, because it is not linked to the plugin.
#pragma once

namespace crivo::plugin {

/// Pointers to options are rocksdb::ColumnFamilyOptions*.
struct PreloadCalls {
  /// A function of the librocksdb that the plugin is linked to.
  const void* rocksdb_function;
  /// Returns a copy of the options with the filters that the environment requests; null if this column family gets no
  /// filters. free_copy frees the copy. Calls `say` with a message if the request is invalid or memory is short.
  void* (*copy_with_filters)(const void* options, void (*say)(const char* trouble) noexcept) noexcept;
  void (*free_copy)(void* options) noexcept;
  /// Logs why these options do not have the requested policy. Logs nothing if they have it.
  void (*log_reason)(const void* options, void* log) noexcept;
};

/// The plugin's symbol with this structure.
inline constexpr const char* kPreloadCalls = "crivo_rocksdb_preload_calls";

}  // namespace crivo::plugin
