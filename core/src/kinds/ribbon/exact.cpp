// The exact filter gives exact answers for all keys of a universe that is known at the build (exact_layout.h).
#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

#include "base/bit_array.h"
#include "base/error_text.h"
#include "crivo/host/sizing.h"
#include "kinds/checks.h"
#include "kinds/collisions.h"
#include "kinds/isa.h"
#include "kinds/kind.h"
#include "kinds/probe_key.h"
#include "kinds/ribbon/exact_build.h"
#include "kinds/ribbon/exact_layout.h"
#include "kinds/ribbon/kernels.h"
#include "kinds/ribbon/payload.h"
#include "kinds/ribbon/sizes.h"

namespace crivo {
namespace {

constexpr std::size_t kAtOnce = 256;  // hashes per batch
static_assert(kAtOnce - 1 <= UINT8_MAX, "a place is stored in a byte");
constexpr double kMapRate = 0.5;  // the share of absent keys for which the map returns 1

const Probe& filter_probe() noexcept { return kernels_in_use<RibbonKernels>().ribbon; }
const Probe& map_probe() noexcept { return kernels_in_use<RibbonKernels>().map; }

/// Makes views of the ribbon and of the map on demand.
class Parts {
 public:
  explicit Parts(const View& view) noexcept
      : view_(view),
        prepared_(prepared_of<ExactPrepared>(view)),
        map_at_(prepared_.map_at != 0 ? prepared_.map_at : ExactHeader(view.payload).map_at()) {}

  [[nodiscard]] std::uint64_t map_at() const noexcept { return map_at_; }
  [[nodiscard]] bool has_filter() const noexcept { return map_at_ != kExactHeaderBytes; }
  [[nodiscard]] View filter() const noexcept {
    View filter = exact_filter(view_, map_at_);
    set_prepared(filter, prepared_.filter);
    return filter;
  }
  [[nodiscard]] View map() const noexcept {
    View map = exact_map(view_, map_at_);
    set_prepared(map, prepared_.map);
    return map;
  }

 private:
  const View& view_;
  const ExactPrepared& prepared_;
  std::uint64_t map_at_;
};

bool contains(const View& view, std::uint64_t hash) noexcept {
  const Parts parts(view);
  if (parts.has_filter() && !filter_probe().contains(parts.filter(), hash)) return false;
  std::uint64_t bit = 0;
  return map_probe().find(parts.map(), hash * kExactMapHash, bit) && bit == 1;
}

/// Queries the map only for hashes that pass the filter.
void contains_some(const Parts& parts, std::span<const std::uint64_t> hashes, bool* hits) noexcept {
  std::array<std::uint64_t, kAtOnce> passed;
  std::array<std::uint8_t, kAtOnce> places;
  std::array<std::uint64_t, kAtOnce> bits;
  std::array<bool, kAtOnce> found;
  if (parts.has_filter()) {
    filter_probe().contains_batch(parts.filter(), hashes.data(), hashes.size(), hits);
  } else {
    std::fill_n(hits, hashes.size(), true);
  }
  std::size_t count = 0;
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    passed[count] = hashes[i] * kExactMapHash;
    places[count] = static_cast<std::uint8_t>(i);
    count += hits[i];
  }
  map_probe().find_batch(parts.map(), passed.data(), count, bits.data(), found.data());
  for (std::size_t i = 0; i < count; ++i) hits[places[i]] = found[i] && bits[i] == 1;
}

void contains_batch(const View& view, const std::uint64_t* hashes, std::size_t count, bool* hits) noexcept {
  const Parts parts(view);
  for (std::size_t from = 0; from < count; from += kAtOnce) {
    contains_some(parts, {hashes + from, std::min(kAtOnce, count - from)}, hits + from);
  }
}

/// A gate for the ribbon or the map within a payload.
class PartGate final : public ByteGate {
 public:
  PartGate(ByteGate& gate, std::uint64_t at) noexcept : gate_(gate), at_(at) {}
  bool admit(std::uint64_t offset, std::uint64_t bytes) override { return gate_.admit(at_ + offset, bytes); }
  bool freeze(std::uint64_t offset, std::uint64_t bytes) override { return gate_.freeze(at_ + offset, bytes); }

