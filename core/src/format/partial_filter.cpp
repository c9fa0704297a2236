#include "crivo/host/partial_filter.h"

#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/error_text.h"
#include "crivo/map.h"
#include "format/manifest.h"
#include "format/partial_file.h"
#include "kinds/registry.h"

namespace crivo {
namespace {

constexpr const char* kName = "the manifest";  // whose own name only those know who fetch it
constexpr std::uint64_t kLeastMemory = std::uint64_t{1} << 16;
constexpr std::uint64_t kMostMemory = std::uint64_t{1} << 62;  // as good as any
constexpr std::string_view kFolder = ".parts/";

/// What follows the name of the manifest.
std::string file_of_part(const Manifest& manifest, std::uint32_t number) {
  return std::string(kFolder) + name_of_part(number, manifest.parts[number].checksum);
}

/// The part whose file this is, if there is one.
std::optional<std::uint32_t> part_of_file(const Manifest& manifest, const std::string& file) {
  std::uint32_t number = 0;
  const char* digits = file.data() + std::min(kFolder.size(), file.size());
  const auto read = std::from_chars(digits, file.data() + file.size(), number);
  if (read.ec != std::errc() || number >= manifest.parts.size() || file_of_part(manifest, number) != file) return {};
  return number;
}

}  // namespace

class PartialFilter::State {
 public:
  explicit State(const RemoteOptions& options)
      : options_{std::clamp(options.max_memory, kLeastMemory, kMostMemory), options.verify}, file_(file(0)) {}

  Result<void> open(MissingRanges& missing);
  Result<void> contains(std::span<const std::uint64_t> hashes, std::span<bool> hits, MissingRanges& missing);
  /// Calls answer(filter) once need(file, missing) misses nothing of the filter's own file.
  template <class Need, class Answer>
  Result<void> ask_file(const Need& need, MissingRanges& missing, const Answer& answer);
  /// Calls answer(filter) once what questions about these hashes read is here, in this part or in the filter's own
  /// file.
  template <class Answer>
  Result<void> ask(std::optional<std::uint32_t> number, std::span<const std::uint64_t> hashes, MissingRanges& missing,
                   const Answer& answer);

  RemoteOptions options_;
  PartialFile file_;  // the filter, or its manifest while that is read
  std::optional<Manifest> manifest_;
  struct PartFile {
    PartialFile file;
    std::uint64_t checksum;  // as the manifest names it
    std::uint64_t used = 0;  // when it was asked last, by asked_
    bool is_checked = false;
  };
  std::vector<std::unique_ptr<PartFile>> parts_;  // null for one that was not asked, or was given up
  std::uint64_t asked_ = 0;
  // As when it was opened.
  bool was_open_ = false;
  Shape shape_;
  Facts facts_;
  const KindInfo* kind_ = nullptr;
  std::uint64_t payload_bytes_ = 0;

  [[nodiscard]] PartialFile file(std::uint64_t bytes) const {
    return PartialFile(bytes, options_.verify, options_.max_memory);
  }

