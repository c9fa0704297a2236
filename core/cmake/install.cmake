# What `cmake --install` leaves: headers, libcrivo.a, a CMake package (crivo::crivo), crivo.pc and the tool.
if(NOT PROJECT_IS_TOP_LEVEL)
  return()  # a project that contains ours decides what it installs
endif()
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/crivo")
install(TARGETS crivo EXPORT crivoTargets ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}/include/" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
  FILES_MATCHING PATTERN "*.h")
install(EXPORT crivoTargets NAMESPACE crivo:: DESTINATION "${package_dir}")

configure_package_config_file("${CMAKE_CURRENT_LIST_DIR}/crivoConfig.cmake.in" crivoConfig.cmake
  INSTALL_DESTINATION "${package_dir}" NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(crivoConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/crivoConfig.cmake" "${CMAKE_CURRENT_BINARY_DIR}/crivoConfigVersion.cmake"
  DESTINATION "${package_dir}")

# The prefix is found from where crivo.pc lies, so that the installed tree can be moved.
file(RELATIVE_PATH CRIVO_PREFIX_FROM_PC "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" "${CMAKE_INSTALL_PREFIX}")
configure_file("${CMAKE_CURRENT_LIST_DIR}/crivo.pc.in" crivo.pc @ONLY)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/crivo.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")

if(TARGET crivo_tool)
  install(TARGETS crivo_tool RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endif()
