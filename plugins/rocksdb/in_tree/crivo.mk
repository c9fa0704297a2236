# How RocksDB's Makefile builds the plugin in this folder: ROCKSDB_PLUGINS=crivo make static_lib
# RocksDB's CMake build reads the function's name from this file, and everything else from CMakeLists.txt.
crivo_FUNC = crivo_register
crivo_SOURCES := $(patsubst plugin/crivo/%,%,$(sort $(wildcard \
  plugin/crivo/src/*/*.cc plugin/crivo/src/*/*/*.cc plugin/crivo/src/*/*/*/*.cc plugin/crivo/src/*/*/*/*/*.cc)))
crivo_HEADERS := $(patsubst plugin/crivo/%,%,$(sort $(wildcard plugin/crivo/*.h)))

# The flags apply only to the plugin's own files, because RocksDB before 11 is compiled as C++17.
$(OBJ_DIR)/plugin/crivo/%: CXXFLAGS += @FLAGS@ -Iplugin -Iplugin/crivo/src/core -Iplugin/crivo/src/rocksdb
