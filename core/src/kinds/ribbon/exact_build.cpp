// Reads the keys up to three times: to count the members, to build the ribbon of the members, and to build the map of
// all keys that pass the ribbon.
#include "kinds/ribbon/exact_build.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "build/hash_collector.h"
#include "crivo/host/sizing.h"
#include "kinds/isa.h"
#include "kinds/ribbon/build.h"
#include "kinds/ribbon/exact_layout.h"
#include "kinds/ribbon/kernels.h"
#include "kinds/ribbon/sizes.h"

namespace crivo {
namespace {

constexpr std::uint64_t kReadAtOnce = 1 << 14;  // keys
constexpr std::size_t kAtOnce = 256;            // hashes per query of the ribbon

/// The hashes of the members among the keys of a build. Members may be rare, so take_highest() reads until it finds
/// some.
class Members final : public HashSource {
 public:
  Members(RecordSource<HashedValue>& keys, std::uint64_t size, BuildTask& task)
      : keys_(keys), task_(task), size_(size), found_(task.memory()), taken_(task.memory()) {}
  [[nodiscard]] std::uint64_t size() const noexcept override { return size_; }
  [[nodiscard]] Result<std::span<const std::uint64_t>> take_from(std::uint64_t first) override {
    while (!read_to_ || *read_to_ > first) {
      if (auto read = read_on(); !read) return read.error();
    }
    return take(std::ranges::partition_point(found_, [first](std::uint64_t hash) { return hash >= first; }));
  }
  [[nodiscard]] Result<std::span<const std::uint64_t>> take_highest() override {
    while (found_.empty() && read_to_ != 0U) {
      if (auto read = read_on(); !read) return read.error();
    }
    return take(found_.end());
  }

 private:
  /// Removes the hashes before `end` from found_, and returns them in ascending order.
  std::span<const std::uint64_t> take(std::pmr::vector<std::uint64_t>::iterator end) {
    taken_.assign(std::make_reverse_iterator(end), found_.rend());
    found_.erase(found_.begin(), end);
    return taken_;
  }

  /// Reads the next range of hashes, which has about kReadAtOnce keys.
  Result<void> read_on() {
    const std::uint64_t range = UINT64_MAX / (keys_.size() / kReadAtOnce + 1);
    const std::uint64_t from = read_to_ ? *read_to_ - std::min(*read_to_, range) : UINT64_MAX - range;
    const auto keys = keys_.take_from(from);
    if (!keys) return keys.error();
    read_to_ = from;
    for (std::size_t i = keys->size(); i-- > 0;) {
      if ((*keys)[i].value == 1) found_.push_back((*keys)[i].hash);
    }
    return task_.advance(0);  // lets the caller cancel, because there may be many other keys
  }

  RecordSource<HashedValue>& keys_;
  BuildTask& task_;
  std::uint64_t size_;
  std::pmr::vector<std::uint64_t> found_;  // not returned yet, in descending order
  std::pmr::vector<std::uint64_t> taken_;
  std::optional<std::uint64_t> read_to_;  // all hashes from here on were read; 0 at the end
};

class ExactBuilder {
 public:
  ExactBuilder(std::unique_ptr<StoredSource<HashedValue>> keys, std::uint64_t max_bytes, BuildTask& task)
      : keys_(std::move(keys)), max_bytes_(max_bytes), task_(task), payload_(task.payload_memory()) {}

  /// On entry, `form` has the columns for the rate; on return, the columns of the ribbon.
  Result<AlignedBytes> build(RibbonForm& form) && {
    if (auto counted = count_members(); !counted) return counted.error();
    const std::uint64_t others = keys_->size() - members_;
    plan_ = plan_exact(form, members_, others);
    payload_.reserve(static_cast<std::size_t>(std::min(plan_.bytes(members_), max_bytes_)));
    payload_.resize(kExactHeaderBytes);
    form = plan_.form;
    if (form.column_shares() != 0) {
      if (auto built = build_filter(form); !built) return built.error();
    }
    const std::size_t map_at = payload_.size();
    if (auto built = build_map_of_passed(); !built) return built.error();
    ExactHeader((map_at - kExactHeaderBytes) / 8, members_, others).store(payload_.data());
    return std::move(payload_);
  }

 private:
  // The approximate progress at the end of each step.
  static constexpr double kCounted = 0.05;
  static constexpr double kFiltered = 0.5;
  static constexpr double kPassed = 0.7;

  /// Calls `Result<void> use(some)` with all keys in batches, then rewinds the source.
  template <class Use>
  Result<void> for_all(Use&& use) {
    const auto all = static_cast<double>(keys_->size());
    double done = 0;
    for (;;) {
      const auto some = keys_->take_highest();
      if (!some) return some.error();
      if (some->empty()) break;
      if (auto used = use(*some); !used) return used;
      done += static_cast<double>(some->size());
      if (auto wanted = task_.advance(done / all); !wanted) return wanted;
    }
    keys_->rewind();
    return {};
  }

  Result<void> count_members() {
    task_.set_step(0, kCounted);
    return for_all([this](std::span<const HashedValue> some) -> Result<void> {
      members_ += static_cast<std::uint64_t>(std::ranges::count(some, 1U, &HashedValue::value));
      return {};
    });
  }

