// Reads hashes from standard input, for programs that store or search the hash's bytes instead of its digits.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>

#include "hash_list.h"

namespace passwords {

/// Calls take(hash, line) for each line of standard input until take returns false. Ends the program if a line is not a
/// hash.
template <class Take>
void for_each_hash(Take take) {
  std::ios::sync_with_stdio(false);
  std::cin.tie(nullptr);  // otherwise each read would flush std::cout
  Hash hash;
  for (std::string line; std::getline(std::cin, line);) {
    if (!parse_line(line, hash)) {
      std::fprintf(stderr, "a line must have 40 upper-case hexadecimal digits, got %s\n", line.c_str());
      std::exit(2);
    }
    if (!take(hash, line)) return;
  }
}

}  // namespace passwords
