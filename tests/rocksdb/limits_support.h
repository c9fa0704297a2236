// Shared by the tests of builders with limits: keys, and the blocks that a builder makes from them.
#pragma once

#include <span>

#include "builder/builder.h"
#include "crivo/host/sst_block.h"
#include "support.h"

namespace crivo::testing {

inline constexpr std::size_t kChunk = BuildMemory::kChunkBytes;
inline constexpr std::size_t kMin = 96;         // bytes of the smallest filter
inline constexpr std::size_t kAlwaysMaybe = 6;  // bytes of a filter that every key passes

inline BlockSizing sizing_of(Kind kind) { return BlockSizing({.kind = kind, .bits_per_key = 10, .fp_rate = 0.0096}); }

inline BlockBuilder make_builder(Kind kind, const BuildLimits& limits, bool verify = false) {
  return BlockBuilder(sizing_of(kind), verify, nullptr, nullptr, limits);
}

/// A key of eight bytes, because the long test needs many.
inline std::string short_key(std::uint64_t number) {
  const std::uint64_t mixed = number * 0x9e3779b97f4a7c15;
  return {reinterpret_cast<const char*>(&mixed), sizeof mixed};
}

inline std::string build(abi::FilterBitsBuilder& builder, std::uint64_t begin, std::uint64_t end) {
  for (std::uint64_t i = begin; i < end; ++i) builder.AddKey(short_key(i));
  std::string block = finish(builder);
  EXPECT_TRUE(builder.MaybePostVerify(block).ok() || block.size() == 6);
  return block;
}

inline FilterRef opened(const std::string& block) {
  const auto filter = open_sst_block(std::as_bytes(std::span(block)));
  EXPECT_TRUE(filter) << "a block of " << block.size() << " bytes";
  return *filter;
}

inline std::uint64_t count_missing(const std::string& block, std::uint64_t begin, std::uint64_t end,
                                   std::uint64_t step = 1) {
  const FilterRef filter = opened(block);
  std::uint64_t missing = 0;
  for (std::uint64_t i = begin; i < end; i += step) missing += !filter.may_contain(short_key(i));
  return missing;
}

}  // namespace crivo::testing