 private:
  Result<void> take_manifest();
  Result<void> open_part(std::uint32_t number, PartFile& part, Missing& ranges);
};

namespace {

void add_missing(const std::string& file, Missing ranges, MissingRanges& missing) {
  join_ranges(ranges);
  for (const auto& [offset, bytes] : ranges) missing.push_back({.file = file, .offset = offset, .bytes = bytes});
}

}  // namespace

Result<void> PartialFilter::State::open(MissingRanges& missing) {
  if (manifest_ || file_.is_open()) return {};
  Missing ranges;
  if (auto opened = file_.open(ranges); !opened) return opened;
  add_missing({}, std::move(ranges), missing);
  if (!missing.empty()) return {};
  if (!file_.manifest().empty()) return take_manifest();
  if (was_open_) return {};
  shape_ = file_.ref().shape();
  facts_ = file_.ref().facts();
  kind_ = &file_.ref().kind();
  payload_bytes_ = file_.ref().payload().size();
  was_open_ = true;
  return {};
}

Result<void> PartialFilter::State::take_manifest() {
  Result<Manifest> manifest = parse_manifest(file_.manifest());
  file_ = file(0);
  if (!manifest) return manifest.error();
  if (was_open_ && shape_of_parts(*manifest) != shape_) {
    return corrupt(
        "manifest must have the seed and the number of parts with which it was opened, got others: open it "
        "again");
  }
  if (!was_open_) {
    shape_ = shape_of_parts(*manifest);
    facts_ = manifest->facts();
    kind_ = &kKindOfParts;
    payload_bytes_ = manifest->bytes();
    was_open_ = true;
  }
  parts_.resize(manifest->parts.size());
  for (std::size_t number = 0; number < parts_.size(); ++number) {
    if (parts_[number] && parts_[number]->checksum != manifest->parts[number].checksum) parts_[number].reset();
  }
  manifest_ = *std::move(manifest);
  return {};
}

Result<void> PartialFilter::State::open_part(std::uint32_t number, PartFile& part, Missing& ranges) {
  part.used = ++asked_;
  if (auto opened = part.file.open(ranges); !opened || !ranges.empty() || part.is_checked) return opened;
  if (!part.file.manifest().empty()) return corrupt("part must be a filter, got the manifest of one in parts");
  const FilterRef& ref = part.file.ref();
  auto valid = check_part(*manifest_, number, ref.shape(), ref.kind(), part.file.file_bytes(), part.file.checksum());
  part.is_checked = valid.has_value();
  return valid;
}

template <class Need, class Answer>
Result<void> PartialFilter::State::ask_file(const Need& need, MissingRanges& missing, const Answer& answer) {
  Missing ranges;
  if (auto needed = need(file_, ranges); !needed) return needed;
  if (ranges.empty()) return answer(file_.ref());
  add_missing({}, std::move(ranges), missing);
  return {};
}

template <class Answer>
Result<void> PartialFilter::State::ask(std::optional<std::uint32_t> number, std::span<const std::uint64_t> hashes,
                                       MissingRanges& missing, const Answer& answer) {
  if (!number) {
    const auto need = [&](PartialFile& file, Missing& ranges) { return file.need_hashes(hashes, ranges); };
    return ask_file(need, missing, answer);
  }
  Missing ranges;
  const Part& named = manifest_->parts[*number];
  std::unique_ptr<PartFile>& at = parts_[*number];
  if (at == nullptr) at = std::make_unique<PartFile>(PartFile{file(named.bytes), named.checksum});
  PartFile& part = *at;
  Result<void> done = open_part(*number, part, ranges);
  if (done && ranges.empty()) done = part.file.need_hashes(hashes, ranges);
  if (!done) {
    at.reset();
    return in_part(done.error(), kName, *number);
  }
  if (ranges.empty()) return answer(part.file.ref());
  add_missing(file_of_part(*manifest_, *number), std::move(ranges), missing);
  return {};
}

Result<void> PartialFilter::State::contains(std::span<const std::uint64_t> hashes, std::span<bool> hits,
                                            MissingRanges& missing) {
  if (!manifest_) {
    return ask({}, hashes, missing, [&](const FilterRef& filter) -> Result<void> {
      filter.may_contain_hashes(hashes, hits);
      return {};
    });
  }
  const auto parts = static_cast<std::uint32_t>(manifest_->parts.size());
  const HashesByPart sorted(hashes, parts);
  const auto found = std::make_unique<bool[]>(hashes.size());
  for (std::uint32_t part = 0; part < parts; ++part) {
    const std::span<const std::uint64_t> of_part = sorted.of(part);
    if (of_part.empty()) continue;
    auto asked = ask(part, of_part, missing, [&](const FilterRef& filter) -> Result<void> {
      filter.may_contain_hashes(of_part, {found.get() + sorted.begin(part), of_part.size()});
      return {};
    });
    if (!asked) return asked;
  }
  for (std::size_t i = 0; i < hashes.size(); ++i) hits[sorted.places()[i]] = found[i];
  return {};
}

PartialFilter::PartialFilter(const RemoteOptions& options) : state_(std::make_unique<State>(options)) {}
PartialFilter::PartialFilter(PartialFilter&&) noexcept = default;
PartialFilter& PartialFilter::operator=(PartialFilter&&) noexcept = default;
PartialFilter::~PartialFilter() = default;

// Half of the limit is for what the next question misses.
void PartialFilter::make_room() {
  std::uint64_t used = memory_bytes();
  while (used > state_->options_.max_memory / 2) {
    std::unique_ptr<State::PartFile>* oldest = nullptr;
    for (auto& part : state_->parts_) {
      if (part && (oldest == nullptr || part->used < (*oldest)->used)) oldest = &part;
    }
    if (oldest == nullptr) break;
    used -= (*oldest)->file.memory_bytes();
    oldest->reset();
  }
  if (used > state_->options_.max_memory / 2) state_->file_.forget();
}

Result<void> PartialFilter::open(MissingRanges& missing) {
  missing.clear();
  return state_->open(missing);
}

Result<void> PartialFilter::may_contain_hashes(std::span<const std::uint64_t> hashes, std::span<bool> hits,
                                               MissingRanges& missing) {
  if (auto opened = open(missing); !opened || !missing.empty()) return opened;
  return state_->contains(hashes, hits, missing);
}

Result<void> PartialFilter::count_hash(std::uint64_t hash, std::uint64_t& count, MissingRanges& missing) {
  if (auto opened = open(missing); !opened || !missing.empty()) return opened;
  std::optional<std::uint32_t> number;
  if (state_->manifest_) number = part_of(hash, static_cast<std::uint32_t>(state_->manifest_->parts.size()));
  return state_->ask(number, {&hash, 1}, missing, [&](const FilterRef& filter) -> Result<void> {
    const Result<std::uint64_t> counted = filter.count_hash(hash);
    if (!counted.has_value()) return counted.error();
    count = *counted;
    return {};
  });
}

Result<void> PartialFilter::may_contain_range(std::uint64_t low, std::uint64_t high, bool& hit,
                                              MissingRanges& missing) {
  if (auto opened = open(missing); !opened || !missing.empty()) return opened;
  hit = low <= high;
  if (state_->manifest_) return {};  // as any kind that cannot tell
  const auto need = [&](PartialFile& file, Missing& ranges) { return file.need_range(low, high, ranges); };
  return state_->ask_file(need, missing, [&](const FilterRef& filter) -> Result<void> {
    hit = filter.may_contain_range(low, high);
    return {};
  });
}

Result<void> PartialFilter::find_hashes(std::span<const std::uint64_t> hashes, std::span<std::uint64_t> values,
                                        std::span<bool> found, MissingRanges& missing) {
  if (auto opened = open(missing); !opened || !missing.empty()) return opened;
  if (state_->manifest_) return unsupported(kKindOfParts, "find values", &Capabilities::find);
  const Result<MapRef> map = MapRef::of(state_->file_.ref());
  if (!map) return map.error();
  return state_->ask({}, hashes, missing, [&](const FilterRef&) -> Result<void> {
    map->find_hashes(hashes, values, found);
    return {};
  });
}

Result<void> PartialFilter::supply(const RemoteRange& range) {
  const ByteRange asked{range.offset, range.bytes};
  if (range.file.empty()) {
    if (range.version.empty() && !range.found.empty()) {
      return bad_argument(
          "version of the filter's file must not be empty: a server must send its ETag or Last-Modified");
    }
    return state_->file_.supply(asked, range.found, range.version);
  }
  if (!state_->manifest_) return {};  // which is read again
  const std::optional<std::uint32_t> number = part_of_file(*state_->manifest_, range.file);
  if (!number || state_->parts_[*number] == nullptr) return {};  // it was replaced, or given up, meanwhile
  const Result<void> done = state_->parts_[*number]->file.supply(asked, range.found, range.version);
  return done ? done : in_part(done.error(), kName, *number);
}

void PartialFilter::read_manifest_again() { state_->manifest_.reset(); }

bool PartialFilter::names(const std::string& file) const {
  return file.empty() || (state_->manifest_ && part_of_file(*state_->manifest_, file));
}

const Shape& PartialFilter::shape() const noexcept { return state_->shape_; }
const Facts& PartialFilter::facts() const noexcept { return state_->facts_; }
const KindInfo& PartialFilter::kind() const noexcept { return *state_->kind_; }
std::uint64_t PartialFilter::payload_bytes() const noexcept { return state_->payload_bytes_; }

std::uint64_t PartialFilter::memory_bytes() const noexcept {
  std::uint64_t bytes = state_->file_.memory_bytes();
  for (const auto& part : state_->parts_) bytes += part ? part->file.memory_bytes() : 0;
  return bytes;
}

}  // namespace crivo
