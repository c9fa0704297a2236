// The filters whose bytes are committed in blobs/: what they are, so that both the writer and the test can build them.
#pragma once

#include "crivo/sketch.h"
#include "filters.h"

namespace crivo::testing {

/// How a filter is stored in a golden file.
enum class GoldenForm { kRaw, kSums, kZstd, kGap, kSst, kSstTransform };

struct GoldenFile {
  std::string name;  // "classic-100.raw"
  FilterSpec spec;
  std::uint64_t n;
  GoldenForm form;
  std::string key_transform = {};  // the name in a block of the form kSstTransform
};

/// One file per kind (and for ribbons of width 32), number of keys and form. The specs never change; a new kind or
/// form adds files.
[[nodiscard]] std::vector<GoldenFile> golden_files();

/// The other keys that an exact filter knows of for each present one, absent keys from 0 on.
inline constexpr std::uint64_t kGoldenOthers = 20;
/// The filter of a file, built by the code as it is today: present keys 0 ... n - 1, the first quarter of them twice.
[[nodiscard]] AnyFilter golden_filter(const GoldenFile& file);
/// Its bytes as the code would write them today.
[[nodiscard]] Bytes golden_bytes(const GoldenFile& file);

/// A sketch whose bytes are committed in sketches/: of the present keys 0 ... n - 1 or, of integers, of multiples of
/// an odd number.
struct GoldenSketch {
  std::string name;  // "hashes-100"
  SketchSpec spec;
  std::uint64_t n;
};
[[nodiscard]] std::vector<GoldenSketch> golden_sketches();
[[nodiscard]] Bytes golden_bytes(const GoldenSketch& sketch);

}  // namespace crivo::testing
