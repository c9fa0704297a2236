// The scalable Bloom filter, for a number of keys that is not known beforehand. It is a series of layers, each a
// blocked filter. Keys go into the newest layer; when that is full, a new one is added, which is larger by the growth
// factor and has a lower rate. A key is in the filter if one of the layers has it. The rates of the layers fall so fast
// that their sum stays below the promised rate, however many layers there are.
// Paper: Almeida, Baquero, Preguica & Hutchison 2007, "Scalable Bloom filters".
#pragma once

#include "kinds/kind.h"

namespace crivo {

struct Scalable {
  static constexpr Kind kKind = Kind::kScalable;
  static constexpr std::string_view kName = "scalable";
  static constexpr const char* kUnitName = "number of blocks";
  static constexpr std::string_view kOption = "growth: 2 to 16";

  static std::optional<unsigned> parse_option(std::string_view text);
  static std::string option_text(unsigned option);
  static unsigned option_of(const Shape& shape) noexcept { return shape.param; }
  static Result<Shape> plan(const FilterSpec& spec);
  static Result<std::uint64_t> payload_bytes(const Shape& shape);
  static Result<void> validate(const View& view);
  static Probe probe(const Shape& shape) noexcept;
  static bool admit_open(const View& view, ByteGate& gate);
  static bool admit_question(const View& view, std::uint64_t hash, ByteGate& gate);
  static Stats stats(const View& view) noexcept;
  // NOLINTNEXTLINE(bugprone-exception-escape): the one Result is looked at before it is taken
  static double predicted_fp_rate(const View& view, double keys) noexcept;
  static double promised_fp_rate(const View& view) noexcept;
  static void start(Store store, const FilterSpec& spec);
  static void clear(Store store);
  static std::vector<LayerInfo> layers(const View& view);
  static Result<void> add_and_grow(Store store, std::span<const std::uint64_t> hashes, std::uint64_t& added,
                                   std::uint64_t max_bytes);
};

}  // namespace crivo
