// The ribbon filter: it is built once from all its keys, and its size is within a percent of the information limit.
// Paper: Dillinger, Huebschle-Schneider, Sanders & Walzer 2022, "Fast Succinct Retrieval and Approximate Membership
// Using Ribbon". See ribbon_layout.h for how it works.
#pragma once

#include "kinds/kind.h"

namespace crivo {

struct Ribbon {
  static constexpr Kind kKind = Kind::kRibbon;
  static constexpr std::string_view kName = "ribbon";
  static constexpr const char* kUnitName = "number of words";

  static Result<Shape> plan(const FilterSpec& spec);
  static Result<std::uint64_t> payload_bytes(const Shape& shape);
  static Result<void> validate(const View& view);
  static Probe probe(const Shape& shape) noexcept;
  static bool admit_open(const View& view, ByteGate& gate);
  static bool admit_question(const View& view, std::uint64_t hash, ByteGate& gate);
  static void prepare(View& view) noexcept;
  static Stats stats(const View& view) noexcept;
  static double predicted_fp_rate(const View& view, double keys) noexcept;
  static double promised_fp_rate(const View& view) noexcept;
  static Result<AlignedBytes> build(Shape& shape, std::unique_ptr<HashSource> hashes, std::uint64_t max_bytes,
                                    BuildTask& task);
};

}  // namespace crivo
