# What targets of ours are compiled and linked with: crivo_warnings for our own code, hardening and sanitizers when they
# are asked for, and crivo_self_contained. Warnings are errors in the presets that are for work on Crivo.
add_library(crivo_warnings INTERFACE)
target_compile_options(crivo_warnings INTERFACE -Wall -Wextra -Wshadow -Wconversion)

if(CRIVO_HARDEN)  # what dpkg-buildflags gives Debian's packages; some compilers define _FORTIFY_SOURCE by themselves
  add_compile_options(-fstack-protector-strong -fstack-clash-protection -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
  add_link_options(-Wl,-z,relro -Wl,-z,now)
endif()

if(CRIVO_SANITIZE)
  add_compile_options(-fsanitize=${CRIVO_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${CRIVO_SANITIZE})
endif()

# crivo_self_contained(target exports [OPTION...]): links the library so that it needs nothing beside libc and whoever
# loads it. Ours, zstd and the C++ runtime are inside, hidden but for what the file `exports` names: a host with a zstd
# or a C++ runtime of its own would have these called instead. OPTIONs are the linker's.
function(crivo_self_contained target exports)
  find_library(CRIVO_ZSTD_STATIC libzstd.a HINTS ${zstd_LIBRARY_DIRS} ${zstd_LIBDIR} REQUIRED)
  # Ours by its file, not by its target: the target would bring the shared zstd with it.
  add_dependencies(${target} crivo)
  target_link_libraries(${target} PRIVATE
    $<BUILD_INTERFACE:$<TARGET_FILE:crivo>> $<BUILD_INTERFACE:${CRIVO_ZSTD_STATIC}> $<BUILD_INTERFACE:Threads::Threads>)
  # The sanitizers' runtime insists on the process' own libstdc++. Without --gc-sections, parts of libstdc++ that nobody
  # calls would stay, and one of them asks for a newer glibc than all the rest.
  if(NOT CRIVO_SANITIZE)
    target_sources(${target} PRIVATE "${PROJECT_SOURCE_DIR}/cmake/older_glibc.cpp")
    target_link_options(${target} PRIVATE -static-libstdc++ -static-libgcc -Wl,--gc-sections ${ARGN})
  endif()
  target_link_options(${target} PRIVATE "-Wl,--version-script=${exports}")
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS "${exports}")
endfunction()
