// Prints the tables of rocksdb_section.h.
#include <cstdio>
#include <sstream>

#include "rocksdb_section.h"

namespace crivo::bench {
namespace {

double wall(const Cost& cost) { return cost.wall; }
double cpu(const Cost& cost) { return cost.cpu; }

std::vector<double> figures(const std::vector<Cost>& costs, double (*figure)(const Cost&)) {
  std::vector<double> rounds;
  for (const Cost& cost : costs) rounds.push_back(figure(cost));
  return rounds;
}

void print_costs(const char* what, const std::vector<Side>& sides, std::vector<Cost> (*costs_of)(const Side&)) {
  std::printf("\n%-33s %8s %7s %8s %7s\n", what, "wall s", "ratio", "CPU s", "ratio");
  for (const Side& side : sides) {
    const std::vector<Cost> ours = costs_of(side);
    const std::vector<Cost> first = costs_of(sides.front());
    std::printf("%-33s %8.2f %7.3f %8.2f %7.3f\n", side.rival.label.c_str(), quantile(figures(ours, wall), 0.5),
                median_ratio(figures(ours, wall), figures(first, wall)), quantile(figures(ours, cpu), 0.5),
                median_ratio(figures(ours, cpu), figures(first, cpu)));
  }
}

void print_memory(const std::vector<Side>& sides) {
  std::printf("%-33s %9s %10s   %s\n", "", "filter MB", "bits/key", "keys by level");
  for (const Side& side : sides) {
    std::printf("%-33s %9.3f %10.3f   %s\n", side.rival.label.c_str(),
                1e-6 * static_cast<double>(side.tree.filter_bytes()), side.tree.bits_per_key(),
                side.tree.text().c_str());
  }
}

void print_workload(const char* workload, const std::vector<Side>& sides) {
  std::printf("\n%-33s %8s %7s %8s %7s %8s %8s %8s %8s %8s %8s\n", workload, "1000/s", "ratio", "CPU us", "ratio",
              "p50 us", "p99 us", "reads", "useful", "maybe", "true");
  for (const Side& side : sides) {
    const auto median = [&](double (*figure)(const Asked&)) { return quantile(side.figures(workload, figure), 0.5); };
    const auto ratio = [&](double (*figure)(const Asked&)) {
      return median_ratio(side.figures(workload, figure), sides.front().figures(workload, figure));
    };
    const Counters counted = side.counters(workload);
    std::printf("%-33s %8.1f %7.3f %8.3f %7.3f %8.2f %8.2f %8.1f %8.1f %8.1f %8.1f\n", side.rival.label.c_str(),
                median(thousands_per_second), ratio(thousands_per_second), median(cpu_microseconds),
                ratio(cpu_microseconds), median([](const Asked& asked) { return asked.p50; }),
                median([](const Asked& asked) { return asked.p99; }), counted.per_thousand(counted.data_reads),
                counted.per_thousand(counted.useful), counted.per_thousand(counted.positive),
                counted.per_thousand(counted.true_positive));
  }
}

}  // namespace

void print_section(const std::string& title, const std::vector<Side>& sides) {
  std::printf("\n== %s\n", title.c_str());
  print_memory(sides);
  print_costs("fill, with its compactions", sides, [](const Side& side) { return std::vector{side.fill}; });
  if (!sides.front().rewrites.empty()) {
    print_costs("every file written once more", sides, [](const Side& side) { return side.rewrites; });
  }
  for (const Workload& workload : kWorkloads) print_workload(workload.name, sides);
  std::fflush(stdout);
}

void print_target_7(const std::vector<Side>& sides) {
  constexpr const char* kAbsent = kWorkloads[0].name;
  const Side& bloom = sides.front();
  std::printf("\n%-33s %19s %25s %23s\n", "T7, ratios over RocksDB Bloom", "filter memory: 0.70",
              "files written: 1.03, CPU", "get absent: >= 1.0, CPU");
  for (const Side& side : sides) {
    const auto get = [&](double (*figure)(const Asked&)) {
      return median_ratio(side.figures(kAbsent, figure), bloom.figures(kAbsent, figure));
    };
    const auto rewrite = [&](double (*figure)(const Cost&)) {
      return median_ratio(figures(side.rewrites, figure), figures(bloom.rewrites, figure));
    };
    std::printf("%-33s %19.3f %16.3f %8.3f %14.3f %8.3f\n", side.rival.label.c_str(),
                side.tree.bits_per_key() / bloom.tree.bits_per_key(), rewrite(wall), rewrite(cpu),
                get(thousands_per_second), get(cpu_microseconds));
  }
  std::fflush(stdout);
}

std::string section_csv_header() {
  return "section,filter,bits_per_key,fill_s,fill_cpu_s,rewrite_cpu_ratio,workload,thousands_per_s,cpu_us,p50_us,"
         "p99_us,reads,hits,metadata_reads,useful,maybe,true";
}

std::string section_csv(const std::string& section, const std::vector<Side>& sides) {
  std::ostringstream lines;
  for (const Side& side : sides) {
    const double rewrite =
        side.rewrites.empty() ? 0 : median_ratio(figures(side.rewrites, cpu), figures(sides.front().rewrites, cpu));
    for (const Workload& workload : kWorkloads) {
      const auto median = [&](double (*figure)(const Asked&)) {
        return quantile(side.figures(workload.name, figure), 0.5);
      };
      const Counters counted = side.counters(workload.name);
      lines << section << ",\"" << side.rival.label << "\"," << side.tree.bits_per_key() << ',' << side.fill.wall << ','
            << side.fill.cpu << ',' << rewrite << ',' << workload.name << ',' << median(thousands_per_second) << ','
            << median(cpu_microseconds) << ',' << median([](const Asked& asked) { return asked.p50; }) << ','
            << median([](const Asked& asked) { return asked.p99; });
      for (const std::uint64_t count : {counted.data_reads, counted.data_hits, counted.metadata_reads, counted.useful,
                                        counted.positive, counted.true_positive}) {
        lines << ',' << counted.per_thousand(count);
      }
      lines << '\n';
    }
  }
  return lines.str();
}

}  // namespace crivo::bench