  Result<void> build_filter(RibbonForm& form) {
    task_.set_step(kCounted, kFiltered);
    if (form.share != 0) form = with_share_kept(form);
    auto built =
        build_ribbon(form, std::make_unique<Members>(*keys_, members_, task_), max_bytes_, std::move(payload_), task_);
    if (auto appended = append(std::move(built)); !appended) return appended;
    keys_->rewind();
    filter_ = View{Shape{.k = static_cast<std::uint8_t>(form.lean), .param = form.param()},
                   payload_.data() + kExactHeaderBytes, static_cast<std::size_t>(payload_.size() - kExactHeaderBytes)};
    filter_.shape.units = filter_.payload_bytes / 8;
    prepare_ribbon(filter_);
    return {};
  }

  /// Raises the share of rich blocks slightly. The last block of a level is rich, but no key starts there, so the share
  /// of keys in rich blocks would otherwise be too low.
  [[nodiscard]] RibbonForm with_share_kept(const RibbonForm& form) const noexcept {
    const std::uint64_t blocks = ribbon_level_blocks(members_);
    const std::uint64_t lean_share = kRibbonShares - form.share;
    return {kWideRibbon, form.column_shares() + std::min(lean_share, lean_share / blocks + 1)};
  }

  /// Builds the map of the members and of the other keys that pass the ribbon. Without a ribbon, all keys pass.
  Result<void> build_map_of_passed() {
    RecordCollector<HashedValue> passed(members_ + static_cast<std::uint64_t>(plan_.passing), task_);
    if (members_ != 0) {
      task_.set_step(kFiltered, kPassed);
      auto collected = for_all([&](std::span<const HashedValue> some) { return collect_passed(some, passed); });
      if (!collected) return collected;
    }
    keys_.reset();
    if (passed.empty()) {  // there are no members
      payload_.resize(payload_.size() + 8);
      return {};
    }
    auto sorted = std::move(passed).sorted();
    if (!sorted) return sorted.error();
    task_.set_step(kPassed, 1);
    return append(build_map(kExactMapForm, 1, *std::move(sorted), max_bytes_, std::move(payload_), task_));
  }

  Result<void> append(Result<AlignedBytes> longer) {
    if (!longer) return longer.error();
    payload_ = *std::move(longer);
    return {};
  }

  Result<void> collect_passed(std::span<const HashedValue> keys, RecordCollector<HashedValue>& passed) const {
    std::array<std::uint64_t, kAtOnce> hashes;
    std::array<bool, kAtOnce> hits;
    std::array<HashedValue, kAtOnce> chosen;
    for (; !keys.empty(); keys = keys.subspan(std::min(keys.size(), kAtOnce))) {
      const auto some = keys.first(std::min(keys.size(), kAtOnce));
      std::ranges::transform(some, hashes.begin(), &HashedValue::hash);
      hits.fill(true);
      if (filter_.payload != nullptr) {
        kernels_in_use<RibbonKernels>().ribbon.contains_batch(filter_, hashes.data(), some.size(), hits.data());
      }
      std::size_t count = 0;
      for (std::size_t i = 0; i < some.size(); ++i) {
        chosen[count] = {some[i].hash * kExactMapHash, some[i].value};
        count += hits[i];
      }
      if (auto added = passed.add(std::span(chosen).first(count)); !added) return added;
    }
    return {};
  }

  std::unique_ptr<StoredSource<HashedValue>> keys_;
  std::uint64_t max_bytes_;
  BuildTask& task_;
  AlignedBytes payload_;
  std::uint64_t members_ = 0;
  ExactPlan plan_;
  View filter_;  // no payload: no ribbon
};

}  // namespace

std::uint64_t ExactPlan::bytes(std::uint64_t members) const noexcept {
  const std::uint64_t filter_words = form.column_shares() == 0 ? 0 : ribbon_words(members, form);
  const auto others = static_cast<std::uint64_t>(passing + 4 * std::sqrt(passing) + passing / 64);
  const std::uint64_t map_words = members == 0 ? 1 : ribbon_words(members + others, kExactMapForm);
  return kExactHeaderBytes + 8 * (filter_words + map_words);
}

ExactPlan plan_exact(const RibbonForm& wanted, std::uint64_t members, std::uint64_t others) noexcept {
  constexpr double kMapBits = 1.016;  // per key of the map
  constexpr double kThresholdBits = 1.0 / kRibbonBlockSlots;
  if (members == 0) return {};
  const double others_each = static_cast<double>(others) / static_cast<double>(members);
  ExactPlan best;
  double fewest = HUGE_VAL;
  for (unsigned columns = wanted.lean; columns <= kMaxRibbonColumns; ++columns) {
    const RibbonForm form =
        columns == wanted.lean ? wanted : RibbonForm(kWideRibbon, columns * std::uint64_t{kRibbonShares});
    const double passing_each = others_each * ribbon_fp_rate(form.lean, static_cast<unsigned>(form.share));
    const double filter_bits =
        form.column_shares() == 0 ? 0 : static_cast<double>(form.column_shares()) / kRibbonShares + kThresholdBits;
    const double bits = filter_bits + kMapBits * (1 + passing_each);
    if (bits >= fewest) continue;
    fewest = bits;
    best = {form, passing_each * static_cast<double>(members)};
  }
  return best;
}

Result<AlignedBytes> build_exact(RibbonForm& form, std::unique_ptr<StoredSource<HashedValue>> keys,
                                 std::uint64_t max_bytes, BuildTask& task) {
  return ExactBuilder(std::move(keys), max_bytes, task).build(form);
}

}  // namespace crivo
