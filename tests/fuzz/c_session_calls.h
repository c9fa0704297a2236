// Checks that apply to every call of fuzz_c.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "crivo.h"
#include "require.h"

namespace crivo::testing {

/// Ends the process unless the status is valid, and its message is one terminated line of text.
void require_status(crivo_status status, const crivo_error& error);

/// Calls a function with these arguments and a crivo_error*, checks the error, and returns the status.
template <class Function, class... Args>
crivo_status checked(Function function, Args... args) {
  crivo_error error{};
  const crivo_status status = function(args..., &error);
  require_status(status, error);
  return status;
}

/// Lets a function fill in a structure with any `size`, and checks that it writes nothing after the structure.
template <class Struct, class Get>
void describe_into(std::size_t size, Get&& get) {
  constexpr unsigned char kUntouched = 0xA5;
  alignas(Struct) std::array<unsigned char, 4096> bytes;  // a larger `size` is rejected
  bytes.fill(kUntouched);
  auto* structure = reinterpret_cast<Struct*>(bytes.data());
  structure->size = size;
  const crivo_status status = checked(get, structure);
  const std::size_t written = status == CRIVO_OK ? size : sizeof size;
  require(structure->size == size, "the size stays");
  require(std::all_of(bytes.begin() + static_cast<std::ptrdiff_t>(written), bytes.end(),
                      [](unsigned char byte) { return byte == kUntouched; }),
          "nothing behind the size is written");
}

}  // namespace crivo::testing
