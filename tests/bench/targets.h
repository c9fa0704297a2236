// What we set out to reach, judged by the figures of one run: the closing table of `./dev bench filters`.
#pragma once

#include <string>
#include <vector>

#include "filter_rows.h"
#include "rate_sweep.h"

namespace crivo::bench {

/// The targets' numbers, names and limits are those of docs/benchmarks.md, "Targets". `baseline` is what the names of
/// RocksDB's filters start with that speed is judged against; empty when there is none that compares.
void print_targets(const std::vector<SizeRows>& sizes, const std::vector<RatePoint>& rates,
                   const std::string& baseline);

}  // namespace crivo::bench
