// The instruction sets for which kernels are compiled: one macro per target, before each function that uses it. If a
// whole file were compiled for a set, the linker could pick its copies of inline functions, which fail on machines
// without the set.
#pragma once

#define CRIVO_TARGET_SCALAR
#define CRIVO_TARGET_NEON  // every AArch64 has it
#define CRIVO_TARGET_AVX2 __attribute__((target("avx2,bmi2,popcnt")))
#define CRIVO_TARGET_AVX512 \
  __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi2,avx512vpopcntdq,bmi2")))
