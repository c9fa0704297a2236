// The shared buffer of JavaScript and C++, and the last error. core/wasm and core/node implement both.
#pragma once

#include <cstddef>
#include <string>

#ifdef __wasm__
#define EXPORT(name) [[clang::export_name(#name)]]
#else
#define EXPORT(name)
#endif

namespace crivo::js {

struct LastError {
  int code = 0;
  std::string message;
};

LastError& last_error();
std::byte* buffer_bytes();
/// Grows the shared buffer to at least this size, and returns its position, or 0 if memory is short. Preserves the
/// contents.
EXPORT(grow_buffer) std::size_t grow_buffer(std::size_t bytes);
/// Frees the shared buffer. The next call must be grow_buffer().
EXPORT(free_buffer) void free_buffer();

}  // namespace crivo::js
