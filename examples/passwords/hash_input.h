// Lines of hashes from standard input, for the programs that store or seek the hash itself and not its digits.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>

#include "hash_list.h"

namespace passwords {

/// Calls take(hash, line) for each line of standard input until it returns false. Ends the program at a line that is no
/// hash.
template <class Take>
void for_each_hash(Take take) {
  std::ios::sync_with_stdio(false);
  std::cin.tie(nullptr);  // or std::cout would be written out before each line is read
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
