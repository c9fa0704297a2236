// The classic Bloom filter: an array of m bits, and k positions that follow from a key's 64-bit hash. Adding a key sets
// the bits at its positions; a key may be in the filter if all of them are set. A classic filter needs the fewest bits
// of the Bloom filters here, but each position may cost a cache miss. The option `compressed` makes the filter larger
// in memory and sparser, so that its compressed blob is smaller (Mitzenmacher 2002).
// Paper: Bloom 1970, "Space/time trade-offs in hash coding with allowable errors".
#include <algorithm>
#include <memory_resource>
#include <mutex>
#include <vector>

#include "base/bit_array.h"
#include "base/error_text.h"
#include "build/build_task.h"
#include "build/parallel.h"
#include "crivo/host/bytes.h"
#include "kinds/bloom/compressed.h"
#include "kinds/bloom/counter_array.h"
#include "kinds/bloom/pages.h"
#include "kinds/bloom/parts.h"
#include "kinds/bloom/position_tests.h"
#include "kinds/bloom/positions.h"
#include "kinds/bloom/shape.h"
#include "kinds/bloom/sizes.h"
#include "kinds/kind.h"
#include "kinds/probe_key.h"

namespace crivo {
namespace {

constexpr std::uint64_t kMaxBits = std::uint64_t{1} << 46;

bool test_bit(const View& view, std::uint64_t position) noexcept {
  return (std::to_integer<unsigned>(view.payload[position >> 3]) >> (position & 7) & 1) != 0;
}

void set_bits(std::byte* payload, const Shape& shape, std::span<const std::uint64_t> hashes) noexcept {
  for (const std::uint64_t hash : hashes) {
    Positions positions(hash, shape.units);
    for (unsigned i = 0; i < shape.k; ++i) {
      const std::uint64_t position = positions.next();
      payload[position >> 3] |= static_cast<std::byte>(1U << (position & 7));
    }
  }
}

void contains_batch(const View& view, const std::uint64_t* hashes, std::size_t count, bool* hits) noexcept {
  pass_batch<&test_bit>(view, 1, hashes, count, hits);
}

struct Classic {
  static constexpr Kind kKind = Kind::kClassic;
  static constexpr std::string_view kName = "classic";
  static constexpr bool kOnlyPaddingIsValidated = true;
  static constexpr const char* kUnitName = "number of bits";
  static constexpr std::string_view kOption = "compressed";
  static constexpr std::string_view kOptionAlias = kOption;

  static bool set_option(FilterSpec& spec, std::string_view text) {
    spec.smallest_blob = text == kOption;
    return spec.smallest_blob || text.empty();
  }
  static std::string option_text(const FilterSpec& spec) { return spec.smallest_blob ? std::string(kOption) : ""; }

  static Result<Shape> plan(const FilterSpec& spec) {
    if (!spec.smallest_blob) return plan_by_size(spec, kKind, 1.0, &size_classic, &best_classic_probes);
    const Result<FilterSize> size = spec.bits_per_key ? size_compressed_by_bits(spec.capacity, *spec.bits_per_key)
                                                      : size_compressed(spec.capacity, spec.fp_rate);
    if (!size) return size.error();
    return Shape{.kind = kKind, .k = static_cast<std::uint8_t>(size->probes), .units = size->units, .seed = spec.seed};
  }

  static Result<std::uint64_t> payload_bytes(const Shape& shape) {
    if (auto valid = check_shape(shape, kMaxClassicProbes, kMaxBits, kUnitName); !valid) return valid.error();
    return (shape.units + 63) / 64 * 8;
  }

  static Result<void> validate(const View& view) { return check_padding(view, view.shape.units); }
  static unsigned position_bits(const Shape&) noexcept { return 1; }
  static bool admit_query(const View& view, std::uint64_t hash, ByteGate& gate) {
    return admit_positions(view, 1, hash, gate);
  }
  static Probe probe(const Shape&) noexcept { return kProbeOf<&passes<&test_bit>, &contains_batch>; }

  static Stats stats(const View& view) noexcept {
    return stats_of_positions(view.shape, count_bits({view.payload, view.payload_bytes}));
  }

  static double predicted_fp_rate(const Shape& shape, double keys) noexcept {
    return classic_fp_rate(static_cast<double>(shape.units), keys, shape.k);
  }

  static std::uint64_t bit_array_bits(const Shape& shape) noexcept { return shape.units; }

  static Result<void> add(Store store, std::span<const std::uint64_t> hashes, std::uint64_t& added) {
    set_bits(store.payload.data(), store.shape, hashes);
    added += hashes.size();
    return {};
  }

  /// If the filter exceeds the caches, additions wait for memory. Each thread then fills its own copy, and the copies
  /// are OR-ed. At most 1 + (bytes of hashes) / (bytes of filter) threads run. A build with a memory limit uses one
  /// thread.
  static Result<void> add_many(Store store, std::span<const std::uint64_t> hashes, std::uint64_t& added,
                               BuildTask& task) {
    const std::size_t bytes = store.payload.size();
    const std::size_t most = task.is_limited() || bytes < kFarBytes ? 1 : 1 + hashes.size_bytes() / bytes;
    const std::size_t threads = std::min(threads_worth(hashes.size(), task), most);
    const std::size_t share = (hashes.size() + threads - 1) / threads;
    std::mutex mutex;
    parallel_for(task.threads(), threads, [&](std::size_t i) {
      const auto part = hashes.subspan(i * share, std::min(share, hashes.size() - i * share));
      if (threads == 1) return set_bits(store.payload.data(), store.shape, part);
      std::pmr::vector<std::byte> own(bytes, task.memory());
      set_bits(own.data(), store.shape, part);
      const std::scoped_lock lock(mutex);
      or_into(store.payload, own.data());
    });
    added += hashes.size();
    return {};
  }

  static void unite(Store into, const View& other) noexcept { or_into(into.payload, other.payload); }
  static void intersect(Store into, const View& other) noexcept { and_into(into.payload, other.payload); }
};

}  // namespace

constinit const KindRow kClassic = make_row<Classic>(&kPagingOf<KeyCounters<Classic>>);

}  // namespace crivo
