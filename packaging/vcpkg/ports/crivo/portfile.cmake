# An overlay port, which builds the tree that contains it. CONTRIBUTING.md says what must change for vcpkg's registry.
get_filename_component(SOURCE_PATH "${CURRENT_PORT_DIR}/../../../.." ABSOLUTE)

# The library is static, and includes the C interface. Omits the RocksDB plugin, which is for the shared librocksdb of a
# system. With a static librocksdb, the plugin would add a second RocksDB to the program.
vcpkg_check_linkage(ONLY_STATIC_LIBRARY)
vcpkg_check_features(OUT_FEATURE_OPTIONS FEATURE_OPTIONS
  FEATURES
    sqlite CRIVO_SQLITE
    tool CRIVO_TOOL)
vcpkg_find_acquire_program(PKGCONFIG)
vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS
    ${FEATURE_OPTIONS}
    -DCRIVO_ROCKSDB=OFF
    -DCRIVO_SHARED=OFF
    -DCRIVO_TESTS=OFF
    -DCRIVO_EXAMPLES=OFF
    -DCMAKE_DISABLE_FIND_PACKAGE_Python3=ON  # omits the manual, for which vcpkg has no folder
    "-DPKG_CONFIG_EXECUTABLE=${PKGCONFIG}"
  MAYBE_UNUSED_VARIABLES
    CMAKE_DISABLE_FIND_PACKAGE_Python3)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/crivo)
vcpkg_fixup_pkgconfig()
if("tool" IN_LIST FEATURES)
  vcpkg_copy_tools(TOOL_NAMES crivo AUTO_CLEAN)
endif()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")

file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE" "${SOURCE_PATH}/packaging/THIRD_PARTY.txt")
