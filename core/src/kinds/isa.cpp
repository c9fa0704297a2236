// The compiler's CPU tests also check that the operating system saves the registers.
#include "kinds/isa.h"

#include <algorithm>
#include <array>
#include <cstdlib>

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

// A new level needs a row here, additions to isa.h, and a file in the folder simd of each family that benefits.
constexpr std::array kLevels = {
    IsaLevel{Isa::kScalar, "scalar", &always},
#if defined(__x86_64__)
    IsaLevel{Isa::kAvx2, "avx2", &has_avx2},
    IsaLevel{Isa::kAvx512, "avx512", &has_avx512},
#elif defined(__AARCH64EL__)
    IsaLevel{Isa::kNeon, "neon", &always},
#endif
};

}  // namespace

std::span<const IsaLevel> all_isas() noexcept { return kLevels; }

std::span<const IsaLevel> available_isas() noexcept {
  static const auto found = [] {
#if defined(__x86_64__)
    __builtin_cpu_init();
#endif
    const auto lacking = std::ranges::find_if(kLevels, [](const IsaLevel& level) { return !level.supported(); });
    return all_isas().first(static_cast<std::size_t>(lacking - kLevels.begin()));
  }();
  return found;
}

std::string_view requested_isa() noexcept {
  const char* name = std::getenv("CRIVO_ISA");
  return name == nullptr ? "" : name;
}

const IsaLevel& isa_in_use() noexcept {
  static const IsaLevel& chosen = []() -> const IsaLevel& {
    const auto available = available_isas();
    const auto level =
        static_cast<std::size_t>(std::ranges::find(kLevels, requested_isa(), &IsaLevel::name) - kLevels.begin());
    return level < available.size() ? available[level] : available.back();
  }();
  return chosen;
}

}  // namespace crivo
