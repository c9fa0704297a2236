// The libFuzzer driver for ribbons. Run: fuzz_ribbon tests/fuzz/corpus/ribbon -max_total_time=60. Prints at the end how
// many inputs were valid filters, because invalid ones test little.
#include <cstdio>

#include "fuzz_body.h"

namespace {

struct Tally {
  std::uint64_t runs = 0;
  std::uint64_t accepted = 0;
  std::uint64_t with_levels = 0;
  ~Tally() {
    std::fprintf(stderr, "fuzz_ribbon: of %llu inputs %llu accepted, %llu with two levels or more\n",
                 static_cast<unsigned long long>(runs), static_cast<unsigned long long>(accepted),
                 static_cast<unsigned long long>(with_levels));
  }
};
Tally tally;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto levels = crivo::testing::fuzz_ribbon({data, size});
  ++tally.runs;
  tally.accepted += levels ? 1 : 0;
  tally.with_levels += levels.value_or(0) > 1 ? 1 : 0;
  return 0;
}
