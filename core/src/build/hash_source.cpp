#include "build/hash_source.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "build/sort.h"

namespace crivo {
namespace {

/// An array of distinct hashes in ascending order.
template <class Record>
class HashSpan : public StoredSource<Record> {
 public:
  explicit HashSpan(std::span<const Record> hashes) noexcept : all_(hashes), left_(hashes) {}
  [[nodiscard]] std::uint64_t size() const noexcept override { return all_.size(); }
  [[nodiscard]] Result<std::span<const Record>> take_from(std::uint64_t first) override {
    const std::size_t at = first_from(left_, first);
    const auto taken = left_.subspan(at);
    left_ = left_.first(at);
    return taken;
  }
  [[nodiscard]] Result<std::span<const Record>> take_highest() override {
    constexpr std::size_t kAtOnce = std::size_t{1} << 16;  // between two progress reports
    const auto taken = left_.last(std::min(left_.size(), kAtOnce));
    left_ = left_.first(left_.size() - taken.size());
    return taken;
  }
  void rewind() noexcept override { left_ = all_; }

 private:
  std::span<const Record> all_;
  std::span<const Record> left_;
};

template <class Record>
class OwnedHashes final : public HashSpan<Record> {
 public:
  OwnedHashes(std::pmr::vector<Record> hashes, std::size_t distinct)
      : HashSpan<Record>(std::span(hashes).first(distinct)), hashes_(std::move(hashes)) {}

 private:
  std::pmr::vector<Record> hashes_;
};

}  // namespace

template <class Record>
Result<std::unique_ptr<StoredSource<Record>>> source_of(std::span<const Record> hashes, BuildTask& task) {
  const auto is_ascending = [](const Record& a, const Record& b) { return hash_of(a) < hash_of(b); };
  if (std::adjacent_find(hashes.begin(), hashes.end(), std::not_fn(is_ascending)) == hashes.end()) {
    return std::unique_ptr<StoredSource<Record>>(std::make_unique<HashSpan<Record>>(hashes));
  }
  std::pmr::vector<Record> sorted(hashes.begin(), hashes.end(), task.memory());
  const Result<std::size_t> distinct = sort_distinct(sorted, task);
  if (!distinct.has_value()) return distinct.error();
  return std::unique_ptr<StoredSource<Record>>(std::make_unique<OwnedHashes<Record>>(std::move(sorted), *distinct));
}

template <class Record>
std::unique_ptr<StoredSource<Record>> source_of_sorted(std::pmr::vector<Record> hashes) {
  const std::size_t distinct = hashes.size();
  return std::make_unique<OwnedHashes<Record>>(std::move(hashes), distinct);
}

template Result<std::unique_ptr<StoredSource<std::uint64_t>>> source_of(std::span<const std::uint64_t>, BuildTask&);
template Result<std::unique_ptr<StoredSource<HashedValue>>> source_of(std::span<const HashedValue>, BuildTask&);
template std::unique_ptr<StoredSource<std::uint64_t>> source_of_sorted(std::pmr::vector<std::uint64_t>);
template std::unique_ptr<StoredSource<HashedValue>> source_of_sorted(std::pmr::vector<HashedValue>);

}  // namespace crivo
