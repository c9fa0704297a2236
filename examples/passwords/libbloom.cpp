// passwords_libbloom KEYS RATE QUESTIONS... <LIST: builds a filter of libbloom from the list, and queries it with each
// line of the files QUESTIONS. Prints the filter's bytes, and the CPU seconds of the build and of each file. Writes the
// keys found to QUESTIONS.found. One process does everything, because libbloom 1.6 cannot save a filter.
#include <bloom.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iostream>
#include <string>

namespace {

/// CPU time, as for the other programs.
double seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

void ask(bloom& filter, const std::string& questions) {
  std::ifstream lines(questions);
  std::ofstream found(questions + ".found");
  for (std::string line; std::getline(lines, line);) {
    if (bloom_check(&filter, line.data(), static_cast<int>(line.size())) == 1) found << line << '\n';
  }
}

}  // namespace

int main(int argc, char** argv) {
  bloom filter{};
  if (argc < 4 || bloom_init(&filter, std::atoi(argv[1]), std::atof(argv[2])) != 0) {
    std::fputs("usage: passwords_libbloom KEYS RATE QUESTIONS... <LIST, with at least 1000 KEYS\n", stderr);
    return 2;
  }
  std::ios::sync_with_stdio(false);
  double begin = seconds();
  for (std::string line; std::getline(std::cin, line);) {
    bloom_add(&filter, line.data(), static_cast<int>(line.size()));
  }
  std::printf("%d %.6f", filter.bytes, seconds() - begin);
  for (int i = 3; i < argc; ++i) {
    begin = seconds();
    ask(filter, argv[i]);
    std::printf(" %.6f", seconds() - begin);
  }
  std::puts("");
  bloom_free(&filter);
  return 0;
}
