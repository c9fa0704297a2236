// The libFuzzer driver of each target in CMakeLists.txt. Run: fuzz_blob tests/fuzz/corpus/blob -max_total_time=60
#include "fuzz_body.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  (void)crivo::testing::CRIVO_FUZZ_BODY({data, size});
  return 0;
}
