# The manual pages and the shell completions. packaging/manual generates them from what the tool prints for --help and
# --outline. Nothing is generated without the tool, without Python, with sanitizers, or in a cross build without an
# emulator. The manual pages also need help2man and lowdown.
find_package(Python3 COMPONENTS Interpreter)
if(NOT TARGET crivo_tool OR NOT Python3_FOUND OR CRIVO_SANITIZE
   OR (CMAKE_CROSSCOMPILING AND NOT CMAKE_CROSSCOMPILING_EMULATOR))
  return()
endif()
set(CRIVO_ZSH_DIR "${CMAKE_INSTALL_DATADIR}/zsh/site-functions" CACHE STRING "Where zsh looks for completion")

set(manual "${PROJECT_BINARY_DIR}/manual")
set(maker "${PROJECT_SOURCE_DIR}/packaging/manual")
file(GLOB manual_sources CONFIGURE_DEPENDS "${maker}/*.py" "${maker}/text/*.md" "${PROJECT_SOURCE_DIR}/docs/format.md"
  "${PROJECT_SOURCE_DIR}/docs/kinds.md" "${PROJECT_SOURCE_DIR}/CHANGELOG.md"
  "${PROJECT_SOURCE_DIR}/core/c/include/crivo.h")
set(manual_programs crivo_tool)
if(TARGET crivo_sst)
  list(APPEND manual_programs crivo_sst)
endif()
add_custom_command(OUTPUT "${manual}/made"
  COMMAND Python3::Interpreter -B "${maker}/make.py" "${manual}" ${PROJECT_VERSION} $<TARGET_FILE:crivo_tool>
  COMMAND "${CMAKE_COMMAND}" -E touch "${manual}/made"
  DEPENDS ${manual_programs} ${manual_sources} VERBATIM)
add_custom_target(crivo_manual ALL DEPENDS "${manual}/made")

install(DIRECTORY "${manual}/man/" DESTINATION "${CMAKE_INSTALL_MANDIR}")
install(FILES "${manual}/completion/bash/crivo" DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions")
install(FILES "${manual}/completion/zsh/_crivo" DESTINATION "${CRIVO_ZSH_DIR}")
