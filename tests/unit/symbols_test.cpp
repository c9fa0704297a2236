// Which symbols the library exports to a host: names of Crivo, and instances of standard templates.
#include <gtest/gtest.h>

#include <cstdio>
#include <memory>
#include <sstream>
#include <string>

namespace crivo {
namespace {

std::string output_of(const std::string& command) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(popen(command.c_str(), "r"), &pclose);
  std::string text;
  char part[4096];
  while (pipe != nullptr && std::fgets(part, sizeof part, pipe.get()) != nullptr) text += part;
  return text;
}

TEST(Symbols, EveryStrongSymbolIsInOurNamespace) {
  std::istringstream lines(output_of("'" CRIVO_NM "' --defined-only --extern-only -C '" CRIVO_LIBRARY "'"));
  std::string line;
  int ours = 0;
  while (std::getline(lines, line)) {
    // For instance "0000000000000000 T crivo::hash_key(...)". W, V and u are inline functions and templates.
    if (line.size() < 20 || line[16] != ' ' || std::string("WVu").find(line[17]) != std::string::npos) continue;
    if (line.compare(19, 11, "__odr_asan.") == 0) continue;  // AddressSanitizer's mark on a global variable
    // The functions of crivo.h begin with crivo_. The names of clang's symbols for a class contain "vtable for" and
    // such.
    const std::size_t name = line.find(" for crivo::", 19) != line.npos ? line.find(" for ", 19) + 5 : 19;
    EXPECT_TRUE(line.compare(name, 7, "crivo::") == 0 || line.compare(name, 6, "crivo_") == 0) << line;
    ++ours;
  }
  EXPECT_GT(ours, 30) << "nm found nothing to judge";
}

}  // namespace
}  // namespace crivo
