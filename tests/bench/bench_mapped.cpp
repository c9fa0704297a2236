// The cost of a lookup in a mapped file: docs/benchmarks.md, "Files, threads and memory limits". Writes a filter of the
// given size to a file in the folder, queries it, and removes it. Prints CPU times.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "crivo/blob_file.h"
#include "crivo/mapped_filter.h"
#include "filters.h"
#include "measure.h"

namespace crivo::bench {
namespace {

constexpr int kRounds = 11;
constexpr std::size_t kBatch = 1000;

template <class T>
T value_of(Result<T> result) {
  if (!result.has_value()) {
    std::fprintf(stderr, "bench_mapped: %s\n", result.error().message.c_str());
    std::exit(1);
  }
  return *std::move(result);
}

/// Writes a blocked filter of about this many bytes, with ten bits per key.
void write_filter(const std::string& path, std::size_t bytes) {
  const std::size_t keys = bytes * 8 / 10;
  const auto filter =
      value_of(AnyFilter::build({.kind = Kind::kBlocked, .capacity = keys}, testing::random_hashes(keys, 1)));
  (void)value_of(write_blob_file(filter.ref(), path, BlobForm::kMappable));
}

/// Prints the median CPU time, which other programs affect least.
void row(const char* what, double per, const std::function<void()>& work) {
  std::vector<double> times;
  for (int round = 0; round < kRounds; ++round) {
    const double start = processor_seconds();
    work();
    times.push_back((processor_seconds() - start) * 1e9 / per);
  }
  std::printf("%-66s %12.1f ns\n", what, median(times));
}

std::size_t ask_one_by_one(const auto& filter, const std::vector<std::uint64_t>& hashes) {
  std::size_t found = 0;
  for (const std::uint64_t hash : hashes) {
    if constexpr (requires { *filter.may_contain_hash(hash); }) {
      found += *filter.may_contain_hash(hash);
    } else {
      found += filter.may_contain_hash(hash);
    }
  }
  return found;
}

void ask_in_batches(const auto& filter, const std::vector<std::uint64_t>& hashes, bool* hits) {
  for (std::size_t from = 0; from + kBatch <= hashes.size(); from += kBatch) {
    (void)filter.may_contain_hashes({hashes.data() + from, kBatch}, {hits, kBatch});
  }
}

void compare(const std::string& path) {
  const MapOptions trusting{.limits = {}, .file_may_change = false};
  const auto hashes = testing::random_hashes(1'000'000, 2);
  const auto hits = std::make_unique<bool[]>(kBatch);
  const auto count = static_cast<double>(hashes.size());
  row("open", 1, [&] { (void)value_of(MappedFilter::open(path)); });
  row("open and ask one question", 1, [&] { (void)*value_of(MappedFilter::open(path)).may_contain_hash(hashes[0]); });
  row("open and verify all", 1, [&] { (void)value_of(MappedFilter::open(path)).verify(); });
  row("open and ask 1000 questions, each of a segment not yet verified", 1000, [&] {
    const auto fresh = value_of(MappedFilter::open(path));
    for (std::size_t i = 0; i < 1000; ++i) (void)fresh.may_contain_hash(hashes[i]);
  });
  const auto some = value_of(MappedFilter::open(path, trusting));
  (void)ask_one_by_one(some, hashes);
  row("a question while some segments are not verified, no look at the file", count,
      [&] { (void)ask_one_by_one(some, hashes); });
  const auto mapped = value_of(MappedFilter::open(path));
  const auto trusted = value_of(MappedFilter::open(path, trusting));
  const FilterRef whole = value_of(mapped.whole());
  (void)trusted.verify();
  row("a question", count, [&] { (void)ask_one_by_one(mapped, hashes); });
  row("a question, no look at the file", count, [&] { (void)ask_one_by_one(trusted, hashes); });
  row("a question to the FilterRef", count, [&] { (void)ask_one_by_one(whole, hashes); });
  row("a question in a batch of 1000", count, [&] { ask_in_batches(mapped, hashes, hits.get()); });
  row("a question in a batch of 1000, no look at the file", count,
      [&] { ask_in_batches(trusted, hashes, hits.get()); });
  row("a question in a batch of 1000 to the FilterRef", count, [&] { ask_in_batches(whole, hashes, hits.get()); });
}

}  // namespace
}  // namespace crivo::bench

int main(int argc, char** argv) {
  double megabytes = 100;
  std::string folder = "/tmp";
  CLI::App app("A filter in a mapped file", "bench_mapped");
  app.add_option("MEGABYTES", megabytes, "the filter's size (default 100)");
  app.add_option("FOLDER", folder, "where its file lies (default /tmp)");
  CLI11_PARSE(app, argc, argv);
  const std::string path = folder + "/bench_mapped.crivo";
  crivo::bench::write_filter(path, static_cast<std::size_t>(megabytes * 1e6));
  crivo::bench::compare(path);
  std::remove(path.c_str());
}
