# Toolchain file for Debian's cross compilers. CRIVO_CROSS is the target architecture, such as aarch64 or s390x.
# CRIVO_SYSROOT contains the libraries that cmake/make_sysroot has unpacked. qemu-user runs the built programs.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${CRIVO_CROSS})
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES CRIVO_CROSS CRIVO_SYSROOT)

set(triplet ${CRIVO_CROSS}-linux-gnu)
set(CMAKE_CXX_COMPILER ${triplet}-g++)
set(CMAKE_CXX_FLAGS_INIT "-isystem ${CRIVO_SYSROOT}/usr/include")  # Python.h includes a header of the architecture
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-${CRIVO_CROSS} -L /usr/${triplet})

set(CMAKE_FIND_ROOT_PATH ${CRIVO_SYSROOT} /usr/${triplet})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
foreach(found LIBRARY INCLUDE PACKAGE)
  set(CMAKE_FIND_ROOT_PATH_MODE_${found} ONLY)
endforeach()
set(ENV{PKG_CONFIG_LIBDIR} ${CRIVO_SYSROOT}/usr/lib/${triplet}/pkgconfig)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${CRIVO_SYSROOT})
