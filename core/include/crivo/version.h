// The library's version, and the instruction set that it uses on this machine.
#pragma once

#include <string_view>

#include "crivo/result.h"

namespace crivo {

/// "0.1.0", semantic versioning; the blob's format has a version of its own.
[[nodiscard]] std::string_view version() noexcept;

/// The instruction set the kernels use here: "scalar", or "avx2" or "avx512" on x86-64, or "neon" on AArch64. Chosen
/// once, from the CPU; the environment variable CRIVO_ISA forces a level, and one the machine lacks becomes the best
/// lower one.
[[nodiscard]] std::string_view active_isa() noexcept;

/// Whether CRIVO_ISA, if it is set, names an instruction set; a host asks when it starts. Errors: kBadArgument with the
/// names for a name that is none, which active_isa() ignores. Crivo's own hosts, the C interface among them, then
/// refuse to work.
[[nodiscard]] Result<void> check_isa();

}  // namespace crivo
