// Compares the figures of one run with Crivo's targets: the last table of `./dev bench filters`.
#pragma once

#include "filter_rows.h"
#include "rate_sweep.h"

namespace crivo::bench {

/// The targets' numbers, names and limits are those of docs/benchmarks/targets.csv. Speed is compared with the RocksDB
/// filters whose names begin with `baseline`, which is empty if there are none.
void print_targets(const std::vector<SizeRows>& sizes, const std::vector<RatePoint>& rates,
                   const std::string& baseline);

}  // namespace crivo::bench
