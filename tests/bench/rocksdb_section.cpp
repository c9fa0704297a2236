#include "rocksdb_section.h"

#include <cstdio>
#include <filesystem>
#include <stdexcept>

namespace crivo::bench {
namespace {

using Databases = std::vector<std::unique_ptr<Database>>;

void ask_all(Databases& databases, std::vector<Side>& sides, const Effort& effort, unsigned round) {
  for (const Workload& workload : kWorkloads) {
    for (std::size_t i = 0; i < databases.size(); ++i) {
      sides[i].asked[workload.name].push_back(ask(*databases[i], workload, effort.questions, round + 1));
    }
  }
}

void expect_filters_at_work(const Side& side) {
  if (side.counters(kWorkloads[0].name).useful == 0) {
    throw std::runtime_error(side.rival.label + ": the filters must spare some look at a file, got none");
  }
}

}  // namespace

std::vector<double> Side::figures(const std::string& workload, double (*figure)(const Asked&)) const {
  std::vector<double> rounds;
  for (const Asked& each : asked.at(workload)) rounds.push_back(figure(each));
  return rounds;
}

Counters Side::counters(const std::string& workload) const {
  Counters sum;
  for (const Asked& each : asked.at(workload)) sum += each.counters;
  return sum;
}

double thousands_per_second(const Asked& asked) {
  return 1e-3 * static_cast<double>(asked.counters.questions) / asked.seconds;
}

double cpu_microseconds(const Asked& asked) { return 1e6 * asked.cpu / static_cast<double>(asked.counters.questions); }

std::vector<Side> measure_section(const std::vector<Rival>& rivals, const Shape& shape, const Effort& effort) {
  std::filesystem::create_directories(effort.folder);
  Databases databases;
  std::vector<Side> sides(rivals.size());
  for (std::size_t i = 0; i < rivals.size(); ++i) {
    std::fprintf(stderr, "filling a database: %s\n", rivals[i].label.c_str());
    databases.push_back(std::make_unique<Database>(rivals[i], shape, effort.folder + "/" + std::to_string(i)));
    sides[i].rival = rivals[i];
    sides[i].fill = measure_cost([&] { databases[i]->fill(); });
    sides[i].tree = databases[i]->tree();
    for (const Workload& workload : kWorkloads)
      (void)ask(*databases[i], workload, effort.questions / 4, 0);  // warms up
  }
  for (unsigned round = 0; round < effort.rounds; ++round) ask_all(databases, sides, effort, round);
  for (const Side& side : sides) expect_filters_at_work(side);
  if (effort.rewrites) {
    for (const auto& database : databases) database->rewrite();  // the first rewrite gets files from every level
    for (unsigned round = 0; round < effort.rounds; ++round) {
      for (std::size_t i = 0; i < databases.size(); ++i) {
        sides[i].rewrites.push_back(measure_cost([&] { databases[i]->rewrite(); }));
      }
    }
  }
  return sides;
}

}  // namespace crivo::bench
