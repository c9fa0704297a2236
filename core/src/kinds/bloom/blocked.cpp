// The blocked Bloom filter: a key's k bits are in one block of 512 bits, which is one cache line and one vector
// register. A query costs one cache miss instead of up to k, and a few vector instructions. The price is a higher rate,
// because the number of keys per block varies, and full blocks answer "maybe" more often.
// Paper: Putze, Sanders & Singler 2007, "Cache-, hash- and space-efficient Bloom filters".
#include <algorithm>
#include <array>
#include <memory_resource>
#include <vector>

#include "base/bit_array.h"
#include "crivo/host/sizing.h"
#include "kinds/bloom/block.h"
#include "kinds/bloom/block_stats.h"
#include "kinds/bloom/kernels.h"
#include "kinds/bloom/pages.h"
#include "kinds/bloom/parts.h"
#include "kinds/bloom/shape.h"
#include "kinds/isa.h"
#include "kinds/kind.h"

namespace crivo {
namespace {

// If the filter is larger than the caches, many keys are first partitioned by their blocks. Each of the 256 partitions
// then changes only 1/256 of the filter, which can stay in a cache.
constexpr std::size_t kMinPartitioned = std::size_t{1} << 22;
constexpr std::size_t kPartitionedAtOnce = std::size_t{1} << 24;
constexpr unsigned kPartBits = 8;

void add_cached(Store store, std::span<const std::uint64_t> hashes) noexcept {
  kernels_in_use<BlockedKernels>().blocked_add(store.shape, store.payload.data(), hashes.data(), hashes.size());
}

void add_partitioned(Store store, std::span<const std::uint64_t> hashes, std::pmr::memory_resource* memory) {
  const auto part_of = [](std::uint64_t hash) { return static_cast<std::size_t>(hash >> (64 - kPartBits)); };
  std::pmr::vector<std::uint64_t> parted(std::min(hashes.size(), kPartitionedAtOnce), memory);
  for (; !hashes.empty(); hashes = hashes.subspan(std::min(hashes.size(), parted.size()))) {
    const auto batch = hashes.first(std::min(hashes.size(), parted.size()));
    std::array<std::size_t, (1U << kPartBits) + 1> next{};
    for (const std::uint64_t hash : batch) ++next[part_of(hash) + 1];
    for (std::size_t part = 1; part < next.size(); ++part) next[part] += next[part - 1];
    for (const std::uint64_t hash : batch) parted[next[part_of(hash)]++] = hash;
    add_cached(store, std::span(parted).first(batch.size()));
  }
}

void add_to_blocks(Store store, std::span<const std::uint64_t> hashes, std::pmr::memory_resource* memory) {
  if (store.payload.size() >= kFarBytes && hashes.size() >= kMinPartitioned) {
    add_partitioned(store, hashes, memory);
  } else {
    add_cached(store, hashes);
  }
}

struct Blocked {
  static constexpr Kind kKind = Kind::kBlocked;
  static constexpr std::string_view kName = "blocked";
  static constexpr std::size_t kBytesOfBlock = kBlockBytes;
  static constexpr bool kEveryPayloadIsValid = true;
  static constexpr const char* kUnitName = "number of blocks";

  static Result<Shape> plan(const FilterSpec& spec) {
    return plan_by_size(spec, kKind, kBlockBits, &size_blocked, &best_blocked_probes);
  }

  static Result<std::uint64_t> payload_bytes(const Shape& shape) {
    if (auto valid = check_shape(shape, kMaxBlockedProbes, kMaxBlocks, kUnitName); !valid) return valid.error();
    return shape.units * kBlockBytes;
  }

  static Probe probe(const Shape&) noexcept { return kernels_in_use<BlockedKernels>().blocked; }

  static Stats stats(const View& view) noexcept { return stats_of_bit_blocks(view); }

  static double predicted_fp_rate(const Shape& shape, double keys) noexcept {
    return blocked_fp_rate(static_cast<double>(shape.units), keys, shape.k);
  }

  static std::uint64_t bit_array_bits(const Shape& shape) noexcept { return shape.units * kBlockBits; }

  static Result<void> add(Store store, std::span<const std::uint64_t> hashes, std::uint64_t& added) {
    add_to_blocks(store, hashes, std::pmr::new_delete_resource());
    added += hashes.size();
    return {};
  }

  static Result<void> add_many(Store store, std::span<const std::uint64_t> hashes, std::uint64_t& added,
                               BuildTask& task) {
    // One thread adds unsorted hashes. add_in_parts() would take about as long, because each of its threads scans all
    // hashes (parts.h).
    if (task.threads() > 1 && std::is_sorted(hashes.begin(), hashes.end())) {
      add_in_parts(store.shape.units, hashes, task, [store](auto part) { add_cached(store, part); });
    } else {
      add_to_blocks(store, hashes, task.memory());
    }
    added += hashes.size();
    return {};
  }

  static void unite(Store into, const View& other) noexcept { or_into(into.payload, other.payload); }
  static void intersect(Store into, const View& other) noexcept { and_into(into.payload, other.payload); }
};

}  // namespace

constinit const KindRow kBlocked = make_row<Blocked>(&kPagingOf<KeyBlock<Blocked>>);

}  // namespace crivo
