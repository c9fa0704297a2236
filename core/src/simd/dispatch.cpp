// The only place that looks at the CPU. The level avx512 needs the extensions F, BW, DQ, VL, VBMI2 and VPOPCNTDQ. The
// compiler's test also finds out whether the operating system saves the registers.
#include <array>
#include <cstdlib>
#include <string_view>

#include "simd/kernels.h"

namespace crivo {
namespace {

struct Levels {
  std::array<Kernels, 3> kernels{{{kBlockedScalar, kRibbonScalar, "scalar"}}};
  std::size_t count = 1;
};

const Levels& levels() noexcept {
  static const Levels detected = [] {
    Levels found;
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2")) {
      found.kernels[found.count++] = {kBlockedAvx2, kRibbonAvx2, "avx2"};
      if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
          __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
          __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("avx512vpopcntdq")) {
        found.kernels[found.count++] = {kBlockedAvx512, kRibbonAvx512, "avx512"};
      }
    }
#endif
    return found;
  }();
  return detected;
}

const Kernels& choose() noexcept {
  const auto available = available_kernels();
  const char* wanted = std::getenv("CRIVO_ISA");
  if (wanted == nullptr) return available.back();
  const std::string_view name = wanted;
  constexpr std::array<std::string_view, 3> kNames = {"scalar", "avx2", "avx512"};
  for (std::size_t level = 0; level < kNames.size(); ++level) {
    if (kNames[level] == name) return available[level < available.size() ? level : available.size() - 1];
  }
  return available.back();
}

}  // namespace

std::span<const Kernels> available_kernels() noexcept { return {levels().kernels.data(), levels().count}; }

const Kernels& kernels() noexcept {
  static const Kernels& chosen = choose();
  return chosen;
}

}  // namespace crivo
