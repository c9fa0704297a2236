// Builds a map or an exact filter from pairs of a key's hash and its value. Under a memory limit, pairs that do not fit
// go to a file, as in key_builder.cpp.
#include <algorithm>
#include <bit>
#include <utility>

#include "base/error_text.h"
#include "build/buffered_hashes.h"
#include "build/build_task.h"
#include "build/run_reader.h"
#include "filter/builder_state.h"
#include "filter/filter_build.h"

namespace crivo {

namespace {

class PairBuilder final : public BuilderState {
 public:
  PairBuilder(const BuilderRequest& request, const KindInfo& kind)
      : request_(request),
        kind_(kind),
        spec_(request_.spec),
        options_(request_.options),
        budget_(options_.max_memory, sizeof(HashedValue)),
        pairs_(false, options_, budget_),
        most_(kind.can.exact ? 1 : UINT64_MAX >> (64 - (spec_.value_bits == 0 ? kMaxValueBits : spec_.value_bits))) {}

  Result<void> add_hash(std::uint64_t /*key_hash*/) override { return FilterBuild::lacks_value(kind_); }
  Result<void> add_hashes(std::span<const std::uint64_t> key_hashes) override {
    return key_hashes.empty() ? Result<void>() : FilterBuild::lacks_value(kind_);
  }
  Result<void> add_hashes(std::span<const std::uint64_t> key_hashes, std::span<const std::uint64_t> values) override {
    for (std::size_t i = 0; i < key_hashes.size(); ++i) {
      if (values[i] > most_) return bad_argument("value must be in [0, ", most_, "], got ", values[i]);
      if (auto added = pairs_.add({key_hashes[i], values[i]}); !added) return explain_error(added.error());
      largest_ = std::max(largest_, values[i]);
      ++keys_;
    }
    return {};
  }

  Result<AnyFilter> finish() override {
    Result<AnyFilter> built = build();
    if (!built) return explain_error(built.error());
    return built;
  }

 private:
  /// Rewrites the error of a key with two values. In an exact filter, two values mean that the key is both a member and
  /// a non-member.
  [[nodiscard]] Error explain_error(const Error& why) const {
    if (!why.key_hash || !kind_.can.exact) return why;
    Error both =
        bad_argument("key must be in only one set, got one in both, or two with the same hash, ", *why.key_hash);
    both.key_hash = why.key_hash;
    return both;
  }

  [[nodiscard]] Result<AnyFilter> build() {
    BuildTask task(options_, budget_);
    const Result<std::uint64_t> distinct = count_pairs(task);
    if (!distinct.has_value()) return distinct.error();
    FilterSpec spec = spec_;
    if (spec.capacity == 0) spec.capacity = std::max<std::uint64_t>(1, *distinct);
    if (!spec.members) spec.members = ones_;
    if (spec.value_bits == 0) spec.value_bits = std::max(1U, static_cast<unsigned>(std::bit_width(largest_)));
    const Result<FilterPlan> plan = plan_filter(spec, options_.max_bytes);
    if (!plan) return plan.error();
    Result<AnyFilter> built = build_once(*plan, spec, pairs_, *distinct, options_, task);
    if (built) FilterBuild::count_added(*built, keys_ - built->facts().keys);
    return built;
  }

  /// Counts the distinct keys, and those with the value 1 (an exact filter's members). Errors: as RunReader.
  [[nodiscard]] Result<std::uint64_t> count_pairs(BuildTask& task) {
    const auto count_ones = [this](std::span<const HashedValue> keys) {
      ones_ += static_cast<std::uint64_t>(std::ranges::count(keys, 1U, &HashedValue::value));
    };
    if (!pairs_.spilled()) {
      task.set_reserved(sizeof(HashedValue) * pairs_.size());
      if (auto dropped = pairs_.drop_repeated(task); !dropped) return dropped.error();
      count_ones(pairs_.in_memory());
      return pairs_.size();
    }
    if (auto spilled = pairs_.spill(); !spilled) return spilled.error();
    task.set_reserved(pairs_.runs().index_bytes());
    return count_distinct<HashedValue>(pairs_.runs(), task, count_ones);
  }

  BuilderRequest request_;
  const KindInfo& kind_;
  const FilterSpec& spec_;
  const BuildOptions& options_;
  MemoryBudget budget_;
  BufferedRecords<HashedValue> pairs_;
  std::uint64_t most_;  // the largest allowed value
  std::uint64_t largest_ = 0;
  std::uint64_t ones_ = 0;  // among the distinct keys; set by count_pairs
};

}  // namespace

std::unique_ptr<BuilderState> pair_builder(const BuilderRequest& request, const KindInfo& kind) {
  return std::make_unique<PairBuilder>(request, kind);
}

}  // namespace crivo
