// `./dev bench lines`: crivo build on a file of lines beside the library on the same keys in memory. The tool starts,
// reads the file, splits it into lines, hashes and builds them, and writes the filter; the library hashes and builds.
// Both sides run in turns, and the ratio of each turn counts.
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "bench/measure.h"
#include "crivo/builder.h"
#include "support/temp_folder.h"

namespace crivo::bench {
namespace {

struct Case {
  Kind kind;
  bool with_capacity;
};
constexpr Case kCases[] = {{Kind::kBlocked, false}, {Kind::kRibbon, false}, {Kind::kBlocked, true}};

/// "user-0@example.org\nuser-1@example.org\n" ...
std::string lines_of(std::uint64_t count) {
  std::string lines;
  for (std::uint64_t i = 0; i < count; ++i) lines += "user-" + std::to_string(i) + "@example.org\n";
  return lines;
}

std::vector<std::string_view> keys_of(const std::string& lines) {
  std::vector<std::string_view> keys;
  for (std::size_t at = 0; at < lines.size();) {
    const std::size_t end = lines.find('\n', at);
    keys.emplace_back(lines.data() + at, end - at);
    at = end + 1;
  }
  return keys;
}

void build_in_memory(const FilterSpec& spec, const std::vector<std::string_view>& keys) {
  std::vector<std::uint64_t> hashes(keys.size());
  hash_keys(keys, spec.seed, hashes);
  auto builder = FilterBuilder::create(spec);
  if (!builder || !builder->add_hashes(hashes) || !builder->finish()) throw std::runtime_error("the library failed");
}

void run_tool(const std::string& command) {
  const int status = std::system(command.c_str());
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) throw std::runtime_error("failed: " + command);
}

int run(std::uint64_t count, int rounds, double most) {
  const testing::TempFolder folder;
  const std::string lines = lines_of(count);
  const std::vector<std::string_view> keys = keys_of(lines);
  std::ofstream(folder.file("keys"), std::ios::binary) << lines;
  std::printf("%llu lines of %.1f bytes; ms, medians of %d rounds; a ratio above %.2f misses its target\n\n",
              static_cast<unsigned long long>(count), static_cast<double>(lines.size()) / static_cast<double>(count),
              rounds, most);
  std::printf("kind      capacity   library      tool     ratio\n");
  bool missed = false;
  for (const auto& [kind, with_capacity] : kCases) {
    const FilterSpec spec{.kind = kind, .capacity = with_capacity ? count : 0};
    std::string command = CRIVO_TOOL " build -q --kind " + std::string(kind_name(kind));
    if (with_capacity) command += " --capacity " + std::to_string(count);
    command += " -o " + folder.file("filter") + " " + folder.file("keys");
    std::vector<double> library;
    std::vector<double> tool;
    for (int round = 0; round <= rounds; ++round) {
      const double ours = nanoseconds([&] { build_in_memory(spec, keys); }) / 1e6;
      const double theirs = nanoseconds([&] { run_tool(command); }) / 1e6;
      if (round == 0) continue;  // the first one warms up
      library.push_back(ours);
      tool.push_back(theirs);
    }
    const double ratio = median_ratio(tool, library);
    missed |= ratio > most;
    std::printf("%-8s  %-8s  %8.0f  %8.0f  %8.2f%s\n", std::string(kind_name(kind)).c_str(),
                with_capacity ? "given" : "counted", median(library), median(tool), ratio, ratio > most ? " !" : "");
    std::fflush(stdout);
  }
  return missed ? 1 : 0;
}

}  // namespace
}  // namespace crivo::bench

int main(int argc, char** argv) {
  std::uint64_t count = 10'000'000;
  int rounds = 9;
  double most = 1.3;
  CLI::App app("crivo build beside the library on the same keys in memory", "bench_lines");
  app.add_option("--keys", count, "the number of lines (default 1e7)");
  app.add_option("--rounds", rounds, "turns of both sides (default 9)");
  app.add_option("--most", most, "the ratio from which on it fails (default 1.3)");
  CLI11_PARSE(app, argc, argv);
  return crivo::bench::run(count, rounds, most);
}
