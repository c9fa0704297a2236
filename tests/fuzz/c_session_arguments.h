// Arguments of calls: valid, NULL, misaligned, or a length that no object has.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <type_traits>

#include "crivo.h"
#include "input.h"

namespace crivo::testing {

/// Draws arguments: usually a valid one, otherwise one that a function must reject.
class Arguments {
 public:
  explicit Arguments(Input& input) : input_(input) {}

  template <class T>
  T* pointer(T* sound) {
    switch (input_.take_below(8)) {
      case 0:
        return nullptr;
      case 1:
        if (alignof(T) == 1) return sound;
        return reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(sound) | 1);  // NOLINT(performance-no-int-to-ptr)
      default:
        return sound;
    }
  }
  /// A caller cannot know the alignment of an opaque type, so the pointer is aligned like a word.
  template <class Opaque>
  Opaque* handle(Opaque* sound) {
    using Word = std::conditional_t<std::is_const_v<Opaque>, const std::uint64_t, std::uint64_t>;
    return reinterpret_cast<Opaque*>(pointer(reinterpret_cast<Word*>(sound)));
  }
  /// At most the given size, or more than any object has.
  std::uint64_t size(std::uint64_t sound) {
    const unsigned choice = input_.take_below(8);
    if (choice > 1) return sound;
    const std::uint64_t any = input_.take<std::uint64_t>();
    return choice == 0 ? any % (sound + 1) : any | std::uint64_t{1} << 63;
  }
  template <class T>
  T any() {
    return static_cast<T>(input_.take<std::make_unsigned_t<T>>());
  }

 private:
  Input& input_;
};

/// Valid memory for the arguments of one call.
struct Memory {
  std::array<char, 64> bytes{};
  std::array<std::uint64_t, 9> words{};  // offsets, hashes and values
  std::array<std::uint64_t, 9> values{};
  std::array<std::uint8_t, 64> hits{};
  std::array<unsigned char, 4096> blob{};
  crivo_keys keys{};
  crivo_error error{};
  std::uint64_t number = 0;

  Memory(Input& input, Arguments& draw) {
    for (std::uint64_t& word : words) word = input.take_below(80);
    if (input.take_below(2) == 0) std::sort(words.begin(), words.end());
    if (input.take_below(16) == 0) words[input.take_below(9)] = input.take<std::uint64_t>();
    keys.bytes = draw.pointer(bytes.data());
    keys.bytes_size = draw.size(bytes.size());
    keys.offsets = draw.pointer(words.data());
    keys.width = draw.size(8);
    keys.count = draw.size(words.size() - 1);
  }
};

}  // namespace crivo::testing
