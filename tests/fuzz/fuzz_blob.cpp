// The libFuzzer driver for blobs. Run: fuzz_blob tests/fuzz/corpus/blob -max_total_time=60
#include "fuzz_body.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  crivo::testing::fuzz_blob({data, size});
  return 0;
}
