// The shared buffer of core/js/exports.h, in the module's memory.
#include <cstdint>
#include <exception>
#include <vector>

#include "exports.h"

namespace crivo::js {
namespace {
std::vector<std::uint64_t> words;
}

LastError& last_error() {
  static LastError error;
  return error;
}

std::byte* buffer_bytes() { return reinterpret_cast<std::byte*>(words.data()); }

std::size_t grow_buffer(std::size_t bytes) {
  try {
    if (const std::size_t wanted = bytes / 8 + 1; wanted > words.size()) words.resize(wanted);
    return reinterpret_cast<std::uintptr_t>(words.data());
  } catch (const std::exception&) {
    last_error() = {.code = 9, .message = {}};
    return 0;
  }
}

void free_buffer() { std::vector<std::uint64_t>().swap(words); }

}  // namespace crivo::js
