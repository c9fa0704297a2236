// Describes the filters whose bytes are committed in blobs/. The writer and the test build them from this description.
#pragma once

#include "crivo/sketch.h"
#include "filters.h"

namespace crivo::testing {

/// The form of a filter in a golden file.
enum class GoldenForm { kRaw, kSums, kZstd, kGap, kSst, kSstTransform };

struct GoldenFile {
  std::string name;  // "classic-100.raw"
  FilterSpec spec;
  std::uint64_t n;
  GoldenForm form;
  std::string key_transform = {};  // for the form kSstTransform
};

/// One file per kind (and for ribbons of width 32), number of keys and form. Specs never change; new kinds add files.
[[nodiscard]] std::vector<GoldenFile> golden_files();

/// An exact filter knows this number of absent keys for each present key. They start at absent key 0.
inline constexpr std::uint64_t kGoldenOthers = 20;
/// The filter of a file, built by the current code from the present keys 0 ... n - 1. The first quarter is added twice.
[[nodiscard]] AnyFilter golden_filter(const GoldenFile& file);
/// The file's bytes as the current code writes them.
[[nodiscard]] Bytes golden_bytes(const GoldenFile& file);

/// A sketch whose bytes are in sketches/. It has the present keys 0 ... n - 1, or multiples of an odd number as
/// integers.
struct GoldenSketch {
  std::string name;  // "hashes-100"
  SketchSpec spec;
  std::uint64_t n;
};
[[nodiscard]] std::vector<GoldenSketch> golden_sketches();
[[nodiscard]] Bytes golden_bytes(const GoldenSketch& sketch);

}  // namespace crivo::testing
