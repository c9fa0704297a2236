// The initialization function that Node calls in every native module. It does nothing, because the policies register
// when the library is loaded (policy/register.cpp).

// NOLINTBEGIN(readability-identifier-naming): Node's name for the symbol
extern "C" {
[[gnu::visibility("default")]] void* napi_register_module_v1(void* environment, void* exports);

void* napi_register_module_v1(void* /*environment*/, void* exports) { return exports; }
}
// NOLINTEND(readability-identifier-naming)
