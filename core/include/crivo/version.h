// The library's version, and the instruction set in use.
#pragma once

#include <string_view>

#include "crivo/result.h"

namespace crivo {

/// Major.minor.patch (semantic versioning). The blob format has its own version.
[[nodiscard]] std::string_view version() noexcept;

/// The instruction set of the kernels: "scalar"; on x86-64 also "avx2" or "avx512"; on AArch64 also "neon". Chosen
/// once: the set that the environment variable CRIVO_ISA names, if the CPU supports that set, else the best supported
/// set.
[[nodiscard]] std::string_view active_isa() noexcept;

/// Checks that CRIVO_ISA, if set, names an instruction set. active_isa() ignores unknown names, but Crivo's other
/// interfaces, such as the C interface, fail instead. Errors: kBadArgument with the valid names.
[[nodiscard]] Result<void> check_isa();

}  // namespace crivo
