// Whether there are files. crivo.wasm has none: what would write or map them is left out of it.
#pragma once

namespace crivo {

#ifdef CRIVO_WITHOUT_FILES
inline constexpr bool kHasFiles = false;
#else
inline constexpr bool kHasFiles = true;
#endif

}  // namespace crivo
