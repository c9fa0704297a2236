// The instruction set levels of the kernels, and the level that this process uses. Kernels are the inner loops of a
// family of kinds, in the family's folder simd. The kernels of all levels compute the same bits.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

// A macro per instruction set of the kernels, for the functions that use the set. If a whole file were compiled for a
// set, the linker could pick the file's copies of inline functions. Such a copy would raise SIGILL on a CPU without the
// set.
#define CRIVO_TARGET_SCALAR
#define CRIVO_TARGET_NEON  // every AArch64 CPU has NEON
#define CRIVO_TARGET_AVX2 __attribute__((target("avx2,bmi2,popcnt")))
#define CRIVO_TARGET_AVX512 \
  __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi2,avx512vpopcntdq,bmi2")))

namespace crivo {

enum class Isa : std::uint8_t { kScalar, kAvx2, kAvx512, kNeon };

struct IsaLevel {
  Isa isa;
  std::string_view name;
  bool (*supported)() noexcept;
};

/// The levels of this architecture, in ascending order. Scalar is the first; each level includes those before it.
[[nodiscard]] std::span<const IsaLevel> all_isas() noexcept;

/// The levels that this machine supports.
[[nodiscard]] std::span<const IsaLevel> available_isas() noexcept;

/// The value of the environment variable CRIVO_ISA (crivo/version.h); empty if it is not set.
[[nodiscard]] std::string_view requested_isa() noexcept;

/// The level in use: the one in CRIVO_ISA if this machine supports it, else the highest supported level. Thread-safe.
[[nodiscard]] const IsaLevel& isa_in_use() noexcept;

/// A family's kernels of a level: static members of `Kernels`, named after the level. A family that gains nothing from
/// a level has no kernels for it, and uses those of the next lower level.
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

/// The kernels of the level in use.
template <class Kernels>
[[nodiscard]] const Kernels& kernels_in_use() noexcept {
  static const Kernels& chosen = kernels_of<Kernels>(isa_in_use().isa);
  return chosen;
}

}  // namespace crivo
