// What this build of the core contains. The module for browsers omits code to be small.
#pragma once

namespace crivo {

/// Whether this build has threads, and files that are verified segment by segment.
#if defined CRIVO_WITHOUT_FILES  // crivo.wasm
inline constexpr bool kHasFiles = false;
#else
inline constexpr bool kHasFiles = true;
#endif

}  // namespace crivo
