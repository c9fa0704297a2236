// The levels of instruction sets that kernels are written for, and the level that this process uses. Kernels are the
// inner loops of a family of kinds, in its folder simd. Those of every level compute the same bits.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace crivo {

enum class Isa : std::uint8_t { kScalar, kAvx2, kAvx512, kNeon };

/// A level: its name, and whether this machine can run it.
struct IsaLevel {
  Isa isa;
  std::string_view name;
  bool (*supported)() noexcept;
};

/// The levels of this kind of machine, in ascending order: scalar is the first, and each includes those before it.
[[nodiscard]] std::span<const IsaLevel> all_isas() noexcept;

/// Those of them that this machine can run.
[[nodiscard]] std::span<const IsaLevel> available_isas() noexcept;

/// The value of the environment variable CRIVO_ISA (crivo/version.h); empty if it is not set.
[[nodiscard]] std::string_view isa_asked_for() noexcept;

/// The level in use: the best that this machine can run, or the one that CRIVO_ISA asks for. Any thread may call it.
[[nodiscard]] const IsaLevel& isa_in_use() noexcept;

/// A family's kernels of a level. They are static members of `Kernels`, named as the level is; where a family gains
/// nothing by a level, and has none, they are those of the level below.
template <class Kernels>
[[nodiscard]] const Kernels& kernels_of([[maybe_unused]] Isa isa) noexcept {
#if defined(__x86_64__)
  if constexpr (requires { Kernels::kAvx512; }) {
    if (isa == Isa::kAvx512) return Kernels::kAvx512;
  }
  if constexpr (requires { Kernels::kAvx2; }) {
    if (isa != Isa::kScalar) return Kernels::kAvx2;
  }
#elif defined(__AARCH64EL__)
  if constexpr (requires { Kernels::kNeon; }) {
    if (isa == Isa::kNeon) return Kernels::kNeon;
  }
#endif
  return Kernels::kScalar;
}

/// Those of the level in use.
template <class Kernels>
[[nodiscard]] const Kernels& kernels_in_use() noexcept {
  static const Kernels& chosen = kernels_of<Kernels>(isa_in_use().isa);
  return chosen;
}

}  // namespace crivo
