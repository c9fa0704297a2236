# Compile and link options of Crivo's targets: crivo_warnings for Crivo's own code, the options CRIVO_HARDEN and
# CRIVO_SANITIZE, and crivo_self_contained. Only the developer presets treat warnings as errors.
add_library(crivo_warnings INTERFACE)
target_compile_options(crivo_warnings INTERFACE -Wall -Wextra -Wshadow -Wconversion)

if(CRIVO_HARDEN)  # the options of dpkg-buildflags; -U, because some compilers predefine _FORTIFY_SOURCE
  add_compile_options(-fstack-protector-strong -fstack-clash-protection -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
  add_link_options(-Wl,-z,relro -Wl,-z,now)
endif()

if(CRIVO_SANITIZE)
  add_compile_options(-fsanitize=${CRIVO_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${CRIVO_SANITIZE})
endif()

# crivo_self_contained(target exports [OPTION...]): links a library that depends only on libc and on the program that
# loads it. Crivo's core, zstd and the C++ runtime are linked in statically. All symbols are hidden, except those in the
# version script `exports`: otherwise calls to zstd or to the C++ runtime would bind to the program's copy. OPTIONs are
# linker options.
function(crivo_self_contained target exports)
  find_library(CRIVO_ZSTD_STATIC libzstd.a HINTS ${zstd_LIBRARY_DIRS} ${zstd_LIBDIR} REQUIRED)
  # Links the core by its file, because the CMake target crivo would also link the shared zstd.
  add_dependencies(${target} crivo)
  target_link_libraries(${target} PRIVATE
    $<BUILD_INTERFACE:$<TARGET_FILE:crivo>> $<BUILD_INTERFACE:${CRIVO_ZSTD_STATIC}> $<BUILD_INTERFACE:Threads::Threads>)
  set(options ${ARGN})
  if(CRIVO_SANITIZE)  # the sanitizers' runtime is in the program, and requires the shared libstdc++
    list(REMOVE_ITEM options LINKER:-z,defs)
  else()
    # --gc-sections removes unused parts of libstdc++, one of which needs a newer glibc than all other code.
    target_sources(${target} PRIVATE "${PROJECT_SOURCE_DIR}/cmake/older_glibc.cpp")
    target_link_options(${target} PRIVATE -static-libstdc++ -static-libgcc -Wl,--gc-sections)
  endif()
  target_link_options(${target} PRIVATE "-Wl,--version-script=${exports}" ${options})
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS "${exports}")
endfunction()
