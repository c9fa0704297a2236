// The libFuzzer driver for SQLite. Run: fuzz_sqlite tests/fuzz/corpus/sqlite -max_total_time=60
#include "fuzz_body.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  crivo::testing::fuzz_sqlite({data, size});
  return 0;
}
