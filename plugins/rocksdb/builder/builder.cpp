#include "builder/builder.h"

#include <rocksdb/env.h>

#include <algorithm>
#include <exception>
#include <new>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "builder/block_memory.h"
#include "crivo/filter.h"
#include "crivo/hash.h"
#include "crivo/host/sst_block.h"

namespace crivo::plugin {
namespace {

// RocksDB's built-in policies write this block for "every key may match". A block of at most 5 bytes matches no key.
constexpr char kAlwaysMaybe[6] = {};

// From this many hashes on, the core adds them faster as one array. With fewer hashes, moving the chunks to adjacent
// addresses takes longer than it saves.
constexpr std::size_t kMinAtOnce = std::size_t{1} << 22;

std::optional<AnyFilter> value_of(Result<AnyFilter> filter) {
  if (!filter) return std::nullopt;
  return *std::move(filter);
}

/// No value if memory is short, a limit is reached, or hashes are in a file; a blocked filter may still be possible.
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
  // A block must be built, so the filter may exceed the limit. In that case, the hashes are spilled to a file first.
  const std::size_t bytes = sizing.bytes(hashes.size());
  std::optional<CountedBytes> counted(std::in_place, *limits.memory, bytes, limits.max_build_bytes);
  if (!counted->fits()) {
    hashes.spill();
    counted.emplace(*limits.memory, bytes, BuildMemory::kNoLimit);
  }
  // Adding all hashes at once needs more memory, so a build with a limit adds them piece by piece.
  const bool at_once = hashes.size() >= kMinAtOnce && limits.max_build_bytes == BuildMemory::kNoLimit;
  const std::span<const std::uint64_t> all = at_once ? hashes.in_one_array() : std::span<std::uint64_t>();
  auto filter = value_of(AnyFilter::build(sizing.spec(hashes.size()), all,
                                          {.max_bytes = sizing.max_payload(), .payload_memory = &payload}));
  if (!filter || all.size() == hashes.size()) return filter;
  const bool added = hashes.read([&](auto part) { return static_cast<bool>(filter->add_hashes(part)); });
  return added ? std::move(filter) : std::nullopt;
}

/// Builds the filter of all hashes in the log. Its payload is in `payload`, which must outlive the filter. A blocked
/// filter replaces a ribbon if the hashes are in a file, if the ribbon would exceed the builders' limit, or if memory
/// is short. No value if no filter can be built. Throws std::bad_alloc and the log's exceptions. The hashes stay in the
/// log, but a ribbon removes repeated ones.
std::optional<AnyFilter> build_filter(HashLog& hashes, const BlockSizing& sizing, const BuildLimits& limits,
                                      BlockMemory& payload) {
  if (!sizing.needs_sorted_set()) return build_in_parts(hashes, sizing, limits, payload);
  auto ribbon = build_from_set(hashes, sizing, limits, payload);
  if (ribbon) return ribbon;
  const BlockSizing blocked = sizing.as_blocked();
  if (!limits.is_reduced) return build_in_parts(hashes, blocked, limits, payload);
  const std::size_t ribbon_bytes = sizing.bytes(hashes.size()) - sizing.tail();
  return build_in_parts(hashes, blocked.within(ribbon_bytes), limits, payload);
}

bool contains_all(const FilterRef& filter, const HashLog& log) {
  return log.read([&](std::span<const std::uint64_t> hashes) {
    return std::ranges::all_of(hashes, [&](std::uint64_t hash) { return filter.may_contain_hash(hash); });
  });
}

}  // namespace

std::uint64_t BlockBuilder::hash_of(const rocksdb::Slice& key) noexcept {
  if (transform_ != nullptr) return canonical_hash(key);
  return hash_key(std::string_view(key.data(), key.size()), 0);
}

