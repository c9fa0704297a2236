#include "build/hash_source.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "build/sort.h"

namespace crivo {
namespace {

/// Hashes in an array, distinct and in ascending order.
class HashSpan : public HashSource {
 public:
  explicit HashSpan(std::span<const std::uint64_t> hashes) noexcept : left_(hashes), size_(hashes.size()) {}
  [[nodiscard]] std::uint64_t size() const noexcept override { return size_; }
  [[nodiscard]] Result<std::span<const std::uint64_t>> take_from(std::uint64_t first) override {
    const auto at = static_cast<std::size_t>(std::lower_bound(left_.begin(), left_.end(), first) - left_.begin());
    const auto taken = left_.subspan(at);
    left_ = left_.first(at);
    return taken;
  }
  [[nodiscard]] Result<std::span<const std::uint64_t>> take_highest() override {
    constexpr std::size_t kAtOnce = std::size_t{1} << 16;  // between two reports of progress
    const auto taken = left_.last(std::min(left_.size(), kAtOnce));
    left_ = left_.first(left_.size() - taken.size());
    return taken;
  }

 private:
  std::span<const std::uint64_t> left_;
  std::size_t size_;
};

class OwnedHashes final : public HashSpan {
 public:
  OwnedHashes(std::pmr::vector<std::uint64_t> hashes, std::size_t distinct)
      : HashSpan(std::span(hashes).first(distinct)), hashes_(std::move(hashes)) {}

 private:
  std::pmr::vector<std::uint64_t> hashes_;
};

}  // namespace

Result<std::unique_ptr<HashSource>> source_of(std::span<const std::uint64_t> hashes, BuildTask& task) {
  if (std::adjacent_find(hashes.begin(), hashes.end(), std::greater_equal<>()) == hashes.end()) {
    return std::unique_ptr<HashSource>(std::make_unique<HashSpan>(hashes));
  }
  std::pmr::vector<std::uint64_t> sorted(hashes.begin(), hashes.end(), task.memory());
  const Result<std::size_t> distinct = sort_distinct(sorted, task);
  if (!distinct.has_value()) return distinct.error();
  return std::unique_ptr<HashSource>(std::make_unique<OwnedHashes>(std::move(sorted), *distinct));
}

std::unique_ptr<HashSource> source_of_sorted(std::pmr::vector<std::uint64_t> hashes) {
  const std::size_t distinct = hashes.size();
  return std::make_unique<OwnedHashes>(std::move(hashes), distinct);
}

}  // namespace crivo
