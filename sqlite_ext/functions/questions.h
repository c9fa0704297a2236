// The questions that functions put to a filter, wherever the filter comes from.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "values/boundary.h"
#include "values/json_keys.h"
#include "values/kept_filters.h"

namespace crivo::sqlite {

/// Whether the filter may have the key.
class Contains {
 public:
  explicit Contains(const KeyBytes& key) : key_(key) {}
  Answer operator()(const FilterRef& filter) const {
    return key_.is_null() ? Answer{} : Answer{filter.may_contain(key_.view())};
  }
  [[nodiscard]] const KeyBytes& key() const noexcept { return key_; }

 private:
  const KeyBytes& key_;
};

/// How often the key was added.
class Count {
 public:
  explicit Count(const KeyBytes& key) : key_(key) {}
  Answer operator()(const FilterRef& filter) const {
    if (key_.is_null()) return {};
    return static_cast<std::int64_t>(unwrap(filter.count(key_.view())));
  }

 private:
  const KeyBytes& key_;
};

/// Asks for all keys of a JSON array at once, and answers what `judge(hits)` makes of the hits.
template <class Judge>
class AskForMany {
 public:
  AskForMany(const Call& call, std::size_t arg, const Judge& judge) : call_(call), arg_(arg), judge_(judge) {}
  Answer operator()(const FilterRef& filter) const {
    if (call_.is_null(arg_)) return {};
    if (!hashes_) hashes_ = hash_json_keys(call_, arg_, filter.shape().seed);
    const auto hits = std::make_unique<bool[]>(hashes_->size());
    filter.may_contain_hashes(*hashes_, {hits.get(), hashes_->size()});
    return Answer{judge_(std::span<const bool>(hits.get(), hashes_->size()))};
  }

 private:
  const Call& call_;
  std::size_t arg_;
  const Judge& judge_;
  mutable std::optional<std::vector<std::uint64_t>> hashes_;  // read once, although the filter may be asked twice
};

inline constexpr auto kAnyHit = [](std::span<const bool> hits) { return std::ranges::find(hits, true) != hits.end(); };
inline constexpr auto kAllHits = [](std::span<const bool> hits) {
  return std::ranges::find(hits, false) == hits.end();
};

}  // namespace crivo::sqlite