// If the transform throws, the key must still be found. So the filter is abandoned, and the returned hash is not used.
std::uint64_t BlockBuilder::canonical_hash(const rocksdb::Slice& key) noexcept {
  const auto hash_as_it_is = [&] { return hash_key(std::string_view(key.data(), key.size()), 0); };
  if (abandoned_) return hash_as_it_is();
  try {
    return transform_->hash(key, 0, scratch_);
  } catch (const std::exception& why) {
    abandon_filter(why.what());
  } catch (...) {
    abandon_filter("the key transform threw an unknown exception");
  }
  return hash_as_it_is();
}

void BlockBuilder::AddKey(const rocksdb::Slice& key) {
  const std::uint64_t hash = hash_of(key);
  if (hash != last_key_) append(hash);
  last_key_ = hash;
}

// Adds a key and its prefix. Keys come sorted, so repeated keys are adjacent, and so are repeated prefixes. A key may
// equal its own or its neighbour's prefix. Every skipped hash is already in the log.
void BlockBuilder::AddKeyAndAlt(const rocksdb::Slice& key, const rocksdb::Slice& alt) {
  const std::uint64_t key_hash = hash_of(key);
  const std::uint64_t alt_hash = hash_of(alt);
  if (key_hash != last_key_ && key_hash != last_alt_) append(key_hash);
  if (alt_hash != last_alt_ && alt_hash != last_key_ && alt_hash != key_hash) append(alt_hash);
  last_key_ = key_hash;
  last_alt_ = alt_hash;
}

void BlockBuilder::append_to_full(std::uint64_t hash) noexcept {
  try {
    if (abandoned_) return;
    hashes_.append(hash);
    charge(0);
  } catch (const std::exception& why) {
    abandon_filter(why.what());
  }
}

void BlockBuilder::abandon_filter(const char* why) noexcept {
  if (std::exchange(abandoned_, true)) return;
  hashes_.clear();
  try {
    rocksdb::Warn(limits_.log, "crivo: a filter block lets every key pass, because no filter could be built: %s", why);
  } catch (...) {
    // No memory for the LOG line either, or the logger threw.
  }
}

rocksdb::Slice BlockBuilder::Finish(std::unique_ptr<const char[]>* buf, rocksdb::Status* status) {
  const auto started = std::chrono::steady_clock::now();
  rocksdb::Slice content(kAlwaysMaybe, sizeof kAlwaysMaybe);
  if (status != nullptr) *status = rocksdb::Status::OK();
  try {
    if (verify_ && !abandoned_ && !hashes_are_intact()) {
      if (status != nullptr) *status = rocksdb::Status::Corruption("crivo: key hashes changed in memory");
    } else if (!abandoned_) {
      if (const auto block = build(buf)) content = *block;
    }
  } catch (const std::exception& why) {  // a filter that every key passes costs reads, but loses no key
    abandon_filter(why.what());
  }
  file_bytes_ += content.size();
  if (limits_.share != nullptr) limits_.share->set_size(content.size());
  report(content, started);
  start_over();
  return content;
}

void BlockBuilder::report(const rocksdb::Slice& content, std::chrono::steady_clock::time_point started) noexcept {
  if (content.data() == kAlwaysMaybe) {
    if (record_ != nullptr) record_->add_always_maybe(entries_, content.size());
    if (counters_ != nullptr) counters_->built_always_maybe();
    return;
  }
  if (record_ != nullptr) record_->add(built_);
  if (counters_ != nullptr) counters_->built(built_, std::chrono::steady_clock::now() - started);
}

bool BlockBuilder::hashes_are_intact() const {
  std::uint64_t checksum = 0;
  hashes_.read([&](std::span<const std::uint64_t> hashes) {
    for (const std::uint64_t hash : hashes) checksum ^= hash;
    return true;
  });
  return checksum == checksum_;
}

