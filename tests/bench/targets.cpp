#include "targets.h"

#include <cmath>
#include <cstdio>

namespace crivo::bench {
namespace {

const char* const kRibbon = "crivo ribbon 1%";

void line(const char* target, const std::string& what, double value, double limit, const std::string& note = "",
          bool at_most = true) {
  const bool pass = at_most ? value <= limit : value >= limit;
  std::printf("%-4s %-62s %7.3f  %s %5.3f  %s%s\n", target, what.c_str(), value, at_most ? "<=" : ">=", limit,
              pass ? "pass" : "miss", note.c_str());
}

std::string at(std::uint64_t keys) {
  char text[32];
  std::snprintf(text, sizeof text, "1e%g keys", std::log10(static_cast<double>(keys)));
  return text;
}

/// The bits per key of a ribbon that mixes the two column counts around this rate.
double two_column_bound(double rate) {
  const double columns = std::floor(-std::log2(rate));
  return columns + 2 * (1 - std::ldexp(rate, static_cast<int>(columns)));
}

bool is_power_of_two(double rate) {
  int exponent = 0;
  return std::frexp(rate, &exponent) == 0.5;
}

struct SizeLimit {
  const char* what;
  double bits;  // the limit is `factor` times this
  double factor;
};

SizeLimit size_limit(const RatePoint& point) {
  const double entropy = -std::log2(point.asked);
  if (point.keys < 100'000) return {"of the limit", entropy, 1.05};
  if (is_power_of_two(point.asked)) return {"of the limit", entropy, 1.005};
  if (point.asked == 0.01 || point.asked == 0.03 || entropy > 7) return {"of the limit", entropy, 1.016};
  return {"of two columns' bound", two_column_bound(point.asked), 1.005};
}

/// T1: the size of a ribbon, and its rate.
void judge_size(const RatePoint& point) {
  if (point.filter != "ribbon") return;
  const SizeLimit limit = size_limit(point);
  char rate[32];
  std::snprintf(rate, sizeof rate, "%.4g%%", 100 * point.asked);
  line("T1", "ribbon bits/key at " + std::string(rate) + ", " + at(point.keys) + ", " + limit.what,
       point.bits_per_key / limit.bits, limit.factor);
  // A filter with at most its requested rate exceeds this bound once in a million measurements.
  const double noise = 4.75 * std::sqrt(point.asked * (1 - point.asked) / kRateQueries);
  if (point.measured > point.asked + noise) {
    line("T1", "rate at " + std::string(rate) + ", " + at(point.keys) + ", over the one asked for",
         point.measured / point.asked, 1 + noise / point.asked);
  }
}

double limit_at(std::uint64_t keys, double at_1e5, double at_1e6, double at_1e7) {
  return keys == 100'000 ? at_1e5 : keys == 1'000'000 ? at_1e6 : keys == 10'000'000 ? at_1e7 : 0;
}

struct Size {
  const SizeRows& rows;
  const std::string& baseline;

  void compare(const char* target, const char* ours, const std::string& theirs, const char* column,
               double limit) const {
    const Row* our_row = rows.find(ours);
    const Row* their_row = rows.find(baseline + " " + theirs);
    if (our_row == nullptr || their_row == nullptr || limit == 0) return;
    std::string note;
    if (const Row* floor = rows.find(kHashOnly)) {
      char text[64];
      std::snprintf(text, sizeof text, "  (%.3f without the hash)", net_ratio(*our_row, *their_row, *floor, column));
      note = text;
    }
    line(target, std::string(ours) + " / " + theirs + ", " + column + ", " + at(rows.keys),
         ratio(*our_row, *their_row, column), limit, note);
  }
};

/// T2 and T3: the ribbon's query and build times, and their stretch targets.
void judge_ribbon(const Size& size) {
  const std::uint64_t keys = size.rows.keys;
  for (const char* column : {"absent", "mixed", "present", "batch_absent"}) {
    size.compare("T2", kRibbon, "Ribbon 10", column, limit_at(keys, 0.30, 0.30, 0.36));
  }
  size.compare("T2*", kRibbon, "Bloom 10", "absent", limit_at(keys, 1, 1, 1));
  size.compare("T2*", kRibbon, "Bloom 10", "batch_absent", limit_at(keys, 1, 1, 1));
  size.compare("T3", kRibbon, "Ribbon 10", "build", limit_at(keys, 1.1, 0.5, 0.35));
  size.compare("T3*", kRibbon, "Ribbon 10", "build", limit_at(keys, 0, 0.35, 0));
}

/// T4: temporary memory, which is the same for both libraries' ribbons.
void judge_memory(const SizeRows& rows) {
  const Row* ours = rows.find(kRibbon);
  const Row* theirs = rows.find("RocksDB Ribbon 10");
  if (ours == nullptr || theirs == nullptr || limit_at(rows.keys, 1, 1, 1) == 0) return;
  line("T4", "crivo ribbon 1% / Ribbon 10, temporary memory, " + at(rows.keys),
       ours->temporary_bits_per_key / theirs->temporary_bits_per_key, 0.4);
}

/// T5: the blocked filter, alone and through the plugin.
void judge_blocked(const Size& size) {
  const std::uint64_t keys = size.rows.keys;
  for (const std::string bits : {"10", "16"}) {
    const std::string ours = "crivo blocked " + bits;
    size.compare("T5", ours.c_str(), "Bloom " + bits, "absent", limit_at(keys, 0.5, 0.5, 0.5));
    size.compare("T5", ours.c_str(), "Bloom " + bits, "batch_absent", limit_at(keys, 0.5, 0.5, 0.5));
    size.compare("T5", ours.c_str(), "Bloom " + bits, "build", limit_at(keys, 0.4, 0.4, 0.4));
    const Row* our_row = size.rows.find(ours);
    const Row* their_row = size.rows.find(size.baseline + " Bloom " + bits);
    if (our_row == nullptr || their_row == nullptr || their_row->rate == 0) continue;
    const double noise = 4.75 * std::sqrt(2 / (their_row->rate * kRateQueries));
    const std::string what = std::string(ours).append(" / Bloom ").append(bits).append(", rate, ").append(at(keys));
    line("T5", what, our_row->rate / their_row->rate, 1 + noise);
  }
  size.compare("T5", "plugin crivo.Bloom:10", "Bloom 10", "absent", limit_at(keys, 0.7, 0.7, 0.7));
  size.compare("T5", "plugin crivo.Bloom:10", "Bloom 10", "build", limit_at(keys, 0.7, 0.7, 0.7));
}

/// T6: filters that exceed every cache.
void judge_large(const Size& size) {
  if (size.rows.keys < 100'000'000) return;
  for (const char* name : {"crivo blocked 10", kRibbon}) {
    if (const Row* row = size.rows.find(name)) {
      line("T6", std::string(name) + ", one by one / batch, " + at(size.rows.keys),
           row->time("absent") / row->time("batch_absent"), 4, "", false);
    }
  }
  size.compare("T6", kRibbon, "Ribbon 10", "batch_absent", 0.6);
}

}  // namespace

void print_targets(const std::vector<SizeRows>& sizes, const std::vector<RatePoint>& rates,
                   const std::string& baseline) {
  std::printf(
      "\ntargets (docs/benchmarks/targets.csv); T2* and T3* are stretches; times are medians of the rounds' ratios;\n"
      "\"without the hash\": of what is left when the time of \"hash only\" is taken off both sides\n");
  for (const RatePoint& point : rates) judge_size(point);
  if (baseline.empty()) {
    std::printf("T2 T3 T5 T6: Debian build, not comparable; CRIVO_ROCKSDB_SRC names one that is\n");
  }
  for (const SizeRows& rows : sizes) {
    const Size size{rows, baseline};
    if (!baseline.empty()) judge_ribbon(size);
    judge_memory(rows);
    if (baseline.empty()) continue;
    judge_blocked(size);
    judge_large(size);
  }
  std::fflush(stdout);
}

}  // namespace crivo::bench
