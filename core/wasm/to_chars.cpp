// Formats a double as its shortest text, with JavaScript's own code. libc++'s tables for this, and for the other
// functions in the same object file, would take half of crivo.wasm.
#include <charconv>

extern "C" [[clang::import_module("env"), clang::import_name("spell")]] char* spell(double value, char* text);

std::to_chars_result std::to_chars(char* first, char*, double value) { return {spell(value, first), std::errc{}}; }
