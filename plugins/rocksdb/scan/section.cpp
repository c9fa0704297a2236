#include "scan/section.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>

#include "crivo/filter.h"
#include "crivo/host/sort.h"
#include "crivo/host/sst_block.h"
#include "crivo/kinds.h"

namespace crivo::plugin {
namespace {

constexpr std::string_view kTooMany = "omitted: needs more than max_bytes";

}  // namespace

void Section::add(const rocksdb::Slice& key, std::size_t known) {
  if (given_up_) return;
  extract_.each_hash(key, known, [this](std::uint64_t hash) { add_hash(hash); });
}

void Section::add_hash(std::uint64_t hash) {
  if (given_up_ || (!hashes_.empty() && hashes_.back() == hash)) return;
  // A filter needs at least log2(1 / rate) bits per value.
  const int least_bits = std::max(1, -std::ilogb(spec_.fp_rate) - 1);
  const std::size_t most = static_cast<std::size_t>(spec_.max_bytes) * 8 / static_cast<std::size_t>(least_bits);
  if (hashes_.size() == 2 * most) {
    hashes_.resize(sort_distinct(hashes_).size());
    if (hashes_.size() > most) return give_up(kTooMany);
  }
  // Growing also needs the old array; crivo/rocksdb_scan.h states the total (NewScanFilterCollectorFactory).
  if (hashes_.size() == hashes_.capacity()) hashes_.reserve(std::clamp<std::size_t>(2 * hashes_.size(), 16, 2 * most));
  hashes_.push_back(hash);
}

void Section::give_up(std::string_view why, std::string_view detail) noexcept {
  given_up_ = true;
  hashes_ = std::vector<std::uint64_t>();  // = {} would not free the memory
  try {
    report_ = why;
    report_ += detail;
  } catch (...) {
    report_.clear();
  }
}

std::optional<std::string> Section::finish(std::uint64_t max_bytes) {
  if (given_up_) return std::nullopt;
  const std::size_t tail = sst_tail_bytes(name().size());
  const std::size_t values = sort_distinct(hashes_).size();
  hashes_.resize(values);
  const FilterSpec spec{.kind = spec_.kind,
                        .capacity = std::max<std::uint64_t>(values, 1),
                        .fp_rate = spec_.fp_rate,
                        .range_length = spec_.range_length};
  const auto filter = AnyFilter::build(spec, std::exchange(hashes_, {}),
                                       {.max_bytes = max_bytes - std::min<std::uint64_t>(max_bytes, tail)});
  if (!filter) {
    const bool too_large = filter.error().code == ErrorCode::kTooLarge;
    give_up(too_large ? std::string(kTooMany) : "omitted: " + filter.error().message);
    return std::nullopt;
  }
  std::string block(reinterpret_cast<const char*>(filter->payload().data()), filter->payload().size());
  block.resize(block.size() + tail);
  seal_sst_block(filter->shape(), std::as_writable_bytes(std::span(block)), name());
  report_ = std::string(kind_name(spec_.kind)) + ", " + std::to_string(values) + " values, " +
            std::to_string(block.size()) + " bytes";
  return block;
}

}  // namespace crivo::plugin
