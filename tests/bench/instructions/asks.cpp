// Asks, adds to or builds a filter, for `count` to count what is executed: asks KIND RATE WHAT COUNT. The filter has
// 100,000 keys; all keys are given by their hashes.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <vector>

#include "crivo/filter.h"
#include "crivo/kinds.h"

namespace crivo {
namespace {

constexpr std::uint64_t kKeys = 100'000;

std::vector<std::uint64_t> hashes_from(std::uint64_t first, std::uint64_t count) {
  std::vector<std::uint64_t> hashes(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t mixed = (first + i + 1) * 0x9E3779B97F4A7C15;
    hashes[i] = (mixed ^ mixed >> 29) * 0xD1342543DE82EF95;
  }
  return hashes;
}

/// How many of the keys were found, for the compiler to leave nothing out.
std::uint64_t run(const FilterSpec& spec, std::string_view what, std::uint64_t count) {
  AnyFilter filter = *AnyFilter::build(spec, hashes_from(0, kKeys));
  std::vector<std::uint64_t> keys = hashes_from(what == "present" ? 0 : kKeys, count);
  const std::unique_ptr<bool[]> hits(new bool[count]());
  std::uint64_t found = 0;
  if (what == "absent" || what == "present") {
    for (const std::uint64_t key : keys) found += filter.ref().may_contain_hash(key);
  } else if (what == "batch") {
    filter.ref().may_contain_hashes(keys, {hits.get(), count});
  } else if (what == "add") {
    found = filter.add_hashes(keys) ? 0 : 1;
  } else if (what == "build") {
    found = AnyFilter::build(spec, std::move(keys))->facts().keys;
  }
  return found;
}

}  // namespace
}  // namespace crivo

int main(int count, char** arguments) {
  crivo::FilterSpec spec{.capacity = crivo::kKeys};
  if (count != 5 || !crivo::choose_kind(spec, arguments[1])) return 2;
  spec.fp_rate = std::strtod(arguments[2], nullptr);
  const std::uint64_t found = crivo::run(spec, arguments[3], std::strtoull(arguments[4], nullptr, 10));
  std::printf("%llu\n", static_cast<unsigned long long>(found));
}
