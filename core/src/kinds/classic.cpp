#include "kinds/classic.h"

#include <algorithm>
#include <cmath>

#include "bit_array.h"
#include "crivo/sizing.h"
#include "error_text.h"
#include "kinds/plan.h"
#include "math128.h"

namespace crivo {
namespace {

constexpr std::uint64_t kMaxBits = std::uint64_t{1} << 46;

/// The positions of one key, in order: mulhi(h + i d, m).
class Positions {
 public:
  Positions(std::uint64_t hash, std::uint64_t bits) noexcept : next_(hash), bits_(bits) {
    const std::uint64_t mixed = hash * kGolden64;
    step_ = (mixed ^ (mixed >> 32)) | 1;
  }
  std::uint64_t next() noexcept {
    const std::uint64_t position = mulhi(next_, bits_);
    next_ += step_;
    return position;
  }

 private:
  std::uint64_t next_;
  std::uint64_t step_;
  std::uint64_t bits_;
};

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

// Every probe may miss the cache, so a batch touches the first two of each key (most absent keys need no more) before
// it asks.
void contains_batch(const View& view, const std::uint64_t* hashes, std::size_t count, bool* hits) noexcept {
  constexpr std::size_t kAhead = 32;
  for (std::size_t from = 0; from < count; from += kAhead) {
    const std::size_t end = std::min(count, from + kAhead);
    for (std::size_t i = from; i < end; ++i) {
      Positions positions(hashes[i], view.shape.units);
      __builtin_prefetch(view.payload + (positions.next() >> 3));
      __builtin_prefetch(view.payload + (positions.next() >> 3));
    }
    for (std::size_t i = from; i < end; ++i) hits[i] = contains(view, hashes[i]);
  }
}

}  // namespace

Result<Shape> Classic::plan(const FilterSpec& spec) {
  return plan_by_size(spec, kKind, 1.0, &size_classic, &best_classic_probes);
}

Result<std::uint64_t> Classic::payload_bytes(const Shape& shape) {
  if (auto valid = check_shape(shape, kMaxClassicProbes, kMaxBits, "number of bits"); !valid) return valid.error();
  return (shape.units + 63) / 64 * 8;
}

Result<void> Classic::validate(const View& view) {
  const unsigned used = static_cast<unsigned>(view.shape.units % 64);
  if (used == 0) return {};
  const auto last = load_le<std::uint64_t>(view.payload + view.payload_bytes - 8);
  if (last >> used != 0) return error(ErrorCode::kCorrupt, "padding bits of the payload must be 0, got ", last >> used);
  return {};
}

Probe Classic::probe(const Shape&) noexcept { return {&contains, &contains_batch}; }

Stats Classic::stats(const View& view) noexcept {
  Stats stats;
  stats.bits = view.shape.units;
  stats.bits_set = count_bits({view.payload, view.payload_bytes});
  const auto bits = static_cast<double>(stats.bits);
  const auto set = static_cast<double>(stats.bits_set);
  stats.fp_rate = std::pow(set / bits, view.shape.probes);
  if (stats.bits_set < stats.bits) stats.cardinality = classic_cardinality(bits, set, view.shape.probes);
  return stats;
}

double Classic::predicted_fp_rate(const Shape& shape, double keys) noexcept {
  return classic_fp_rate(static_cast<double>(shape.units), keys, shape.probes);
}

bool Classic::compresses(const View& view, const Facts&) noexcept {
  return is_sparse(count_bits({view.payload, view.payload_bytes}), view.shape.units);
}

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
