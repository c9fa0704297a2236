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

}  // namespace crivo
