// passwords_list leaked SYNTHETIC [HASH...]: prints a sorted list of SYNTHETIC synthetic hashes and the given ones.
// passwords_list present SYNTHETIC QUESTIONS: prints random lines of that list, with repetitions.
// passwords_list absent QUESTIONS: prints lines that are in no list.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "hash_list.h"

namespace {

using namespace passwords;

bool print(const Hash& hash) {
  const Line line = line_of(hash);
  return std::fwrite(line.data(), 1, line.size(), stdout) == line.size();
}

/// Merges the given hashes into the synthetic ones, which are sorted.
bool print_leaked(std::uint64_t synthetic, std::vector<Hash> given) {
  std::sort(given.begin(), given.end());
  auto next = given.begin();
  for (std::uint64_t i = 0; i < synthetic; ++i) {
    const Hash hash = leaked_hash(i, synthetic);
    for (; next != given.end() && *next < hash; ++next) {
      if (!print(*next)) return false;
    }
    if (!print(hash)) return false;
  }
  return std::all_of(next, given.end(), print);
}

bool print_present(std::uint64_t synthetic, std::uint64_t questions) {
  constexpr std::uint64_t seed = 3;
  for (std::uint64_t i = 0; i < questions; ++i) {
    if (!print(leaked_hash(splitmix64(seed, i) % synthetic, synthetic))) return false;
  }
  return true;
}

bool print_absent(std::uint64_t questions) {
  for (std::uint64_t i = 0; i < questions; ++i) {
    if (!print(unknown_hash(i))) return false;
  }
  return true;
}

int usage() {
  std::fputs("usage: passwords_list leaked SYNTHETIC [HASH...] | present SYNTHETIC QUESTIONS | absent QUESTIONS\n",
             stderr);
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() < 2) return usage();
  const std::string& what = arguments[0];
  const std::uint64_t count = std::strtoull(arguments[1].c_str(), nullptr, 10);
  if (count == 0) return usage();
  bool printed = false;
  if (what == "leaked") {
    std::vector<Hash> given(arguments.size() - 2);
    for (std::size_t i = 0; i < given.size(); ++i) {
      if (!parse_line(arguments[i + 2], given[i])) return usage();
    }
    printed = print_leaked(count, std::move(given));
  } else if (what == "present" && arguments.size() == 3) {
    printed = print_present(count, std::strtoull(arguments[2].c_str(), nullptr, 10));
  } else if (what == "absent" && arguments.size() == 2) {
    printed = print_absent(count);
  } else {
    return usage();
  }
  if (printed && std::fflush(stdout) == 0) return 0;
  std::perror("passwords_list: cannot write");
  return 1;
}
