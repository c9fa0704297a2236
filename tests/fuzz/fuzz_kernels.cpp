// The libFuzzer driver for kernels. Run: fuzz_kernels tests/fuzz/corpus/kernels -max_total_time=60
#include "fuzz_body.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  crivo::testing::fuzz_kernels({data, size});
  return 0;
}
