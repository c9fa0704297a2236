#include "crivo/remote_filter.h"

#include <algorithm>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <utility>

#include "crivo/host/partial_filter.h"
#include "format/manifest.h"

namespace crivo {
namespace {

constexpr std::size_t kMostTogether = 65536;  // keys of a batch whose missing bytes are fetched together
constexpr int kMostManifests = 3;             // that are read again for one question

}  // namespace

class RemoteFilter::State {
 public:
  State(std::unique_ptr<RangeReader> reader, const RemoteOptions& options)
      : reader_(std::move(reader)), filter_(options) {}

  /// Calls ask(filter, missing) until nothing is missing, and fetches what is.
  template <class Ask>
  Result<void> ask(const Ask& ask_once);
  /// The same for many hashes, as many at once as there is room for: ask(filter, begin, count, missing).
  template <class Ask>
  Result<void> ask_many(std::size_t hashes, const Ask& ask_once);

  [[nodiscard]] const PartialFilter& filter() const noexcept { return filter_; }

 private:
  template <class Ask>
  Result<void> ask_until_answered(const Ask& ask_once);
  Result<void> fetch(MissingRanges& ranges, int& manifests);

  const std::unique_ptr<RangeReader> reader_;
  // One thread at a time has the filter; the others fetch meanwhile.
  std::mutex mutex_;
  PartialFilter filter_;
  int asking_ = 0;
  std::condition_variable one_less_;
};

// A question that finds no room waits until the others have their answers, lest it give up what they have fetched.
template <class Ask>
Result<void> RemoteFilter::State::ask(const Ask& ask_once) {
  {
    std::unique_lock lock(mutex_);
    one_less_.wait(lock, [&] { return asking_ == 0 || filter_.has_room(); });
    filter_.make_room();
    ++asking_;
  }
  const auto less = [&](const int*) {
    const std::lock_guard lock(mutex_);
    --asking_;
    one_less_.notify_all();
  };
  const std::unique_ptr<const int, decltype(less)> at_the_end(&asking_, less);
  return ask_until_answered(ask_once);
}

template <class Ask>
Result<void> RemoteFilter::State::ask_until_answered(const Ask& ask_once) {
  MissingRanges missing;
  for (int manifests = 0;;) {
    {
      const std::lock_guard lock(mutex_);
      auto asked = ask_once(filter_, missing);
      if (!asked || missing.empty() || filter_.is_crowded()) return asked;
    }
    if (auto fetched = fetch(missing, manifests); !fetched) return fetched;
  }
}

template <class Ask>
Result<void> RemoteFilter::State::ask_many(std::size_t hashes, const Ask& ask_once) {
  std::size_t together = kMostTogether;
  std::size_t begin = 0;
  do {
    const std::size_t count = std::min(together, hashes - begin);
    bool is_crowded = false;
    auto asked = ask([&](PartialFilter& filter, MissingRanges& missing) {
      auto once = ask_once(filter, begin, count, missing);
      is_crowded = filter.is_crowded();
      return once;
    });
    if (!asked) return asked;
    if (is_crowded) {
      together = count / 2;
    } else {
      begin += count;
      together = std::min(2 * together, kMostTogether);
    }
  } while (begin < hashes);
  return {};
}

// A part's file that cannot be read may have been replaced. Then the manifest names another.
Result<void> RemoteFilter::State::fetch(MissingRanges& ranges, int& manifests) {
  const MissingRanges asked = ranges;
  Result<void> read = reader_->read(ranges);
  if (read) {
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < asked.size(); ++i) {
      RemoteRange range = asked[i];
      range.found = std::move(ranges[i].found);
      range.version = std::move(ranges[i].version);
      if (auto supplied = filter_.supply(range); !supplied) return supplied;
    }
    return {};
  }
  const bool of_parts = std::ranges::any_of(asked, [](const RemoteRange& range) { return !range.file.empty(); });
  if (!of_parts || manifests++ == kMostManifests) return read;
  {
    const std::lock_guard lock(mutex_);
    filter_.read_manifest_again();
  }
  const auto open = [](PartialFilter& filter, MissingRanges& missing) { return filter.open(missing); };
  if (auto opened = ask_until_answered(open); !opened) return opened;
  const std::lock_guard lock(mutex_);
  const bool as_before =
      std::ranges::all_of(asked, [&](const RemoteRange& range) { return filter_.names(range.file); });
  return as_before ? read : Result<void>();
}

