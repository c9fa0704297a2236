// The only place that looks at the CPU. The compiler's test also finds out whether the operating system saves the
// registers.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

#include "simd/kernels.h"

namespace crivo {
namespace {

bool always() noexcept { return true; }

#if defined(__x86_64__)
bool has_avx2() noexcept { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2"); }

bool has_avx512() noexcept {
  return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("avx512vpopcntdq");
}
#endif

}  // namespace

// Another instruction set is a row here, and a file in simd/blocked and in simd/ribbon.
std::span<const Kernels> all_kernels() noexcept {
  static const std::array levels = {
    Kernels{kBlockedScalar, kRibbonScalar, kRangeScalar, "scalar", &always},
#if defined(__x86_64__)
    Kernels{kBlockedAvx2, kRibbonAvx2, kRangeAvx2, "avx2", &has_avx2},
    Kernels{kBlockedAvx512, kRibbonAvx512, kRangeAvx2, "avx512", &has_avx512},
#elif defined(__AARCH64EL__)
    Kernels{kBlockedNeon, kRibbonNeon, kRangeScalar, "neon", &always},
#endif
  };
  return levels;
}

std::span<const Kernels> available_kernels() noexcept {
  static const auto found = [] {
#if defined(__x86_64__)
    __builtin_cpu_init();
#endif
    const auto all = all_kernels();
    const auto lacking = std::ranges::find_if(all, [](const Kernels& level) { return !level.supported(); });
    return all.first(static_cast<std::size_t>(lacking - all.begin()));
  }();
  return found;
}

std::string_view isa_asked_for() noexcept {
  const char* name = std::getenv("CRIVO_ISA");
  return name == nullptr ? "" : name;
}

const Kernels& kernels() noexcept {
  static const Kernels& chosen = []() -> const Kernels& {
    const auto available = available_kernels();
    const auto named = std::ranges::find(all_kernels(), isa_asked_for(), &Kernels::isa);
    const auto level = static_cast<std::size_t>(named - all_kernels().begin());
    return level < available.size() ? available[level] : available.back();
  }();
  return chosen;
}

}  // namespace crivo