 private:
  ByteGate& gate_;
  std::uint64_t at_;
};

struct Exact {
  static constexpr Kind kKind = Kind::kExact;
  static constexpr std::string_view kName = "exact";
  static constexpr const char* kUnitName = "number of words";
  static constexpr bool kIsExact = true;
  static constexpr double kDefaultFpRate = 1;

  /// If the number of members is unknown, plans as if all keys were members, which needs the most bytes.
  static Result<Shape> plan(const FilterSpec& spec) {
    if (auto valid = check_capacity(spec.capacity); !valid) return valid.error();
    const std::uint64_t most_words = kExactHeaderBytes / 8 + ribbon_words(spec.capacity, kExactMapForm);
    const Result<RibbonForm> form = spec.bits_per_key ? form_by_size(spec, most_words) : form_by_rate(spec);
    if (!form) return form.error();
    std::uint64_t words = most_words + (form->column_shares() == 0 ? 0 : ribbon_words(spec.capacity, *form));
    if (spec.members) {
      const std::uint64_t members = std::min(*spec.members, spec.capacity);
      words = std::min(words, plan_exact(*form, members, spec.capacity - members).bytes(members) / 8);
    }
    return Shape{.kind = kKind,
                 .k = static_cast<std::uint8_t>(form->lean),
                 .param = form->param(),
                 .units = words,
                 .seed = spec.seed};
  }

  static Result<std::uint64_t> payload_bytes(const Shape& shape) {
    if (shape.k > kMaxRibbonColumns) {
      return corrupt("k must be in [0, ", kMaxRibbonColumns, "], got ", unsigned{shape.k});
    }
    if (shape.param >= kNarrowRibbonParam || (shape.k == kMaxRibbonColumns && shape.param != 0)) {
      return corrupt("kind parameter must be a share below ", kRibbonShares, ", and 0 with k = ", kMaxRibbonColumns,
                     ", got ", shape.param);
    }
    if (shape.units < kMinWords) return corrupt("number of words must be at least ", kMinWords, ", got ", shape.units);
    return ribbon_payload_bytes(shape);
  }

  static Result<void> validate(const View& view) {
    const ExactHeader header(view.payload);
    if (auto valid = check_header(view, header); !valid) return valid;
    if (header.filter_words != 0) {
      const View filter = exact_filter(view, header.map_at());
      if (auto valid = validate_ribbon(filter); !valid) return valid;
      const std::uint64_t keys = RibbonHeader(load_le<std::uint64_t>(filter.payload)).keys;
      if (keys != header.members) {
        return corrupt("keys of the filter must be the ", header.members, " members, got ", keys);
      }
    }
    return validate_ribbon(as_ribbon(exact_map(view, header.map_at())));
  }

  static void prepare(View& view) noexcept {
    ExactPrepared prepared{.map_at = ExactHeader(view.payload).map_at(), .filter = {}, .map = {}};
    if (prepared.map_at != kExactHeaderBytes) {
      View filter = exact_filter(view, prepared.map_at);
      prepare_ribbon(filter);
      prepared.filter = prepared_of<RibbonPrepared>(filter);
    }
    View map = as_ribbon(exact_map(view, prepared.map_at));
    prepare_ribbon(map);
    prepared.map = prepared_of<RibbonPrepared>(map);
    set_prepared(view, prepared);
  }

  static Probe probe(const Shape&) noexcept { return kProbeOf<&contains, &contains_batch>; }

  static bool admit_open(const View& view, ByteGate& gate) {
    if (!gate.freeze(0, kExactHeaderBytes)) return false;
    const ExactHeader header(view.payload);
    if (!check_header(view, header)) return true;
    PartGate to_filter(gate, kExactHeaderBytes);
    PartGate to_map(gate, header.map_at());
    return (header.filter_words == 0 || admit_ribbon_open(exact_filter(view, header.map_at()), to_filter)) &&
           admit_ribbon_open(as_ribbon(exact_map(view, header.map_at())), to_map);
  }
  static bool admit_query(const View& view, std::uint64_t hash, ByteGate& gate) {
    const Parts parts(view);
    PartGate to_filter(gate, kExactHeaderBytes);
    PartGate to_map(gate, parts.map_at());
    if (parts.has_filter()) {
      const View filter = parts.filter();
      if (!admit_ribbon_query(filter, hash, to_filter)) return false;
      if (!filter_probe().contains(filter, hash)) return true;
    }
    return admit_ribbon_query(as_ribbon(parts.map()), hash * kExactMapHash, to_map);
  }

