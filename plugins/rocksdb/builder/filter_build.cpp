#include "builder/filter_build.h"

#include <new>
#include <span>
#include <utility>

namespace crivo::plugin {
namespace {

// From this many hashes on, the core adds them faster as one array. For fewer, moving the chunks into one array takes
// longer than it saves.
constexpr std::size_t kFewestAtOnce = std::size_t{1} << 22;

std::optional<AnyFilter> value_of(Result<AnyFilter> filter) {
  if (!filter) return std::nullopt;
  return *std::move(filter);
}

/// No value if memory is short: there may still be enough for a blocked filter.
std::optional<AnyFilter> build_from_set(HashLog& hashes, const BlockSizing& sizing, const BuildLimits& limits,
                                        BlockMemory& payload) try {
  const std::span<const std::uint64_t> set = hashes.make_set();
  if (set.size() != hashes.size()) return std::nullopt;
  const CountedBytes counted(*limits.memory, sizing.bytes(set.size()), limits.max_build_bytes);
  if (!counted.fits()) return std::nullopt;
  TemporaryMemory temporary(*limits.memory, limits.max_build_bytes, limits.charged);
  return value_of(AnyFilter::build(
      sizing.spec(set.size()), set,
      {.max_bytes = sizing.max_payload(), .payload_memory = &payload, .temporary_memory = &temporary}));
} catch (const std::bad_alloc&) {
  return std::nullopt;
}

std::optional<AnyFilter> build_in_parts(HashLog& hashes, const BlockSizing& sizing, const BuildLimits& limits,
                                        BlockMemory& payload) {
  // A block must be built, and no other filter is smaller. So the filter may exceed the limit; in that case, the hashes
  // are spilled to a file first.
  const std::size_t bytes = sizing.bytes(hashes.size());
  std::optional<CountedBytes> counted(std::in_place, *limits.memory, bytes, limits.max_build_bytes);
  if (!counted->fits()) {
    hashes.spill();
    counted.emplace(*limits.memory, bytes, BuildMemory::kNoLimit);
  }
  // Adding all hashes at once needs more memory.
  const bool at_once = hashes.size() >= kFewestAtOnce && limits.max_build_bytes == BuildMemory::kNoLimit;
  const std::span<const std::uint64_t> all = at_once ? hashes.in_one_array() : std::span<std::uint64_t>();
  auto filter = value_of(AnyFilter::build(sizing.spec(hashes.size()), all,
                                          {.max_bytes = sizing.max_payload(), .payload_memory = &payload}));
  if (!filter || all.size() == hashes.size()) return filter;
  const bool added = hashes.read([&](auto part) { return static_cast<bool>(filter->add_hashes(part)); });
  return added ? std::move(filter) : std::nullopt;
}

}  // namespace

std::optional<AnyFilter> build_filter(HashLog& hashes, const BlockSizing& sizing, const BuildLimits& limits,
                                      BlockMemory& payload) {
  if (!sizing.takes_set()) return build_in_parts(hashes, sizing, limits, payload);
  auto ribbon = build_from_set(hashes, sizing, limits, payload);
  return ribbon ? std::move(ribbon) : build_in_parts(hashes, sizing.as_blocked(), limits, payload);
}

}  // namespace crivo::plugin
