// Builds the filter of one extract while a file is written.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "crivo/types.h"
#include "scan/extract.h"

namespace crivo::plugin {

/// How the filters of a file are built.
struct SectionSpec {
  Kind kind = Kind::kRibbon;
  double fp_rate = 0.01;
  std::uint64_t max_bytes = 65536;
  unsigned range_length = 1;
};

class Section {
 public:
  Section(Extract extract, const SectionSpec& spec) : extract_(std::move(extract)), spec_(spec) {
    if (extract_.kind == Extract::Kind::kRange) spec_.kind = Kind::kRange;
  }

  [[nodiscard]] const std::string& name() const noexcept { return extract_.name; }

  /// Adds the key's values. `known` is the length of the prefix shared with the previous key. Throws what the extract's
  /// function throws, and std::bad_alloc: then call give_up().
  void add(const rocksdb::Slice& key, std::size_t known);
  /// Frees the memory. There will be no filter.
  void give_up(std::string_view why, std::string_view detail = {}) noexcept;

  /// The filter as an SST block (docs/format.md) of at most `max_bytes` bytes; no value after give_up(), or if it does
  /// not fit. Call it once. Throws std::bad_alloc.
  [[nodiscard]] std::optional<std::string> finish(std::uint64_t max_bytes);

  /// The result: "ribbon, 812 values, 940 bytes", or why there is no filter.
  [[nodiscard]] const std::string& report() const noexcept { return report_; }

 private:
  void add_hash(std::uint64_t hash);

  Extract extract_;
  SectionSpec spec_;
  std::vector<std::uint64_t> hashes_;
  bool given_up_ = false;
  std::string report_;
};

}  // namespace crivo::plugin
