// The libFuzzer driver for the C interface. Run: fuzz_c tests/fuzz/corpus/c -max_total_time=60
#include "fuzz_body.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  crivo::testing::fuzz_c({data, size});
  return 0;
}
