// The libFuzzer driver for chunks. Run: fuzz_chunks tests/fuzz/corpus/chunks -max_total_time=60
#include "fuzz_body.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  (void)crivo::testing::fuzz_chunks({data, size});
  return 0;
}
