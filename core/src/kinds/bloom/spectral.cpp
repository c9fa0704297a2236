// The spectral Bloom filter counts how often a key was added. It has counters instead of bits. The count of a key is
// the smallest of its k counters. Adding a key increments only the smallest of them ("minimum increase"), because
// larger counters also count other keys. This makes counts much more accurate, but keys cannot be removed.
// Paper: Cohen & Matias 2003, "Spectral Bloom filters". Estan & Varghese 2002 call the rule conservative update.
#include <bit>

#include "base/error_text.h"
#include "crivo/host/bytes.h"
#include "kinds/bloom/counter_array.h"
#include "kinds/bloom/pages.h"
#include "kinds/bloom/position_tests.h"
#include "kinds/bloom/positions.h"
#include "kinds/bloom/shape.h"
#include "kinds/bloom/sizes.h"
#include "kinds/checks.h"
#include "kinds/kind.h"
#include "kinds/probe_key.h"

namespace crivo {
namespace {

// With 32-bit counters, this limit gives 2^47 bytes, the largest power of two in the header's 48-bit field.
constexpr std::uint64_t kMaxCounters = std::uint64_t{1} << 45;

bool is_counter_width(unsigned bits) noexcept { return bits == 4 || bits == 8 || bits == 16 || bits == 32; }

std::uint64_t load_counter(const View& view, const CounterPlace& place) noexcept {
  return place.load(view.payload + place.byte, view.shape.param);
}

bool is_above_zero(const View& view, std::uint64_t counter) noexcept {
  return load_counter(view, CounterPlace(counter, view.shape.param)) != 0;
}

void contains_batch(const View& view, const std::uint64_t* hashes, std::size_t count, bool* hits) noexcept {
  pass_batch<&is_above_zero>(view, view.shape.param, hashes, count, hits);
}

std::uint64_t count_of(const View& view, std::uint64_t hash) noexcept {
  return smallest_counter(view.shape, view.shape.param, hash,
                          [&view](const CounterPlace& place) { return load_counter(view, place); });
}

void add_key(const Store& store, std::uint64_t hash, std::uint64_t times) noexcept {
  const View view = store.view();
  std::byte* const payload = store.payload.data();
  raise_smallest(
      view.shape, view.shape.param, hash, count_of(view, hash), times,
      [&view](const CounterPlace& place) { return load_counter(view, place); },
      [payload](const CounterPlace& place, std::uint64_t by) { place.raise(payload + place.byte, by); });
}

/// The number of nonzero counters in a word: the bits of each counter are ORed into its lowest bit.
unsigned counters_above_zero(std::uint64_t word, unsigned width) noexcept {
  for (unsigned shift = 1; shift < width; shift *= 2) word |= word >> shift;
  const std::uint64_t lowest_bits = ~std::uint64_t{0} / largest_count(width);
  return static_cast<unsigned>(std::popcount(word & lowest_bits));
}

struct Spectral {
  static constexpr Kind kKind = Kind::kSpectral;
  static constexpr std::string_view kName = "spectral";
  static constexpr bool kOnlyPaddingIsValidated = true;
  static constexpr const char* kUnitName = "number of counters";
  static constexpr std::string_view kOption = "counter bits: 4, 8, 16 or 32";
  static unsigned option_of(const Shape& shape) noexcept { return shape.param; }
  static bool set_option(FilterSpec& spec, std::string_view text) {
    return read_option(spec.counter_bits, FilterSpec().counter_bits, text);
  }
  static std::string option_text(const FilterSpec& spec) { return std::to_string(spec.counter_bits); }

  static Result<Shape> plan(const FilterSpec& spec) {
    const unsigned width = spec.counter_bits;
    if (!is_counter_width(width)) return bad_argument("counter bits must be one of 4, 8, 16, 32, got ", width);
    Result<Shape> shape = plan_by_size(spec, kKind, 1.0, &size_classic, &best_classic_probes, width);
    if (shape) shape->param = static_cast<std::uint16_t>(width);
    return shape;
  }

  static Result<std::uint64_t> payload_bytes(const Shape& shape) {
    Shape without_width = shape;  // check_shape() requires a parameter of 0
    without_width.param = 0;
    if (auto valid = check_shape(without_width, kMaxClassicProbes, kMaxCounters, kUnitName); !valid)
      return valid.error();
    if (!is_counter_width(shape.param)) {
      return corrupt("counter bits must be one of 4, 8, 16, 32, got ", unsigned{shape.param});
    }
    return (shape.units * shape.param + 63) / 64 * 8;
  }

  static Result<void> validate(const View& view) { return check_padding(view, view.shape.units * view.shape.param); }
  static unsigned position_bits(const Shape& shape) noexcept { return shape.param; }
  static bool admit_query(const View& view, std::uint64_t hash, ByteGate& gate) {
    return admit_positions(view, view.shape.param, hash, gate);
  }
  static Probe probe(const Shape&) noexcept { return kProbeOf<&passes<&is_above_zero>, &contains_batch>; }

  /// Stats::bits is the number of counters, and Stats::bits_set the number of counters above 0.
  static Stats stats(const View& view) noexcept {
    std::uint64_t set = 0;
    for (std::size_t i = 0; i < view.payload_bytes; i += 8) {
      set += counters_above_zero(load_le<std::uint64_t>(view.payload + i), view.shape.param);
    }
    return stats_of_positions(view.shape, set);
  }

  static double predicted_fp_rate(const Shape& shape, double keys) noexcept {
    return classic_fp_rate(static_cast<double>(shape.units), keys, shape.k);
  }

  static Result<void> add(Store store, std::span<const std::uint64_t> hashes, std::uint64_t& added) {
    for (const std::uint64_t hash : hashes) add_key(store, hash, 1);
    added += hashes.size();
    return {};
  }

  static std::uint64_t count(const View& view, std::uint64_t hash) noexcept { return count_of(view, hash); }

  static Result<void> add_times(Store store, std::uint64_t hash, std::uint64_t times, std::uint64_t& added) {
    add_key(store, hash, times);
    added += times;
    return {};
  }
};

}  // namespace

constinit const KindRow kSpectral = make_row<Spectral>(&kPagingOf<KeyCounters<Spectral>>);

}  // namespace crivo
