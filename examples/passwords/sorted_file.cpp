// passwords_sorted_file build FILE <LIST: writes the hashes of a sorted list to a file, 20 bytes each.
// passwords_sorted_file ask FILE <LINES: prints the lines whose hash is in the file, by binary search in the mapped
// file.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <span>
#include <string_view>

#include "hash_input.h"

namespace {

using namespace passwords;

int build(const char* name) {
  std::ofstream file(name, std::ios::binary);
  Hash last{};
  bool sorted = true;
  for_each_hash([&](const Hash& hash, const std::string&) {
    sorted = !(hash < last);
    last = hash;
    file.write(reinterpret_cast<const char*>(hash.data()), kHashBytes);
    return sorted && file.good();
  });
  file.close();
  if (sorted && file) return 0;
  std::fprintf(stderr, "passwords_sorted_file: %s\n", sorted ? "cannot write the file" : "the list must be sorted");
  return 1;
}

/// Maps the file as an array until the program ends; empty if it cannot be mapped.
std::span<const Hash> map(const char* name) {
  const int file = ::open(name, O_RDONLY | O_CLOEXEC);
  struct stat status {};
  if (file < 0 || ::fstat(file, &status) != 0 || status.st_size == 0) return {};
  const auto bytes = static_cast<std::size_t>(status.st_size);
  void* const mapped = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, file, 0);
  ::close(file);
  if (mapped == MAP_FAILED) return {};
  return {static_cast<const Hash*>(mapped), bytes / kHashBytes};
}

int ask(const char* name) {
  const std::span<const Hash> hashes = map(name);
  if (hashes.empty()) {
    std::fprintf(stderr, "passwords_sorted_file: cannot map %s\n", name);
    return 1;
  }
  for_each_hash([&](const Hash& hash, const std::string& line) {
    if (std::binary_search(hashes.begin(), hashes.end(), hash)) std::cout << line << '\n';
    return true;
  });
  return std::cout.flush() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc == 3 ? argv[1] : "";
  if (what == "build") return build(argv[2]);
  if (what == "ask") return ask(argv[2]);
  std::fputs("usage: passwords_sorted_file build FILE <LIST | ask FILE <LINES\n", stderr);
  return 2;
}
