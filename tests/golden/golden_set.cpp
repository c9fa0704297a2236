#include "golden_set.h"

#include <stdexcept>

namespace crivo::testing {
namespace {

/// Each n has its own seed, rate and options, so that few files cover many combinations.
FilterSpec spec_for(Kind kind, std::uint64_t n) {
  FilterSpec spec{.kind = kind};
  spec.capacity = n + n / 4 + 1;  // includes the repeated quarter, for kinds that keep every copy
  switch (n) {
    case 0:
      break;
    case 1:
      spec.fp_rate = 0.001;
      spec.seed = 1;
      break;
    case 100:
      spec.fp_rate = 1e-5;  // more than 8 probes for blocked, so that the filter has both halves of its positions
      spec.seed = std::uint64_t{1} << 63;
      if (kind == Kind::kSpectral) spec.counter_bits = 16;
      if (kind == Kind::kScalable) spec.growth = 4;
      if (kind == Kind::kRange) spec.range_length = 64;
      if (kind == Kind::kWindow) spec.panes = 24;
      break;
    default:
      spec.seed = 0x0123456789ABCDEF;
      if (kind == Kind::kExact) spec.fp_rate = 1;  // the smallest possible filter
      if (kind == Kind::kSpectral) spec.counter_bits = 4;
  }
  if (kind == Kind::kCuckoo) spec.capacity = 2 * n + 1;     // copies of a key fill its two buckets
  if (kind == Kind::kScalable) spec.capacity = n / 20 + 1;  // so that the filter has several layers
  return spec;
}

const char* suffix(GoldenForm form) {
  switch (form) {
    case GoldenForm::kRaw:
      return ".raw";
    case GoldenForm::kSums:
      return ".sums";
    case GoldenForm::kZstd:
      return ".zstd";
    case GoldenForm::kGap:
      return ".gap";
    case GoldenForm::kSst:
      return ".sst";
    case GoldenForm::kSstTransform:
      return ".transform.sst";
  }
  throw std::logic_error("no such form");
}

/// A window that got the first half of its keys in March 2024, and the others six hours later.
Result<AnyFilter> build_window(const FilterSpec& spec, std::span<const std::uint64_t> hashes, std::uint64_t first) {
  constexpr std::int64_t kFirst = 1'709'251'200'000;
  constexpr std::int64_t kLater = kFirst + 21'600'000;
  AnyFilter filter = *AnyFilter::create(spec);
  for (const auto& [time, part] : {std::pair(kFirst, hashes.first(first)), std::pair(kLater, hashes.subspan(first))}) {
    if (auto set = filter.advance(time); !set) return set.error();
    if (auto added = filter.add_hashes(part); !added) return added.error();
  }
  return filter;
}

}  // namespace

std::vector<GoldenFile> golden_files() {
  std::vector<GoldenFile> files;
  for (const std::uint64_t n : {0U, 1U, 100U, 10'000U}) {
    FilterSpec narrow = spec_for(Kind::kRibbon, n);
    narrow.ribbon_width = 32;
    for (const GoldenForm form : {GoldenForm::kRaw, GoldenForm::kSums, GoldenForm::kZstd, GoldenForm::kSst}) {
      files.push_back({"ribbon32-" + std::to_string(n) + suffix(form), narrow, n, form});
    }
  }
  for (const KindInfo& info : kinds()) {
    for (const std::uint64_t n : {0U, 1U, 100U, 10'000U}) {
      const auto add = [&](const FilterSpec& spec, GoldenForm form) {
        files.push_back({std::string(info.name) + "-" + std::to_string(n) + suffix(form), spec, n, form});
      };
      add(spec_for(info.kind, n), GoldenForm::kRaw);
      if (n >= 100) add(spec_for(info.kind, n), GoldenForm::kSums);  // one segment, and several
      add(spec_for(info.kind, n), GoldenForm::kZstd);
      if (n <= 100) add(spec_for(info.kind, n), GoldenForm::kSst);
      if (n <= 100 && (info.kind == Kind::kBlocked || info.kind == Kind::kRibbon)) {  // as the plugin writes
        add(spec_for(info.kind, n), GoldenForm::kSstTransform);
        files.back().key_transform = n == 0 ? "a" : n == 1 ? "drop_suffix:8" : std::string(32, 'z');
      }
      if (info.kind != Kind::kClassic && info.kind != Kind::kBlocked) continue;
      FilterSpec sparse = spec_for(info.kind, n);
      sparse.capacity *= 4;
      add(sparse, GoldenForm::kGap);
    }
  }
  return files;
}

AnyFilter golden_filter(const GoldenFile& file) {
  auto hashes = present_hashes(file.n, file.spec.seed);
  const auto repeated = present_hashes(file.n / 4, file.spec.seed);
  hashes.insert(hashes.end(), repeated.begin(), repeated.end());
  auto filter = file.spec.kind == Kind::kExact
                    ? build_exact(file.spec, hashes, absent_hashes(kGoldenOthers * file.n, file.spec.seed))
                : file.spec.kind == Kind::kWindow ? build_window(file.spec, hashes, file.n / 2)
                                                  : build_from(file.spec, hashes);
  if (!filter) throw std::runtime_error(file.name + ": " + filter.error().message);
  return *std::move(filter);
}

Bytes golden_bytes(const GoldenFile& file) {
  const AnyFilter filter = golden_filter(file);
  switch (file.form) {
    case GoldenForm::kRaw:
      return blob_of(filter.ref());
    case GoldenForm::kSums:
      return blob_of(filter.ref(), BlobForm::kMappable);
    case GoldenForm::kZstd:
      return zstd_blob_of(filter.ref());
    case GoldenForm::kGap:
      return blob_of(filter.ref(), BlobForm::kAuto);
    case GoldenForm::kSst:
    case GoldenForm::kSstTransform:
      return sst_block_of(filter.ref(), file.key_transform);
  }
  throw std::logic_error("no such form");
}

std::vector<GoldenSketch> golden_sketches() {
  const auto named = [](const std::string& keys, std::uint64_t n, SketchSpec spec) {
    (void)choose_sketch_keys(spec, keys);
    return GoldenSketch{keys.substr(0, keys.find(':')) + "-" + std::to_string(n), spec, n};
  };
  return {named("hashes", 0, {.symbols = 1}), named("hashes", 10'000, {.symbols = 300, .seed = 0x0123456789ABCDEF}),
          named("integers", 100, {.symbols = 200, .first = 50, .seed = 1}), named("bytes:1", 1, {.symbols = 20}),
          named("bytes:21", 100, {.symbols = 100, .seed = std::uint64_t{1} << 63}),
          // The last symbols of a sketch.
          named("bytes:32", 1000, {.symbols = 3, .first = kMaxSketchSymbols - 3})};
}

Bytes golden_bytes(const GoldenSketch& sketch) {
  Sketch made = *Sketch::create(sketch.spec);
  for (std::uint64_t i = 0; i < sketch.n; ++i) {
    const std::uint64_t number = i * 0x9E3779B97F4A7C15;
    std::string key = present_key(i);
    if (sketch.spec.keys == SketchKeys::kBytes) key.resize(sketch.spec.key_bytes);
    const auto added = sketch.spec.keys == SketchKeys::kIntegers ? made.add_numbers({&number, 1}) : made.add(key);
    if (!added) throw std::runtime_error(sketch.name + ": " + added.error().message);
  }
  return made.to_blob();
}

}  // namespace crivo::testing
