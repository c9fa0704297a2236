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
#include "format/part_cache.h"
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

void add_missing(const std::string& file, Missing ranges, MissingRanges& missing) {
  join_ranges(ranges);
  for (const auto& [offset, bytes] : ranges) missing.push_back({.file = file, .offset = offset, .bytes = bytes});
}

}  // namespace

class PartialFilter::State {
 public:
  explicit State(const RemoteOptions& options)
      : options_{std::clamp(options.max_memory, kLeastMemory, kMostMemory), options.verify},
        file_(new_file()),
        parts_(options_.verify, options_.max_memory) {}

  Result<void> open(MissingRanges& missing);
  Result<void> contains(std::span<const std::uint64_t> hashes, std::span<bool> hits, MissingRanges& missing);
  Result<void> supply(const RemoteRange& range);
  /// Calls answer(filter) once need(file, missing) misses nothing of the filter's own file.
  template <class Need, class Answer>
  Result<void> ask_file(const Need& need, MissingRanges& missing, const Answer& answer);
  /// Calls answer(filter) once what questions about these hashes read is here, in their part or the filter's own file.
  template <class Answer>
  Result<void> ask(std::span<const std::uint64_t> hashes, std::optional<std::uint32_t> number, MissingRanges& missing,
                   const Answer& answer);
  /// Notes whether a question of more than one hash needs too much.
  void look_at_room(std::size_t hashes, const MissingRanges& missing);

  [[nodiscard]] PartialFile new_file() const { return PartialFile(0, options_.verify, options_.max_memory); }
  [[nodiscard]] std::uint64_t memory_bytes() const noexcept { return file_.memory_bytes() + parts_.memory_bytes(); }
  [[nodiscard]] std::uint32_t parts() const noexcept { return static_cast<std::uint32_t>(manifest_->parts.size()); }

  const RemoteOptions options_;
  PartialFile file_;  // the filter, or its manifest while that is read
  std::optional<Manifest> manifest_;
  PartCache parts_;
  bool is_crowded_ = false;
  // As when it was opened.
  bool was_open_ = false;
  Shape shape_;
  Facts facts_;
  const KindInfo* kind_ = nullptr;
  std::uint64_t payload_bytes_ = 0;

 private:
  Result<void> note(const Shape& shape, const Facts& facts, const KindInfo& kind, std::uint64_t payload_bytes);
  Result<void> take_manifest();
};

Result<void> PartialFilter::State::open(MissingRanges& missing) {
  is_crowded_ = false;
  const bool is_filter = file_.is_open() && file_.manifest().empty();
  if (manifest_ || is_filter) return {};
  Missing ranges;
  if (auto opened = file_.open(ranges); !opened) return opened;
  add_missing({}, std::move(ranges), missing);
  if (!missing.empty()) return {};
  if (!file_.manifest().empty()) return take_manifest();
  const FilterRef& ref = file_.ref();
  auto noted = note(ref.shape(), ref.facts(), ref.kind(), ref.payload().size());
  if (!noted) file_ = new_file();
  return noted;
}

Result<void> PartialFilter::State::take_manifest() {
  Result<Manifest> manifest = parse_manifest(file_.manifest());
  if (manifest) {
    auto noted = note(shape_of_parts(*manifest), manifest->facts(), kKindOfParts, manifest->bytes());
    if (!noted) manifest = noted.error();
  }
  file_ = new_file();
  if (!manifest) return manifest.error();
  parts_.take(*manifest);
  manifest_ = *std::move(manifest);
  return {};
}

