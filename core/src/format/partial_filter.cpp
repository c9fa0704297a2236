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

/// What follows the name of the manifest.
std::string file_of_part(const Manifest& manifest, std::uint32_t number) {
  return std::string(kPartsFolder) + "/" + name_of_part(number, manifest.parts[number].checksum);
}

/// The part whose file this is, if there is one.
std::optional<std::uint32_t> part_of_file(const Manifest& manifest, const std::string& file) {
  std::uint32_t number = 0;
  const char* digits = file.data() + std::min(kPartsFolder.size() + 1, file.size());
  const auto read = std::from_chars(digits, file.data() + file.size(), number);
  if (read.ec != std::errc() || number >= manifest.parts.size() || file_of_part(manifest, number) != file) return {};
  return number;
}

void add_missing(const std::string& file, MissingBytes ranges, MissingRanges& missing) {
  join_ranges(ranges);
  for (const auto& [offset, bytes] : ranges) missing.push_back({.file = file, .offset = offset, .bytes = bytes});
}

}  // namespace

class PartialFilter::State {
 public:
  explicit State(const RemoteOptions& given)
      : options{std::clamp(given.max_memory, kLeastMemory, kMostMemory), given.verify},
        file(new_file()),
        parts(options.verify, options.max_memory) {}

  Result<void> open(MissingRanges& missing);
  Result<void> contains(std::span<const std::uint64_t> hashes, std::span<bool> hits, MissingRanges& missing);
  Result<void> supply(const RemoteRange& range);
  /// Calls answer(filter) once need(file, missing) misses nothing of the filter's own file.
  template <class Need, class Answer>
  Result<void> ask_file(const Need& need, MissingRanges& missing, const Answer& answer);
  /// Calls answer(filter) once what questions about these hashes read is here, in this part.
  template <class Answer>
  Result<void> ask_part(std::uint32_t number, std::span<const std::uint64_t> hashes, MissingRanges& missing,
                        const Answer& answer);
  /// The same in the filter's own file, or in the part of the first of them.
  template <class Answer>
  Result<void> ask(std::span<const std::uint64_t> hashes, MissingRanges& missing, const Answer& answer);
  /// Notes whether a question of more than one hash needs too much.
  void look_at_room(std::size_t hashes, const MissingRanges& missing);

  [[nodiscard]] PartialFile new_file() const { return PartialFile(0, options.verify, options.max_memory); }
  [[nodiscard]] std::uint64_t memory_bytes() const noexcept { return file.memory_bytes() + parts.memory_bytes(); }
  [[nodiscard]] std::uint32_t number_of_parts() const noexcept {
    return static_cast<std::uint32_t>(manifest->parts.size());
  }

  const RemoteOptions options;
  PartialFile file;  // the filter, or its manifest while that is read
  std::optional<Manifest> manifest;
  PartCache parts;
  bool is_crowded = false;
  // As when it was opened.
  bool was_open = false;
  Shape shape;
  Facts facts;
  const KindInfo* kind = nullptr;
  std::uint64_t payload_bytes = 0;

 private:
  Result<void> note(const Shape& now, const Facts& stated, const KindInfo& of_kind, std::uint64_t bytes);
  Result<void> take_manifest();
};

Result<void> PartialFilter::State::open(MissingRanges& missing) {
  is_crowded = false;
  const bool is_filter = file.is_open() && file.manifest().empty();
  if (manifest || is_filter) return {};
  MissingBytes ranges;
  if (auto opened = file.open(ranges); !opened) return opened;
  add_missing({}, std::move(ranges), missing);
  if (!missing.empty()) return {};
  if (!file.manifest().empty()) return take_manifest();
  const FilterRef& ref = file.ref();
  auto noted = note(ref.shape(), ref.facts(), ref.kind(), ref.payload().size());
  if (!noted) file = new_file();
  return noted;
}

Result<void> PartialFilter::State::take_manifest() {
  Result<Manifest> read = parse_manifest(file.manifest());
  if (read) {
    auto noted = note(shape_of_parts(*read), read->facts(), kKindOfParts, read->bytes());
    if (!noted) read = noted.error();
  }
  file = new_file();
  if (!read) return read.error();
  parts.take(*read);
  manifest = *std::move(read);
  return {};
}

/// What was replaced must be asked for the same hashes.
Result<void> PartialFilter::State::note(const Shape& now, const Facts& stated, const KindInfo& of_kind,
                                        std::uint64_t bytes) {
  if (was_open) {
    if (now == shape) return {};
    return corrupt("file must not become one of another shape or seed while it is in use: open it again");
  }
  shape = now;
  facts = stated;
  kind = &of_kind;
  payload_bytes = bytes;
  was_open = true;
  return {};
}

template <class Need, class Answer>
Result<void> PartialFilter::State::ask_file(const Need& need, MissingRanges& missing, const Answer& answer) {
  MissingBytes ranges;
  if (auto needed = need(file, ranges); !needed) return needed;
  if (ranges.empty()) return answer(file.ref());
  add_missing({}, std::move(ranges), missing);
  return {};
}

template <class Answer>
Result<void> PartialFilter::State::ask_part(std::uint32_t number, std::span<const std::uint64_t> hashes,
                                            MissingRanges& missing, const Answer& answer) {
  MissingBytes ranges;
  Result<void> done = parts.open(*manifest, number, ranges);
  if (done && ranges.empty()) {
    PartialFile& part = parts.use(*manifest, number);
    done = part.need_hashes(hashes, ranges);
    if (done && ranges.empty()) return answer(part.ref());
    if (!done) parts.evict(number);
  }
  if (!done) return in_part(done.error(), kName, number);
  add_missing(file_of_part(*manifest, number), std::move(ranges), missing);
  return {};
}

