// A filter that lies elsewhere, without the fetching: it says what it misses, and is given it. For hosts that fetch in
// a way of their own, such as pages in a browser, which cannot wait; crivo/remote_filter.h is this with a loop around.
//
// A question is asked until nothing is missing: then it is answered. Whoever asks fetches what is missing in between,
// and gives it to supply(). Questions may do that side by side.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "crivo/filter.h"
#include "crivo/remote_filter.h"
#include "crivo/result.h"

namespace crivo {

/// What a question misses. The ranges have no bytes yet.
using MissingRanges = std::vector<RemoteRange>;

/// To be used by one thread at a time.
class PartialFilter {
 public:
  explicit PartialFilter(const RemoteOptions& options);
  PartialFilter(PartialFilter&&) noexcept;
  PartialFilter& operator=(PartialFilter&&) noexcept;
  ~PartialFilter();

  /// Call it before each new question. It may give up what other questions have fetched and not used yet: if any are
  /// under way and has_room() is false, wait for them first.
  void make_room();
  [[nodiscard]] bool has_room() const noexcept;
  /// Whether the last question needs more memory than it may: ask fewer hashes at a time, after make_room(). What is
  /// missing need not be fetched. One hash always may.
  [[nodiscard]] bool is_crowded() const noexcept;

  // Each sets `missing`. There is an answer only if that is empty, and !is_crowded(). Errors: as RemoteFilter.
  Result<void> open(MissingRanges& missing);
  Result<void> may_contain_hashes(std::span<const std::uint64_t> hashes, std::span<bool> hits, MissingRanges& missing);
  Result<void> count_hash(std::uint64_t hash, std::uint64_t& count, MissingRanges& missing);
  Result<void> may_contain_range(std::uint64_t low, std::uint64_t high, bool& hit, MissingRanges& missing);
  Result<void> find_hashes(std::span<const std::uint64_t> hashes, std::span<std::uint64_t> values,
                           std::span<bool> found, MissingRanges& missing);

  /// Takes what was found of a range. Errors: kCorrupt for a file that ends too soon.
  Result<void> supply(const RemoteRange& range);

  /// For a part's file that cannot be read: it may have been replaced. The manifest is missing from now on.
  void read_manifest_again();
  /// Whether the file is the filter's own, or that of one of its parts. The filter must be open.
  [[nodiscard]] bool names(const std::string& file) const;

  // What RemoteFilter says. It must have been open once.
  [[nodiscard]] const Shape& shape() const noexcept;
  [[nodiscard]] const Facts& facts() const noexcept;
  [[nodiscard]] const KindInfo& kind() const noexcept;
  [[nodiscard]] std::uint64_t payload_bytes() const noexcept;
  /// Of the process, for what is here; RemoteOptions::max_memory is its limit.
  [[nodiscard]] std::uint64_t memory_bytes() const noexcept;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace crivo
