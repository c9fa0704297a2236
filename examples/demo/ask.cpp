// demo_ask FILTER: prints the lines of standard input that a filter in a file may contain. This is all that a C++
// program needs to query a filter that SQL built.
#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "crivo/blob.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: demo_ask FILTER <KEYS\n", stderr);
    return 2;
  }
  std::ifstream file(argv[1], std::ios::binary);
  const std::vector<char> bytes(std::istreambuf_iterator<char>(file), {});
  const auto opened = crivo::parse_blob(std::as_bytes(std::span(bytes)));
  if (!opened) {
    std::fprintf(stderr, "demo_ask: %s\n", opened.error().message.c_str());
    return 2;
  }
  std::ios::sync_with_stdio(false);
  for (std::string key; std::getline(std::cin, key);) {
    if (opened->ref().may_contain(key)) std::cout << key << '\n';
  }
  return 0;
}
