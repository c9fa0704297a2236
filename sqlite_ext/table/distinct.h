// Estimates the number of different keys in bounded memory by k minimum values (Bar-Yossef et al. 2002, "Counting
// Distinct Elements in a Data Stream").
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace crivo::sqlite {

/// Stores the smallest hashes, in 1 MiB. The count is exact up to kExact different hashes. Above, it is estimated from
/// the density of the smallest hashes, with a standard error of 1 / sqrt(kExact) = 0.4%.
class DistinctHashes {
 public:
  void add(std::uint64_t hash) {
    if (hash > largest_) return;
    kept_.push_back(hash);
    if (kept_.size() == 2 * kExact) shrink();
  }

  [[nodiscard]] std::uint64_t count() {
    shrink();
    if (largest_ == UINT64_MAX) return kept_.size();
    const double share = (static_cast<double>(largest_) + 1) / 0x1p64;  // of the hash values up to largest_
    return static_cast<std::uint64_t>(std::llround((kExact - 1) / share));
  }

 private:
  static constexpr std::size_t kExact = std::size_t{1} << 16;

  void shrink() {
    std::ranges::sort(kept_);
    kept_.erase(std::unique(kept_.begin(), kept_.end()), kept_.end());  // clang 14 cannot read ranges::unique
    if (kept_.size() <= kExact) return;
    kept_.resize(kExact);
    largest_ = kept_.back();
  }

  std::vector<std::uint64_t> kept_;
  std::uint64_t largest_ = UINT64_MAX;
};

}  // namespace crivo::sqlite
