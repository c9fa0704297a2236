// The shared buffer (`room`) of JavaScript and C++, and the last error. core/wasm and core/node implement both.
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
std::byte* room_bytes();
/// Grows the shared buffer (`room`) to at least this size, and returns its position. Preserves the contents. Returns 0
/// if memory is short.
EXPORT(room) std::size_t room(std::size_t bytes);
/// Frees the shared buffer (`room`). The next call must be room().
EXPORT(leave) void leave();

}  // namespace crivo::js
