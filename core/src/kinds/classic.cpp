#include "kinds/classic.h"

#include "base/bit_array.h"
#include "base/error_text.h"
#include "kinds/plan.h"
#include "kinds/position_stats.h"
#include "layout/positions.h"
#include "simd/probe_key.h"
#include "sizing/bloom.h"
#include "sizing/compressed.h"

namespace crivo {
namespace {

constexpr unsigned kCompressed = 1;  // the only FilterSpec::option but the default
constexpr std::uint64_t kMaxBits = std::uint64_t{1} << 46;

bool test_bit(const std::byte* payload, std::uint64_t position) noexcept {
  return (std::to_integer<unsigned>(payload[position >> 3]) >> (position & 7) & 1) != 0;
}

bool contains(const View& view, std::uint64_t hash) noexcept {
  Positions positions(hash, view.shape.units);
  for (unsigned i = 0; i < view.shape.probes; ++i) {
    if (!test_bit(view.payload, positions.next())) return false;
  }
  return true;
}

void contains_batch(const View& view, const std::uint64_t* hashes, std::size_t count, bool* hits) noexcept {
  contains_by_batches<&contains>(view, 1, hashes, count, hits);
}

}  // namespace

std::optional<unsigned> Classic::parse_option(std::string_view text) {
  return text == kOption ? std::optional(kCompressed) : std::nullopt;
}
std::string Classic::option_text(unsigned option) { return option == kCompressed ? std::string(kOption) : ""; }

Result<Shape> Classic::plan(const FilterSpec& spec) {
  if (spec.option > kCompressed) {
    return error(ErrorCode::kBadArgument, "option of classic must be 0 or 1 (compressed), got ", spec.option);
  }
  if (spec.option != kCompressed) return plan_by_size(spec, kKind, 1.0, &size_classic, &best_classic_probes);
  const Result<FilterSize> size = spec.bits_per_key ? size_compressed_by_bits(spec.capacity, *spec.bits_per_key)
                                                    : size_compressed(spec.capacity, spec.fp_rate);
  if (!size) return size.error();
  Shape shape;
  shape.kind = kKind;
  shape.seed = spec.seed;
  shape.units = size->units;
  shape.probes = static_cast<std::uint8_t>(size->probes);
  return shape;
}

Result<std::uint64_t> Classic::payload_bytes(const Shape& shape) {
  if (auto valid = check_shape(shape, kMaxClassicProbes, kMaxBits, "number of bits"); !valid) return valid.error();
  return (shape.units + 63) / 64 * 8;
}

Result<void> Classic::validate(const View& view) { return check_padding(view, view.shape.units); }

unsigned Classic::position_bits(const Shape&) noexcept { return 1; }

Probe Classic::probe(const Shape&) noexcept { return {&contains, &contains_key<&contains>, &contains_batch}; }

Stats Classic::stats(const View& view) noexcept {
  return stats_of_positions(view.shape, count_bits({view.payload, view.payload_bytes}));
}

double Classic::predicted_fp_rate(const Shape& shape, double keys) noexcept {
  return classic_fp_rate(static_cast<double>(shape.units), keys, shape.probes);
}

std::uint64_t Classic::bit_array_bits(const Shape& shape) noexcept { return shape.units; }

Result<void> Classic::add(Store store, std::span<const std::uint64_t> hashes, std::uint64_t& added) {
  for (const std::uint64_t hash : hashes) {
    Positions positions(hash, store.shape.units);
    for (unsigned i = 0; i < store.shape.probes; ++i) {
      const std::uint64_t position = positions.next();
      store.payload[position >> 3] |= static_cast<std::byte>(1U << (position & 7));
    }
  }
  added += hashes.size();
  return {};
}

void Classic::unite(Store into, const View& other) noexcept { or_into(into.payload, other.payload); }
void Classic::intersect(Store into, const View& other) noexcept { and_into(into.payload, other.payload); }

}  // namespace crivo
