// What the core is compiled for, where not all of it is wanted: the modules for browsers are small by what is left out.
#pragma once

namespace crivo {

#if defined CRIVO_ONLY_QUESTIONS  // remote.wasm, which asks filters that lie elsewhere
inline constexpr bool kHasFiles = false;
inline constexpr bool kReadsPieces = true;
inline constexpr bool kMakesFilters = false;
#elif defined CRIVO_WITHOUT_FILES  // crivo.wasm
inline constexpr bool kHasFiles = false;
inline constexpr bool kReadsPieces = false;
inline constexpr bool kMakesFilters = true;
#else
inline constexpr bool kHasFiles = true;
/// Whether questions can be asked before all of a filter is here.
inline constexpr bool kReadsPieces = true;
/// Whether filters are made and changed.
inline constexpr bool kMakesFilters = true;
#endif

}  // namespace crivo
