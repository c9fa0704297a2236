# Compiles zstd for size, and uses it instead of the system's zstd. crivo.wasm links only the decoder.
enable_language(C)
file(GLOB zstd_sources "${CRIVO_ZSTD_SOURCES}/lib/common/*.c" "${CRIVO_ZSTD_SOURCES}/lib/decompress/*.c"
  "${CRIVO_ZSTD_SOURCES}/lib/compress/*.c")
add_library(zstd STATIC ${zstd_sources})
add_library(PkgConfig::zstd ALIAS zstd)
target_include_directories(zstd INTERFACE "${CRIVO_ZSTD_SOURCES}/lib")
target_compile_options(zstd PRIVATE -Os)
target_compile_definitions(zstd PRIVATE
  ZSTD_DISABLE_ASM ZSTD_NO_INLINE ZSTD_FORCE_DECOMPRESS_SEQUENCES_SHORT HUF_FORCE_DECOMPRESS_X1)
