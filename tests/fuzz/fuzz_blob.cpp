// Blobs and SST blocks: every input that opens can be queried, changed, written and read again.
#include <algorithm>

#include "crivo/host/sst_block.h"
#include "crivo/map.h"
#include "crivo/mapped_filter.h"
#include "crivo/sketch.h"
#include "filters.h"
#include "fuzz_body.h"
#include "memory_file.h"
#include "require.h"

namespace crivo::testing {
namespace {

constexpr std::uint64_t kMaxRawBytes = 1 << 20;

/// Hashes that reach the first unit, the last unit, and some between them.
const std::vector<std::uint64_t>& questions() {
  static const auto hashes = [] {
    auto some = present_hashes(40, 0);
    some.insert(some.end(), {0, 1, std::uint64_t{1} << 63, ~std::uint64_t{0}});
    return some;
  }();
  return hashes;
}

/// Calls ask(low, high) for ranges of every length.
template <class Ask>
void ask_ranges(const Ask& ask) {
  for (const std::uint64_t low : questions()) {
    for (unsigned bits = 0; bits < 64; bits += 9) ask(low, low + std::min(~low, (std::uint64_t{1} << bits) - 1));
  }
}

/// A map finds the same values in a batch and one by one, and no value exceeds its bits.
void find_values(const FilterRef& filter) {
  const auto map = MapRef::of(filter);
  if (!map) return;
  std::vector<std::uint64_t> values(questions().size());
  const std::unique_ptr<bool[]> found(new bool[values.size()]);
  map->find_hashes(questions(), values, {found.get(), values.size()});
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto value = map->find_hash(questions()[i]);
    require(value.has_value() == found[i] && found[i] == filter.may_contain_hash(questions()[i]), "found alike");
    require(!value || (*value == values[i] && *value >> filter.shape().param == 0), "the value has its bits");
  }
}

void ask_everything(const FilterRef& filter) {
  find_values(filter);
  std::uint64_t found = 0;
  for (const std::uint64_t hash : questions()) found += filter.may_contain_hash(hash) ? 1 : 0;
  require(count_found(filter, questions()) == found, "a batch answers like one by one");
  ask_ranges([&](std::uint64_t low, std::uint64_t high) {
    const bool in_range = filter.may_contain_range(low, high);
    if (low == high && filter.kind().can.range) {
      require(in_range == filter.may_contain_hash(low), "a range of one is a question for a key");
    }
  });
  const Stats stats = filter.stats();
  require(stats.bits_set <= stats.bits, "no more bits are set than there are");
  require(stats.current_fp_rate >= 0 && stats.current_fp_rate <= 1, "the rate is a probability");
  const double predicted = filter.predicted_fp_rate(1000);
  require(predicted >= 0 && predicted <= 1, "the predicted rate is a probability");
  std::uint64_t bits = 0;
  for (const LayerInfo& layer : filter.layers()) bits += layer.stats.bits;
  require(bits == stats.bits, "the layers add up");
  if (filter.kind().can.count) require(filter.count_hash(questions().front()).has_value(), "a kind that counts does");
}

/// In every form, an accepted filter is read back as the same filter.
void write_and_read_again(const FilterRef& filter, std::string_view key_transform) {
  for (const BlobForm form : {BlobForm::kRaw, BlobForm::kAuto, BlobForm::kSmallest, BlobForm::kMappable}) {
    const auto blob = to_blob(filter, form);
    require(blob.has_value(), "a filter can be written");
    const auto again = parse_blob(*blob);
    require(again.has_value(), "what was written can be read");
    require(again->ref().shape() == filter.shape(), "the shape survives");
    require(std::ranges::equal(again->ref().payload(), filter.payload()), "the payload survives");
    Facts facts = filter.facts();
    facts.pinned_raw = again->codec() == Codec::kRaw || again->codec() == Codec::kRawSums;
    require(again->ref().facts() == facts, "the facts survive");
  }
  const Bytes block = sst_block_of(filter, key_transform);
  const auto opened = open_sst_block(block, key_transform);
  require(opened.has_value() && opened->shape() == filter.shape(), "what was sealed can be opened");
}

/// Changing a filter from any source is safe, and loses no key that was added.
void change(const FilterRef& filter) {
  AnyFilter copy = AnyFilter::copy_of(filter);
  const Capabilities can = filter.kind().can;
  if (can.add) {
    for (const std::uint64_t hash : questions()) {
      if (copy.add_hashes({&hash, 1})) require(copy.ref().may_contain_hash(hash), "an added key is found");
    }
  }
  const Result<FilterRef> valid = FilterRef::open(copy.shape(), copy.facts(), copy.payload());
  require(valid.has_value(), "a changed filter is still a filter");
  if (can.count) {
    const std::uint64_t hash = questions().back();
    const std::uint64_t before = *copy.ref().count_hash(hash);
    const bool added = copy.add_hash_times(hash, 3).has_value();
    const std::uint64_t after = *copy.ref().count_hash(hash);
    require(after <= before + 3 && (!added || after == before + 3 || after >= 15), "a count rises by the times");
  }
  if (can.remove) (void)copy.remove_hash(questions().front());
  if (can.unite) require(copy.unite(filter).has_value(), "a filter unites with its own kind");
  if (can.intersect) require(copy.intersect(filter).has_value(), "a filter intersects with its own kind");
  if (can.advance) {
    require(copy.advance(0).has_value(), "a clock that is set to an earlier time stays");
    require(copy.advance(253'402'300'799'999).has_value(), "a clock can be set to the last time");
    require(FilterRef::open(copy.shape(), copy.facts(), copy.payload()).has_value(), "and is then sound");
  }
  if (can.add) {
    require(copy.clear().has_value(), "a filter can be cleared");
    require(count_found(copy.ref(), questions()) == 0, "a cleared filter finds nothing");
  }
}

/// A file passes verify() if and only if its blob is accepted. The file of an accepted blob gives the blob's answers,
/// even before verify().
void map_as_a_file(std::span<const std::byte> bytes, const Result<OpenedBlob>& blob) {
  const MemoryFile file(bytes);
  const auto mapped =
      MappedFilter::open(file.path(), {.limits = {.max_bytes = kMaxRawBytes}, .file_may_change = false});
  if (blob) require(mapped.has_value(), "a file is accepted if its bytes are");
  if (!mapped) return;
  for (const std::uint64_t hash : questions()) {
    const Result<bool> answer = mapped->may_contain_hash(hash);
    if (blob)
      require(answer.has_value() && *answer == blob->ref().may_contain_hash(hash), "a file answers as its bytes do");
  }
  if (mapped->kind().can.range) {
    ask_ranges([&](std::uint64_t low, std::uint64_t high) {
      const Result<bool> answer = mapped->may_contain_range(low, high);
      if (blob)
        require(answer.has_value() && *answer == blob->ref().may_contain_range(low, high),
                "a file answers of ranges, too");
    });
  }
  const bool whole = mapped->verify().has_value();
  if (!blob && blob.error().code == ErrorCode::kTooLarge) return;  // a mapped file has no size limit
  require(whole == blob.has_value(), "a file is whole if its bytes are");
}

void use(const FilterRef& filter, std::string_view key_transform = {}) {
  ask_everything(filter);
  write_and_read_again(filter, key_transform);
  change(filter);
}

/// If a sketch decodes, its keys must have exactly its symbols.
void use_sketch(const Sketch& sketch) {
  require(Sketch::parse(sketch.to_blob()).has_value(), "what was written can be read");
  const auto found = sketch.decode();
  if (!found.has_value() || !found->has_value()) return;
  Sketch again = *Sketch::create(sketch.spec());
  for (const bool first : {true, false}) {
    const SketchedKeys& keys = first ? (*found)->only_first : (*found)->only_second;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (sketch.spec().keys == SketchKeys::kBytes) {
        require((first ? again.add(keys.key(i)) : again.remove(keys.key(i))).has_value(), "a key is one of a sketch");
      } else {
        const std::uint64_t number = keys.number(i);
        require((first ? again.add_numbers({&number, 1}) : again.remove_numbers({&number, 1})).has_value(), "likewise");
      }
    }
  }
  require(again.subtract(sketch) && again.decode().has_value() && again.decode()->has_value(), "both are the same");
  require((*again.decode())->only_first.size() + (*again.decode())->only_second.size() == 0, "both are the same");
}

}  // namespace

void fuzz_blob(std::span<const std::uint8_t> input) {
  if (input.empty()) return;
  const bool repair = (input[0] & 1) != 0;
  const bool is_sst = (input[0] & 2) != 0;
  const auto rest = std::as_bytes(input.subspan(1));
  Bytes bytes(rest.begin(), rest.end());
  if (is_sst) {
    if (repair) repair_sst_block(bytes);
    const std::string_view key_transform = sst_key_transform(bytes);
    const auto opened = open_sst_block(bytes, key_transform);
    if (opened) use(*opened, key_transform);
    const bool opens_without = open_sst_block(bytes).has_value();
    require(opens_without == (opened && key_transform.empty()), "a block is read with its own key transform only");
    return;
  }
  if (repair) repair_blob(bytes);
  const auto opened = parse_blob(bytes, {.max_bytes = kMaxRawBytes});
  map_as_a_file(bytes, opened);
  if (opened) use(opened->ref());
  if (const auto sketch = Sketch::parse(bytes, {.max_bytes = kMaxRawBytes})) use_sketch(*sketch);
}

}  // namespace crivo::testing
