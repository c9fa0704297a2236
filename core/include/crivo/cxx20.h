// Stops a compilation below C++20 with one clear error. Every public header includes this header.
#pragma once

#if __cplusplus < 202002L
#error "Crivo needs C++20: compile with -std=c++20, or link the CMake target, which sets it"
#include "compile_with_std_c++20"  // Compilers continue after #error, but stop at a missing file.
#endif