RemoteFilter::RemoteFilter(std::unique_ptr<State> state) noexcept : state_(std::move(state)) {}
RemoteFilter::RemoteFilter(RemoteFilter&&) noexcept = default;
RemoteFilter& RemoteFilter::operator=(RemoteFilter&&) noexcept = default;
RemoteFilter::~RemoteFilter() = default;

Result<RemoteFilter> RemoteFilter::open(std::unique_ptr<RangeReader> reader, const RemoteOptions& options) {
  auto state = std::make_unique<State>(std::move(reader), options);
  auto opened = state->ask([](PartialFilter& filter, MissingRanges& missing) { return filter.open(missing); });
  if (!opened) return opened.error();
  return RemoteFilter(std::move(state));
}

Result<bool> RemoteFilter::may_contain_hash(std::uint64_t key_hash) {
  bool hit = false;
  if (auto asked = may_contain_hashes({&key_hash, 1}, {&hit, 1}); !asked) return asked.error();
  return hit;
}

// Sorted by their parts, so that as many as there is room for need few of them.
Result<void> RemoteFilter::may_contain_hashes(std::span<const std::uint64_t> hashes, std::span<bool> hits) {
  const auto ask = [&](std::span<const std::uint64_t> asked, std::span<bool> found) {
    return state_->ask_many(
        asked.size(), [&](PartialFilter& filter, std::size_t begin, std::size_t count, MissingRanges& missing) {
          return filter.may_contain_hashes(asked.subspan(begin, count), found.subspan(begin, count), missing);
        });
  };
  if (hashes.size() < 2 || shape().kind != Kind::kParts) return ask(hashes, hits);
  const HashesByPart sorted(hashes, static_cast<std::uint32_t>(shape().units));
  const auto found = std::make_unique<bool[]>(hashes.size());
  auto asked = ask(sorted.sorted(), {found.get(), hashes.size()});
  for (std::size_t i = 0; i < hashes.size(); ++i) hits[sorted.places()[i]] = found[i];
  return asked;
}

Result<std::uint64_t> RemoteFilter::count_hash(std::uint64_t key_hash) {
  std::uint64_t count = 0;
  auto asked = state_->ask(
      [&](PartialFilter& filter, MissingRanges& missing) { return filter.count_hash(key_hash, count, missing); });
  if (!asked) return asked.error();
  return count;
}

Result<bool> RemoteFilter::may_contain_range(std::uint64_t low, std::uint64_t high) {
  bool hit = false;
  auto asked = state_->ask(
      [&](PartialFilter& filter, MissingRanges& missing) { return filter.may_contain_range(low, high, hit, missing); });
  if (!asked) return asked.error();
  return hit;
}

Result<std::optional<std::uint64_t>> RemoteFilter::find_hash(std::uint64_t key_hash) {
  std::uint64_t value = 0;
  bool found = false;
  if (auto asked = find_hashes({&key_hash, 1}, {&value, 1}, {&found, 1}); !asked) return asked.error();
  return found ? std::optional(value) : std::nullopt;
}

Result<void> RemoteFilter::find_hashes(std::span<const std::uint64_t> hashes, std::span<std::uint64_t> values,
                                       std::span<bool> found) {
  return state_->ask_many(hashes.size(),
                          [&](PartialFilter& filter, std::size_t begin, std::size_t count, MissingRanges& missing) {
                            return filter.find_hashes(hashes.subspan(begin, count), values.subspan(begin, count),
                                                      found.subspan(begin, count), missing);
                          });
}

const Shape& RemoteFilter::shape() const noexcept { return state_->filter().shape(); }
const Facts& RemoteFilter::facts() const noexcept { return state_->filter().facts(); }
const KindInfo& RemoteFilter::kind() const noexcept { return state_->filter().kind(); }
std::uint64_t RemoteFilter::payload_bytes() const noexcept { return state_->filter().payload_bytes(); }

}  // namespace crivo
