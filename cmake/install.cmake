# The rules of `cmake --install`. It installs the headers, and everything that was built: libcrivo.a for C++,
# libcrivo.so for C and other languages, the tool with its manual, the SQLite extension (loadable and static), and the
# RocksDB plugin with crivo-sst. Each library that programs link has its targets in the CMake package, and a .pc file,
# such as crivo.pc for C++ and crivo-c.pc for C.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/crivo")
# The .pc files state the prefix relative to their own folder, so that the installed tree can be moved.
file(RELATIVE_PATH CRIVO_PREFIX_FROM_PC "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" "${CMAKE_INSTALL_PREFIX}")

# crivo_install_library(target pc_file headers): installs a library, its headers, its CMake targets and its .pc file.
function(crivo_install_library target pc_file headers)
  install(TARGETS ${target} EXPORT ${target}Targets
    ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
  install(EXPORT ${target}Targets NAMESPACE crivo:: DESTINATION "${package_dir}")
  install(DIRECTORY "${headers}/" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.h")
  configure_file("${PROJECT_SOURCE_DIR}/cmake/${pc_file}.in" ${pc_file} @ONLY)
  install(FILES "${CMAKE_CURRENT_BINARY_DIR}/${pc_file}" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
endfunction()

crivo_install_library(crivo crivo.pc core/include)
if(TARGET crivo_shared)
  crivo_install_library(crivo_shared crivo-c.pc core/c/include)
else()
  install(FILES core/c/include/crivo.h DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")  # libcrivo.a contains the functions
endif()
configure_package_config_file(cmake/crivoConfig.cmake.in crivoConfig.cmake
  INSTALL_DESTINATION "${package_dir}" NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(crivoConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/crivoConfig.cmake" "${CMAKE_CURRENT_BINARY_DIR}/crivoConfigVersion.cmake"
  DESTINATION "${package_dir}")

if(TARGET crivo_rocksdb)
  crivo_install_library(crivo_rocksdb crivo-rocksdb.pc plugins/rocksdb/include)
endif()
if(TARGET crivo_rocksdb_preload)  # it loads the plugin from the folder that contains both
  install(TARGETS crivo_rocksdb_preload LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
endif()
if(TARGET crivo_sqlite_static)
  crivo_install_library(crivo_sqlite_static crivo-sqlite.pc sqlite_ext/include)
endif()
if(TARGET crivo_sqlite)  # in a separate folder, because programs load the file by its path, and never link it
  install(TARGETS crivo_sqlite LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/crivo")
endif()
if(TARGET crivo_tool)
  install(TARGETS crivo_tool RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endif()
include(cmake/manual.cmake)
if(TARGET crivo_sst)  # beside the tool, which starts it; $ORIGIN finds the plugin even in a moved tree
  file(RELATIVE_PATH lib_from_bin "${CMAKE_INSTALL_FULL_BINDIR}" "${CMAKE_INSTALL_FULL_LIBDIR}")
  set_target_properties(crivo_sst PROPERTIES INSTALL_RPATH "$ORIGIN/${lib_from_bin}")
  install(TARGETS crivo_sst RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endif()
