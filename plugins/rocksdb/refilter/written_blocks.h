// For how many keys does a policy write a filter block like this one?
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "builder/builder.h"
#include "refilter/planned_filter.h"
#include "sst/file_filters.h"

namespace crivo::refilter {

/// A number of keys that is known by its bounds.
struct KeyCount {
  std::uint64_t least = 0;
  std::uint64_t most = 0;
};

/// The blocks that a builder of RocksDB's own policies writes.
class TheirBlocks {
 public:
  /// is_rounded: with optimize_filters_for_memory a filter gets as many bytes as malloc has for it.
  TheirBlocks(abi::FilterBitsBuilder& builder, bool is_rounded) noexcept : builder_(builder), is_rounded_(is_rounded) {}

  /// The numbers of keys for which it writes a block of this kind and size, of at most `most`; no value if for none.
  [[nodiscard]] std::optional<KeyCount> keys_of(const sst::FilterFacts& block, std::uint64_t most);

 private:
  abi::FilterBitsBuilder& builder_;
  bool is_rounded_;
};

/// The blocks that builders of ours write for a file.
class OurBlocks {
 public:
  /// make: gives a new builder for the file. One that has built a filter leaves less room to the next one.
  explicit OurBlocks(std::function<Builder()> make)
      : make_(std::move(make)), builder_(make_()), sizing_(ours().sizing()), limits_(ours().limits()) {}

  /// As TheirBlocks::keys_of.
  [[nodiscard]] std::optional<KeyCount> keys_of(const sst::FilterFacts& block) const;
  /// Whether max_filter_bytes is why the filters of a file, which are no blocks of keys_of, are what they are.
  [[nodiscard]] bool are_bounded(const sst::FileFilters& filters) const;
  /// Whether max_filter_bytes leaves nothing to those of the file's blocks that let every key pass.
  [[nodiscard]] bool has_no_room(const sst::FileFilters& filters) const;
  /// Whether repeated keys are dropped before a block is sized.
  [[nodiscard]] bool drops_repeated() const noexcept { return sizing_.takes_set(); }

 private:
  [[nodiscard]] const plugin::BlockBuilder& ours() const { return static_cast<const plugin::BlockBuilder&>(*builder_); }
  [[nodiscard]] bool is_ribbon_for(const sst::FilterFacts& block) const;
  [[nodiscard]] bool lacks_memory(std::size_t keys) const;
  [[nodiscard]] sst::FilterFacts sample(std::size_t keys) const;

  std::function<Builder()> make_;
  Builder builder_;
  const plugin::BlockSizing& sizing_;
  const plugin::BuildLimits& limits_;
};

}  // namespace crivo::refilter
