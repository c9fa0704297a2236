// Gives a compiler below C++20 one clear error message, instead of a hundred from inside the headers. Every public
// header includes this one, most of them through another.
#pragma once

#if __cplusplus < 202002L
#error "Crivo needs C++20: compile with -std=c++20, or link the CMake target, which asks for it"
#include "compile_with_std_c++20"  // Compilers go on after #error, but stop where a file is missing.
#endif
