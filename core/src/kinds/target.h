// The instruction sets that kernels are compiled for: one macro per target, in front of each function that uses it. No
// file is compiled with options of its own: an inline function that it shares with other files could then be compiled
// for its instruction set, and the linker could pick that copy for machines that lack it.
#pragma once

#define CRIVO_TARGET_SCALAR
#define CRIVO_TARGET_NEON  // every AArch64 has it
#define CRIVO_TARGET_AVX2 __attribute__((target("avx2,bmi2,popcnt")))
#define CRIVO_TARGET_AVX512 \
  __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi2,avx512vpopcntdq,bmi2")))
