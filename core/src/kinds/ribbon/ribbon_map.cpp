// A static map: a ribbon whose equations give each key's value and, above it, check bits of the key's fingerprint. An
// absent key gets an arbitrary value; c check bits detect all but 2^-c of absent keys. No key is stored, so the map is
// built once, from all pairs. Dillinger, Huebschle-Schneider, Sanders & Walzer 2022 call this retrieval (layout.h).
#include <algorithm>
#include <cmath>

#include "base/error_text.h"
#include "crivo/host/bytes.h"
#include "kinds/checks.h"
#include "kinds/collisions.h"
#include "kinds/isa.h"
#include "kinds/kind.h"
#include "kinds/ribbon/build.h"
#include "kinds/ribbon/kernels.h"
#include "kinds/ribbon/layout.h"
#include "kinds/ribbon/payload.h"
#include "kinds/ribbon/sizes.h"

namespace crivo {
namespace {

constexpr unsigned kMaxCheckBits = 32;

RibbonForm form_of(unsigned columns) noexcept { return {kWideRibbon, columns * std::uint64_t{kRibbonShares}}; }

struct Map {
  static constexpr Kind kKind = Kind::kMap;
  static constexpr std::string_view kName = "map";
  static constexpr const char* kUnitName = "number of words";
  static constexpr std::string_view kOption = "value bits: 1 to 32";
  static unsigned option_of(const Shape& shape) noexcept { return shape.param; }
  static bool set_option(FilterSpec& spec, std::string_view text) {
    return read_option(spec.value_bits, FilterSpec().value_bits, text);
  }
  static std::string option_text(const FilterSpec& spec) {
    return spec.value_bits == 0 ? "" : std::to_string(spec.value_bits);
  }

  static Result<Shape> plan(const FilterSpec& spec) {
    const unsigned value_bits = std::max(1U, spec.value_bits);
    if (value_bits > kMaxValueBits) {
      return bad_argument("value bits must be in [1, ", kMaxValueBits, "], got ", value_bits);
    }
    const Result<unsigned> check_bits =
        spec.bits_per_key ? check_bits_by_size(spec, value_bits) : check_bits_by_rate(spec);
    if (!check_bits.has_value()) return check_bits.error();
    const unsigned columns = value_bits + *check_bits;
    return Shape{.kind = kKind,
                 .k = static_cast<std::uint8_t>(columns),
                 .param = static_cast<std::uint16_t>(value_bits),
                 .units = ribbon_words(spec.capacity, form_of(columns)),
                 .seed = spec.seed};
  }

  static Result<std::uint64_t> payload_bytes(const Shape& shape) {
    if (shape.param < 1 || shape.param > kMaxValueBits) {
      return corrupt("kind parameter must be value bits from 1 to ", kMaxValueBits, ", got ", shape.param);
    }
    if (shape.k < shape.param || shape.k > shape.param + kMaxCheckBits) {
      return corrupt("k must be in [", shape.param, ", ", shape.param + kMaxCheckBits, "], got ", unsigned{shape.k});
    }
    return ribbon_payload_bytes(shape);
  }

  static Result<void> validate(const View& view) { return validate_ribbon(as_ribbon(view)); }
  static void prepare(View& view) noexcept {
    View ribbon = as_ribbon(view);
    prepare_ribbon(ribbon);
    view.prepared = ribbon.prepared;
  }
  static Probe probe(const Shape&) noexcept { return kernels_in_use<RibbonKernels>().map; }
  static bool admit_open(const View& view, ByteGate& gate) { return admit_ribbon_open(as_ribbon(view), gate); }
  static bool admit_query(const View& view, std::uint64_t hash, ByteGate& gate) {
    return admit_ribbon_query(as_ribbon(view), hash, gate);
  }

  static Stats stats(const View& view) noexcept {
    return stats_of_words(view, ribbon_is_empty(view) ? 0 : rate_of(view.shape),
                          RibbonHeader(load_le<std::uint64_t>(view.payload)).keys);
  }
  static double predicted_fp_rate(const Shape& shape, double keys) noexcept { return keys > 0 ? rate_of(shape) : 0; }

  static Result<AlignedBytes> build_values(Shape& shape, std::unique_ptr<StoredSource<HashedValue>> keys,
                                           std::uint64_t max_bytes, BuildTask& task) {
    if (keys->size() == 0) {  // no keys, no levels
      return AlignedBytes(static_cast<std::size_t>(8 * shape.units), task.payload_memory());
    }
    Result<AlignedBytes> payload =
        build_map(form_of(shape.k), shape.param, std::move(keys), max_bytes, AlignedBytes(task.payload_memory()), task);
    if (payload) shape.units = payload->size() / 8;
    return payload;
  }

 private:
  static double rate_of(const Shape& shape) noexcept { return std::ldexp(1.0, shape.param - shape.k); }

  /// The fewest check bits for the rate; 0 for a rate of 1.
  static Result<unsigned> check_bits_by_rate(const FilterSpec& spec) {
    if (auto valid = check_capacity(spec.capacity); !valid) return valid.error();
    if (spec.fp_rate == 1) return 0U;
    if (!(spec.fp_rate > 0 && spec.fp_rate < 1)) {
      return bad_argument("fp_rate must be in (0, 1] for a map, got ", spec.fp_rate);
    }
    const Result<double> hash_rate = check_request(spec.capacity, spec.fp_rate);
    if (!hash_rate.has_value()) return hash_rate.error();
    unsigned bits = 0;
    while (bits <= kMaxCheckBits && std::ldexp(1.0, -static_cast<int>(bits)) > *hash_rate) ++bits;
    if (bits <= kMaxCheckBits) return bits;
    const double least =
        with_collisions(std::ldexp(1.0, -static_cast<int>(kMaxCheckBits)), static_cast<double>(spec.capacity));
    return bad_argument("fp_rate must be at least ", least, " for a map of ", counted_keys(spec.capacity), ", got ",
                        spec.fp_rate);
  }

  /// The most check bits that fit in spec.bits_per_key, or 0 if none fit. Errors: kBadArgument, also for a bits_per_key
  /// below value_bits.
  static Result<unsigned> check_bits_by_size(const FilterSpec& spec, unsigned value_bits) {
    if (auto valid = check_capacity(spec.capacity); !valid) return valid.error();
    if (auto valid = check_bits_per_key(*spec.bits_per_key); !valid) return valid.error();
    if (*spec.bits_per_key < value_bits) {
      return bad_argument("bits_per_key must be at least ", value_bits, ", the bits of a value, got ",
                          *spec.bits_per_key);
    }
    const double words = static_cast<double>(spec.capacity) * *spec.bits_per_key / 64;
    const auto fits = [&](unsigned check_bits) {
      return static_cast<double>(ribbon_words(spec.capacity, form_of(value_bits + check_bits))) <= words;
    };
    unsigned check_bits = 0;
    while (check_bits < kMaxCheckBits && fits(check_bits + 1)) ++check_bits;
    return check_bits;
  }
};

}  // namespace

constinit const KindRow kMap = make_row<Map>();

}  // namespace crivo