  // Stats::bits counts all bits of the payload; the rate is for keys outside the universe.
  static Stats stats(const View& view) noexcept {
    const ExactHeader header(view.payload);
    return stats_of_words(view, rate_outside(view, header), header.members);
  }
  static double predicted_fp_rate(const View& view, double keys) noexcept {
    return keys > 0 ? rate_outside(view, ExactHeader(view.payload)) : 0;
  }
  static double promised_fp_rate(const View& view) noexcept {
    return kMapRate * ribbon_fp_rate(view.shape.k, view.shape.param);
  }

  static Result<AlignedBytes> build_values(Shape& shape, std::unique_ptr<StoredSource<HashedValue>> keys,
                                           std::uint64_t max_bytes, BuildTask& task) {
    RibbonForm form(shape);
    Result<AlignedBytes> payload = build_exact(form, std::move(keys), max_bytes, task);
    if (!payload) return payload;
    shape.k = static_cast<std::uint8_t>(form.lean);
    shape.param = form.param();
    shape.units = payload->size() / 8;
    return payload;
  }

 private:
  /// The columns for the rate of keys outside the universe.
  static Result<RibbonForm> form_by_rate(const FilterSpec& spec) {
    if (!(spec.fp_rate > 0 && spec.fp_rate <= 1)) {
      return bad_argument("fp_rate must be in (0, 1] for an exact filter, got ", spec.fp_rate);
    }
    if (spec.fp_rate >= kMapRate) return RibbonForm(kWideRibbon, 0);
    const Result<double> hash_rate = check_request(spec.capacity, spec.fp_rate);
    if (!hash_rate.has_value()) return hash_rate.error();
    const double least = kMapRate * std::ldexp(1.0, -int{kMaxRibbonColumns});
    if (*hash_rate < least) {
      return bad_argument("fp_rate must be at least ", with_collisions(least, static_cast<double>(spec.capacity)),
                          " for an exact filter of ", counted_keys(spec.capacity), ", got ", spec.fp_rate);
    }
    return form_of(size_ribbon(spec.capacity, *hash_rate / kMapRate));
  }
  /// The most columns that fit in addition to the map.
  static Result<RibbonForm> form_by_size(const FilterSpec& spec, std::uint64_t map_words) {
    if (auto valid = check_bits_per_key(*spec.bits_per_key); !valid) return valid.error();
    const double left = *spec.bits_per_key - 64 * static_cast<double>(map_words) / static_cast<double>(spec.capacity);
    return left > 0 ? form_of(size_ribbon_by_bits(spec.capacity, left)) : RibbonForm(kWideRibbon, 0);
  }
  static Result<RibbonForm> form_of(const Result<RibbonSize>& size) {
    if (!size) return size.error();
    return RibbonForm(kWideRibbon, size->columns * std::uint64_t{kRibbonShares} + size->rich_share);
  }

  static constexpr std::uint64_t kMinWords = kExactHeaderBytes / 8 + 1;

  static Result<void> check_header(const View& view, const ExactHeader& header) {
    const std::uint64_t most = view.shape.units - kMinWords;
    if (header.filter_words > most) {
      return corrupt("words of the filter must be at most ", most, ", got ", header.filter_words);
    }
    if ((header.filter_words != 0) != (view.shape.k != 0 || view.shape.param != 0)) {
      return corrupt("words of the filter must be 0 if, and only if, it has no columns, got ", header.filter_words,
                     " with k = ", unsigned{view.shape.k}, " and the parameter ", view.shape.param);
    }
    for (const std::uint64_t keys : {header.members, header.others}) {
      if (keys > kMaxCapacity) return corrupt("members and others must be at most ", kMaxCapacity, ", got ", keys);
    }
    return {};
  }

  static double rate_outside(const View& view, const ExactHeader& header) noexcept {
    if (ribbon_is_empty(exact_map(view, header.map_at()))) return 0;
    return kMapRate * (header.filter_words == 0 ? 1 : rate_of_ribbon(exact_filter(view, header.map_at())));
  }
};

}  // namespace

constinit const KindRow kExact = make_row<Exact>();

}  // namespace crivo
