// Prints the instruction set that the library uses in this process, and its answers. isa_test runs this program.
#include <cstdio>
#include <string>

#include "crivo/filter.h"
#include "crivo/version.h"

int main() {
  crivo::FilterSpec spec;
  spec.capacity = 1000;
  auto filter = crivo::AnyFilter::create(spec);
  if (!filter) return 1;
  for (int i = 0; i < 1000; ++i) {
    if (!filter->add(std::to_string(i))) return 1;
  }
  std::uint64_t digest = 0;
  for (const std::byte byte : filter->payload()) digest = digest * 31 + std::to_integer<std::uint64_t>(byte);
  std::printf("%s %llu\n", std::string(crivo::active_isa()).c_str(), static_cast<unsigned long long>(digest));
}
