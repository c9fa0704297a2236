// What the core is compiled for: the module for browsers is small by what is left out.
#pragma once

namespace crivo {

/// Whether there are files, whose pieces are verified when a question reads them, and threads.
#if defined CRIVO_WITHOUT_FILES  // crivo.wasm
inline constexpr bool kHasFiles = false;
#else
inline constexpr bool kHasFiles = true;
#endif

}  // namespace crivo