std::optional<rocksdb::Slice> BlockBuilder::build(std::unique_ptr<const char[]>* buf) {
  const std::size_t keys = hashes_.size();
  std::size_t limit = limits_.max_filter_bytes;
  if (limits_.share != nullptr) {
    const std::size_t share = limits_.share->reserve(sizing_.bytes(keys));
    if (share < limit) limits_.limit_name = kShareOfTotal;
    limit = std::min(limit, share);
  }
  const auto sizing = sizing_.for_next(keys, file_bytes_, limit);
  if (!sizing) {
    warn_of_limit(limit, 0, 1, keys);
    return std::nullopt;
  }
  BlockMemory memory(sizing_.tail());
  charge(sizing->bytes(keys));
  const auto filter = build_filter(hashes_, *sizing, limits_, memory);
  if (!filter) throw std::length_error("crivo: no filter of these keys fits the allowed size");
  const bool is_blocked = filter->shape().kind == Kind::kBlocked;
  const auto planned = [&](const BlockSizing& plan) { return (is_blocked ? plan.as_blocked() : plan).bytes(keys); };
  if (planned(*sizing) < planned(sizing_)) {
    warn_of_limit(limit, filter->payload().size() + sizing_.tail(),
                  filter->ref().predicted_fp_rate(static_cast<double>(hashes_.size())), keys);
  }
  const std::size_t size = filter->payload().size() + sizing_.tail();
  built_ = {filter->shape(), hashes_.size(), size, 0};
  if (built_.shape.kind == Kind::kRibbon) {
    built_.predicted_fp_rate = filter->ref().predicted_fp_rate(static_cast<double>(built_.keys));
  }
  std::byte* const block = memory.take(filter->payload(), buf);
  seal_sst_block(filter->shape(), std::span(block, size), name_of(transform_));
  return rocksdb::Slice(reinterpret_cast<const char*>(block), size);
}

void BlockBuilder::warn_of_limit(std::size_t limit, std::size_t bytes, double fp_rate, std::size_t keys) noexcept try {
  const double wanted_rate = sizing_.fp_rate(keys, sizing_.bytes(keys));
  // If a blocked filter replaced a larger ribbon, the rate may be no worse. Then there is nothing to report.
  if (fp_rate <= wanted_rate) return;
  // A partitioned file logs at most two lines: for the first smaller filter, and for the first missing one.
  if (std::exchange(bytes != 0 ? warned_smaller_ : warned_missing_, true)) return;
  rocksdb::Warn(limits_.log,
                "crivo: level %d: filter of %zu keys reduced from %zu to %zu bytes by %s (%zu bytes, %zu used); "
                "false-positive rate %.3g instead of %.3g",
                limits_.level, keys, sizing_.bytes(keys), bytes, limits_.limit_name, limit, file_bytes_, fp_rate,
                wanted_rate);
} catch (...) {
  // No memory for the LOG line, or the logger threw. The filter matters more.
}

void BlockBuilder::start_over() noexcept {
  finished_.clear();
  if (verify_) finished_.swap(hashes_);
  hashes_.clear();
  entries_ = 0;
  checksum_ = 0;
  abandoned_ = false;
  last_key_.reset();
  last_alt_.reset();
  charge(0);
}

rocksdb::Status BlockBuilder::MaybePostVerify(const rocksdb::Slice& content) {
  if (!verify_ || content.data() == kAlwaysMaybe) return rocksdb::Status::OK();
  HashLog hashes(*limits_.memory, limits_.max_build_bytes);
  hashes.swap(finished_);
  try {
    const auto filter = open_sst_block(std::as_bytes(std::span(content.data(), content.size())), name_of(transform_));
    if (filter && contains_all(*filter, hashes)) return rocksdb::Status::OK();
    return rocksdb::Status::Corruption("crivo: filter block changed in memory");
  } catch (const std::bad_alloc&) {
    return rocksdb::Status::MemoryLimit();
  } catch (const std::exception& why) {
    return rocksdb::Status::IOError(why.what());
  }
}

}  // namespace crivo::plugin