/// What was replaced must be asked for the same hashes.
Result<void> PartialFilter::State::note(const Shape& shape, const Facts& facts, const KindInfo& kind,
                                        std::uint64_t payload_bytes) {
  if (was_open_) {
    if (shape == shape_) return {};
    return corrupt("file must not become one of another shape or seed while it is in use: open it again");
  }
  shape_ = shape;
  facts_ = facts;
  kind_ = &kind;
  payload_bytes_ = payload_bytes;
  was_open_ = true;
  return {};
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
Result<void> PartialFilter::State::ask(std::span<const std::uint64_t> hashes, std::optional<std::uint32_t> number,
                                       MissingRanges& missing, const Answer& answer) {
  if (!number) {
    const auto need = [&](PartialFile& file, Missing& ranges) { return file.need_hashes(hashes, ranges); };
    return ask_file(need, missing, answer);
  }
  Missing ranges;
  Result<void> done = parts_.open(*manifest_, *number, ranges);
  if (done && ranges.empty()) {
    PartialFile& part = parts_.use(*manifest_, *number);
    done = part.need_hashes(hashes, ranges);
    if (done && ranges.empty()) return answer(part.ref());
    if (!done) parts_.give_up(*number);
  }
  if (!done) return in_part(done.error(), kName, *number);
  add_missing(file_of_part(*manifest_, *number), std::move(ranges), missing);
  return {};
}

void PartialFilter::State::look_at_room(std::size_t hashes, const MissingRanges& missing) {
  std::uint64_t bytes = memory_bytes();
  for (const RemoteRange& range : missing) bytes += memory_for({range.offset, range.bytes});
  is_crowded_ = is_crowded_ || (hashes > 1 && !missing.empty() && bytes > options_.max_memory);
}

Result<void> PartialFilter::State::contains(std::span<const std::uint64_t> hashes, std::span<bool> hits,
                                            MissingRanges& missing) {
  if (!manifest_ || hashes.size() == 1) {
    const auto number = manifest_ ? std::optional(part_of(hashes[0], parts())) : std::nullopt;
    return ask(hashes, number, missing, [&](const FilterRef& filter) -> Result<void> {
      filter.may_contain_hashes(hashes, hits);
      return {};
    });
  }
  const HashesByPart sorted(hashes, parts());
  const auto found = std::make_unique<bool[]>(hashes.size());
  for (std::uint32_t part = 0; part < parts(); ++part) {
    const std::span<const std::uint64_t> of_part = sorted.of(part);
    if (of_part.empty()) continue;
    const std::uint64_t decoded = parts_.use(*manifest_, part).bytes_to_decode();
    is_crowded_ = decoded != 0 && decoded + memory_bytes() > options_.max_memory;
    if (is_crowded_) return {};
    auto asked = ask(of_part, part, missing, [&](const FilterRef& filter) -> Result<void> {
      filter.may_contain_hashes(of_part, {found.get() + sorted.begin(part), of_part.size()});
      return {};
    });
    if (!asked) return asked;
  }
  for (std::size_t i = 0; i < hashes.size(); ++i) hits[sorted.places()[i]] = found[i];
  return {};
}

// What comes late, of a manifest that was read before, or of a part that was given up, is of no use.
Result<void> PartialFilter::State::supply(const RemoteRange& range) {
  const ByteRange asked{range.offset, range.bytes};
  if (range.file.empty()) {
    if (manifest_) return {};
    if (range.version.empty() && !range.found.empty()) {
      return bad_argument(
          "version of the filter's file must not be empty: a server must send its ETag or Last-Modified");
    }
    return file_.supply(asked, range.found, range.version);
  }
  const auto number = manifest_ ? part_of_file(*manifest_, range.file) : std::nullopt;
  if (!number) return {};
  const Result<void> done = parts_.supply(*number, asked, range.found, range.version);
  return done ? done : in_part(done.error(), kName, *number);
}

PartialFilter::PartialFilter(const RemoteOptions& options) : state_(std::make_unique<State>(options)) {}
PartialFilter::PartialFilter(PartialFilter&&) noexcept = default;
PartialFilter& PartialFilter::operator=(PartialFilter&&) noexcept = default;
PartialFilter::~PartialFilter() = default;

// Half of the limit is for what the next question misses. A whole file has no half that could be given up.
bool PartialFilter::has_room() const noexcept {
  if (state_->manifest_) return state_->parts_.has_room(state_->options_.max_memory);
  return state_->file_.is_whole() || state_->file_.memory_bytes() <= state_->options_.max_memory / 2;
}

void PartialFilter::make_room() {
  if (has_room()) return;
  if (state_->manifest_) return state_->parts_.make_room(state_->options_.max_memory);
  state_->file_.forget();
}

bool PartialFilter::is_crowded() const noexcept { return state_->is_crowded_; }

Result<void> PartialFilter::open(MissingRanges& missing) {
  missing.clear();
  return state_->open(missing);
}

Result<void> PartialFilter::may_contain_hashes(std::span<const std::uint64_t> hashes, std::span<bool> hits,
                                               MissingRanges& missing) {
  if (auto opened = open(missing); !opened || !missing.empty() || hashes.empty()) return opened;
  auto asked = state_->contains(hashes, hits, missing);
  state_->look_at_room(hashes.size(), missing);
  return asked;
}

Result<void> PartialFilter::count_hash(std::uint64_t hash, std::uint64_t& count, MissingRanges& missing) {
  if (auto opened = open(missing); !opened || !missing.empty()) return opened;
  const auto number = state_->manifest_ ? std::optional(part_of(hash, state_->parts())) : std::nullopt;
  return state_->ask({&hash, 1}, number, missing, [&](const FilterRef& filter) -> Result<void> {
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
  auto asked = state_->ask(hashes, {}, missing, [&](const FilterRef&) -> Result<void> {
    map->find_hashes(hashes, values, found);
    return {};
  });
  state_->look_at_room(hashes.size(), missing);
  return asked;
}

Result<void> PartialFilter::supply(const RemoteRange& range) { return state_->supply(range); }

void PartialFilter::read_manifest_again() {
  if (!state_->manifest_) return;  // somebody does
  state_->manifest_.reset();
  state_->file_ = state_->new_file();
}

bool PartialFilter::names(const std::string& file) const {
  return file.empty() || (state_->manifest_ && part_of_file(*state_->manifest_, file));
}

const Shape& PartialFilter::shape() const noexcept { return state_->shape_; }
const Facts& PartialFilter::facts() const noexcept { return state_->facts_; }
const KindInfo& PartialFilter::kind() const noexcept { return *state_->kind_; }
std::uint64_t PartialFilter::payload_bytes() const noexcept { return state_->payload_bytes_; }
std::uint64_t PartialFilter::memory_bytes() const noexcept { return state_->memory_bytes(); }

}  // namespace crivo
