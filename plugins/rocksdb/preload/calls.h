// What libcrivo_rocksdb_preload.so calls in libcrivo_rocksdb.so, by pointers, as it is not linked to it.
#pragma once

namespace crivo::plugin {

/// The pointers to options are to rocksdb::ColumnFamilyOptions.
struct PreloadCalls {
  /// A function of the librocksdb that the plugin is linked to.
  const void* rocksdb_function;
  /// A copy of the options with the filters that the environment asks for, to be freed; null if they get none.
  /// `say` gets what is wrong with the wish.
  void* (*copy_with_filters)(const void* options, void (*say)(const char* trouble) noexcept) noexcept;
  void (*free_copy)(void* options) noexcept;
  /// Says in a rocksdb::Logger why these options got no filters, if they have none.
  void (*log_reason)(const void* options, void* log) noexcept;
};

/// The symbol of the plugin that has them.
inline constexpr const char* kPreloadCalls = "crivo_rocksdb_preload_calls";

}  // namespace crivo::plugin
