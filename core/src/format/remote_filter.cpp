#include "crivo/remote_filter.h"

#include <algorithm>
#include <mutex>
#include <numeric>
#include <utility>

#include "base/error_text.h"
#include "crivo/host/partial_filter.h"

namespace crivo {
namespace {

constexpr std::size_t kMostTogether = 65536;  // keys of a batch whose missing bytes are fetched together
constexpr int kMostManifests = 3;             // that are read again for one question

std::uint64_t bytes_of(const MissingRanges& ranges) {
  return std::accumulate(ranges.begin(), ranges.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const RemoteRange& range) { return sum + range.bytes; });
}

}  // namespace

class RemoteFilter::State {
 public:
  State(std::unique_ptr<RangeReader> reader, const RemoteOptions& options)
      : reader_(std::move(reader)), max_memory_(options.max_memory), filter_(options) {}

  /// Calls ask(filter, missing) until nothing is missing, and fetches what is. One thread at a time has the filter;
  /// the others fetch meanwhile.
  template <class Ask>
  Result<void> ask(const Ask& ask_once);
  /// The same for many hashes, as many at once as fit in memory: ask(filter, begin, count, missing).
  template <class Ask>
  Result<void> ask_many(std::size_t hashes, const Ask& ask_once);

  [[nodiscard]] const PartialFilter& filter() const noexcept { return filter_; }

 private:
  Result<void> fetch(MissingRanges& ranges, int& manifests);

  const std::unique_ptr<RangeReader> reader_;
  const std::uint64_t max_memory_;
  std::mutex mutex_;  // of the filter
  PartialFilter filter_;
};

template <class Ask>
Result<void> RemoteFilter::State::ask(const Ask& ask_once) {
  MissingRanges missing;
  int manifests = 0;
  for (bool first = true;; first = false) {
    {
      const std::lock_guard lock(mutex_);
      if (first) filter_.make_room();
      if (auto asked = ask_once(filter_, missing); !asked || missing.empty()) return asked;
    }
    if (auto fetched = fetch(missing, manifests); !fetched) return fetched;
  }
}

template <class Ask>
Result<void> RemoteFilter::State::ask_many(std::size_t hashes, const Ask& ask_once) {
  std::size_t together = kMostTogether;
  for (std::size_t begin = 0; begin < hashes;) {
    std::size_t count = 0;
    auto asked = ask([&](PartialFilter& filter, MissingRanges& missing) -> Result<void> {
      for (;; together /= 2) {
        count = std::min(together, hashes - begin);
        if (auto once = ask_once(filter, begin, count, missing); !once) return once;
        if (count == 1 || bytes_of(missing) <= max_memory_ / 2) return {};
      }
    });
    if (!asked) return asked;
    begin += count;
  }
  return {};
}

// A part's file that cannot be read may have been replaced. Then the manifest names another.
Result<void> RemoteFilter::State::fetch(MissingRanges& ranges, int& manifests) {
  const Result<void> read = reader_->read(ranges);
  if (read) {
    const std::lock_guard lock(mutex_);
    for (const RemoteRange& range : ranges) {
      if (auto supplied = filter_.supply(range); !supplied) return supplied;
    }
    return {};
  }
  const bool of_parts = std::ranges::any_of(ranges, [](const RemoteRange& range) { return !range.file.empty(); });
  if (!of_parts || manifests++ == kMostManifests) return read;
  {
    const std::lock_guard lock(mutex_);
    filter_.read_manifest_again();
  }
  if (auto opened = ask([](PartialFilter& filter, MissingRanges& missing) { return filter.open(missing); }); !opened) {
    return opened;
  }
  const std::lock_guard lock(mutex_);
  const bool as_before =
      std::ranges::all_of(ranges, [&](const RemoteRange& range) { return filter_.names(range.file); });
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

Result<void> RemoteFilter::may_contain_hashes(std::span<const std::uint64_t> hashes, std::span<bool> hits) {
  return state_->ask_many(
      hashes.size(), [&](PartialFilter& filter, std::size_t begin, std::size_t count, MissingRanges& missing) {
        return filter.may_contain_hashes(hashes.subspan(begin, count), hits.subspan(begin, count), missing);
      });
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
