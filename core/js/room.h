// What filter.js and C++ share: the room, one piece of memory, and the last error. core/wasm and core/node each have
// their own.
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
/// Makes the room at least this large, keeps what is in it, and returns where it lies. 0 if there is no memory.
EXPORT(room) std::size_t room(std::size_t bytes);
/// Frees the room. The next call must be room().
EXPORT(leave) void leave();

}  // namespace crivo::js