template <class Answer>
Result<void> PartialFilter::State::ask(std::span<const std::uint64_t> hashes, MissingRanges& missing,
                                       const Answer& answer) {
  if (manifest) return ask_part(part_of(hashes[0], number_of_parts()), hashes, missing, answer);
  const auto need = [&](PartialFile& own, MissingBytes& ranges) { return own.need_hashes(hashes, ranges); };
  return ask_file(need, missing, answer);
}

void PartialFilter::State::look_at_room(std::size_t hashes, const MissingRanges& missing) {
  if (!manifest && !kGivesPagesBack) return;
  std::uint64_t bytes = memory_bytes();
  for (const RemoteRange& range : missing) bytes += memory_for({range.offset, range.bytes});
  is_crowded = is_crowded || (hashes > 1 && !missing.empty() && bytes > options.max_memory);
}

Result<void> PartialFilter::State::contains(std::span<const std::uint64_t> hashes, std::span<bool> hits,
                                            MissingRanges& missing) {
  if (!manifest || hashes.size() == 1) {
    return ask(hashes, missing, [&](const FilterRef& filter) -> Result<void> {
      filter.may_contain_hashes(hashes, hits);
      return {};
    });
  }
  const HashesByPart sorted(hashes, number_of_parts());
  const auto found = std::make_unique<bool[]>(hashes.size());
  for (std::uint32_t part = 0; part < number_of_parts(); ++part) {
    const std::span<const std::uint64_t> of_part = sorted.of(part);
    if (of_part.empty()) continue;
    // What a part takes when it is opened, it takes at once.
    const std::uint64_t opening = parts.use(*manifest, part).bytes_to_open();
    is_crowded = opening + memory_bytes() > options.max_memory;
    if (is_crowded) return {};
    auto asked = ask_part(part, of_part, missing, [&](const FilterRef& filter) -> Result<void> {
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
    if (manifest) return {};
    if (range.version.empty() && !range.found.empty()) {
      return error(ErrorCode::kSystem,
                   "version of the filter's file must be known: a server must send its ETag or "
                   "Last-Modified, and let other origins see it");
    }
    return file.supply(asked, range.found, range.version);
  }
  const auto number = manifest ? part_of_file(*manifest, range.file) : std::nullopt;
  if (!number) return {};
  const Result<void> done = parts.supply(*number, asked, range.found);
  return done ? done : in_part(done.error(), kName, *number);
}

PartialFilter::PartialFilter(const RemoteOptions& options) : state_(std::make_unique<State>(options)) {}
PartialFilter::PartialFilter(PartialFilter&&) noexcept = default;
PartialFilter& PartialFilter::operator=(PartialFilter&&) noexcept = default;
PartialFilter::~PartialFilter() = default;

// Half of the limit is for what the next question misses. A whole file has no half that could be given up, and where
// pages are not given back, no file has.
bool PartialFilter::has_room() const noexcept {
  const std::uint64_t most = state_->options.max_memory;
  const bool file_has_room = state_->file.is_whole() || !kGivesPagesBack || state_->file.memory_bytes() <= most / 2;
  return file_has_room && state_->parts.has_room(most);
}

void PartialFilter::make_room() {
  state_->parts.make_room(state_->options.max_memory);
  if (!has_room()) state_->file.forget();
}

bool PartialFilter::is_crowded() const noexcept { return state_->is_crowded; }

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
  return state_->ask({&hash, 1}, missing, [&](const FilterRef& filter) -> Result<void> {
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
  if (state_->manifest) return {};  // as any kind that cannot tell
  const auto need = [&](PartialFile& own, MissingBytes& ranges) { return own.need_range(low, high, ranges); };
  return state_->ask_file(need, missing, [&](const FilterRef& filter) -> Result<void> {
    hit = filter.may_contain_range(low, high);
    return {};
  });
}

Result<void> PartialFilter::find_hashes(std::span<const std::uint64_t> hashes, std::span<std::uint64_t> values,
                                        std::span<bool> found, MissingRanges& missing) {
  if (auto opened = open(missing); !opened || !missing.empty()) return opened;
  if (state_->manifest) return unsupported(kKindOfParts, "find values", &Capabilities::find);
  const Result<MapRef> map = MapRef::of(state_->file.ref());
  if (!map) return map.error();
  auto asked = state_->ask(hashes, missing, [&](const FilterRef&) -> Result<void> {
    map->find_hashes(hashes, values, found);
    return {};
  });
  state_->look_at_room(hashes.size(), missing);
  return asked;
}

Result<void> PartialFilter::supply(const RemoteRange& range) { return state_->supply(range); }

void PartialFilter::read_manifest_again() {
  if (!state_->manifest) return;  // somebody does
  state_->manifest.reset();
  state_->file = state_->new_file();
}

bool PartialFilter::names(const std::string& file) const {
  return file.empty() || (state_->manifest && part_of_file(*state_->manifest, file));
}

const Shape& PartialFilter::shape() const noexcept { return state_->shape; }
const Facts& PartialFilter::facts() const noexcept { return state_->facts; }
const KindInfo& PartialFilter::kind() const noexcept { return *state_->kind; }
std::uint64_t PartialFilter::payload_bytes() const noexcept { return state_->payload_bytes; }
std::uint64_t PartialFilter::memory_bytes() const noexcept { return state_->memory_bytes(); }

}  // namespace crivo
