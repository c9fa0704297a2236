// The functions of exports.h. They read arguments from the shared buffer, and write results to it.
#include "exports.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "calls.h"
#include "crivo/blob.h"
#include "crivo/builder.h"
#include "crivo/filter.h"
#include "crivo/host/bytes.h"
#include "crivo/host/raw_blob.h"
#include "crivo/key.h"
#include "crivo/kinds.h"
#include "crivo/manifest.h"
#include "crivo/map.h"
#include "crivo/sketch.h"

namespace crivo::js {

/// The options of a new filter.
struct Plan {
  FilterSpec spec;
  std::uint64_t max_bytes;
};

std::size_t message() {
  const std::string& text = last_error().message;
  if (grow_buffer(text.size()) == 0) return 0;
  std::memcpy(buffer_bytes(), text.data(), text.size());
  return text.size();
}
int code() { return last_error().code; }

std::size_t put_integer(std::size_t at, double integer) {
  const NumberKey key(static_cast<std::int64_t>(integer));
  std::memcpy(buffer_bytes() + at, key.view().data(), key.view().size());
  return key.view().size();
}

AnyFilter* open(std::size_t bytes, double max_bytes) {
  return made<AnyFilter>([&]() -> Result<AnyFilter> {
    Result<OpenedBlob> blob = parse_blob({buffer_bytes(), bytes}, {static_cast<std::uint64_t>(max_bytes)});
    if (!blob) return blob.error();
    return (*std::move(blob)).into_filter();
  });
}

Plan* plan(std::size_t kind_bytes, double capacity, double fp_rate, double bits_per_key, double seed_high,
           double seed_low, double max_bytes) {
  return made<Plan>([&]() -> Result<Plan> {
    FilterSpec spec{.capacity = static_cast<std::uint64_t>(capacity), .seed = seed_of(seed_high, seed_low)};
    if (auto chosen = choose_kind(spec, text_in_buffer(kind_bytes)); !chosen) return chosen.error();
    spec.fp_rate = fp_rate != 0 ? fp_rate : default_fp_rate(spec.kind);
    if (bits_per_key != 0) spec.bits_per_key = bits_per_key;
    return Plan{spec, max_bytes == 0 ? UINT64_MAX : static_cast<std::uint64_t>(max_bytes)};
  });
}
void free_plan(Plan* plan) { delete plan; }

AnyFilter* create(const Plan* plan) {
  return made<AnyFilter>([&] { return AnyFilter::create(plan->spec, plan->max_bytes); });
}

FilterBuilder* builder(const Plan* plan) {
  return made<FilterBuilder>([&] { return FilterBuilder::create(plan->spec, {.max_bytes = plan->max_bytes}); });
}
void free_builder(FilterBuilder* builder) { delete builder; }

bool collect(FilterBuilder* builder, const Plan* plan, std::size_t count) {
  return done([&] { return builder->add_hashes(Batch(count).hashes(hash_id_of(plan->spec.kind), plan->spec.seed)); });
}

bool collect_values(FilterBuilder* builder, const Plan* plan, std::size_t count) {
  return done([&] {
    Batch batch(count);
    std::array<std::uint64_t, kBatch> values;
    for (std::size_t i = 0; i < count; ++i) {
      std::uint32_t value = 0;
      std::memcpy(&value, batch.end() + i * sizeof value, sizeof value);
      values[i] = value;
    }
    return builder->add_hashes(batch.hashes(hash_id_of(plan->spec.kind), plan->spec.seed),
                               std::span(values).first(count));
  });
}

AnyFilter* finish(FilterBuilder* builder) {
  return made<AnyFilter>([&] { return builder->finish(); });
}

void close(AnyFilter* filter) { delete filter; }

bool has(const AnyFilter* filter, std::size_t bytes) { return filter->may_contain(text_in_buffer(bytes)); }

void has_many(const AnyFilter* filter, std::size_t count) {
  const Batch batch(count);
  filter->ref().may_contain_keys(batch.keys(), {reinterpret_cast<bool*>(buffer_bytes()), count});
}

bool has_range(const AnyFilter* filter, std::size_t low_bytes, std::size_t high_bytes) {
  const std::string_view ends = text_in_buffer(low_bytes + high_bytes);
  const FilterRef& ref = filter->ref();
  return ref.may_contain_range(ref.hash(ends.substr(0, low_bytes)), ref.hash(ends.substr(low_bytes)));
}

double find(const AnyFilter* map, std::size_t bytes) {
  double value = -2;
  done([&]() -> Result<void> {
    const Result<MapRef> view = MapRef::of(map->ref());
    if (!view) return view.error();
    const auto found = view->find(text_in_buffer(bytes));
    value = found ? static_cast<double>(*found) : -1;
    return {};
  });
  return value;
}

bool find_many(const AnyFilter* map, std::size_t count) {
  return done([&]() -> Result<void> {
    const Result<MapRef> view = MapRef::of(map->ref());
    if (!view) return view.error();
    std::array<std::uint64_t, kBatch> values;
    std::array<bool, kBatch> found;
    view->find_hashes(Batch(count).hashes(map->shape().hash_id, map->shape().seed), values, found);
    for (std::size_t i = 0; i < count; ++i) {
      const double value = found[i] ? static_cast<double>(values[i]) : -1;
      std::memcpy(buffer_bytes() + i * sizeof value, &value, sizeof value);
    }
    return {};
  });
}

bool add(AnyFilter* filter, std::size_t count) {
  return done([&] { return filter->add_hashes(Batch(count).hashes(filter->shape().hash_id, filter->shape().seed)); });
}

bool advance(AnyFilter* filter, double time) {
  return done([&] { return filter->advance(static_cast<std::int64_t>(time)); });
}

bool remove_key(AnyFilter* filter, std::size_t bytes) {
  return done([&] { return filter->remove(text_in_buffer(bytes)); });
}

double count(const AnyFilter* filter, std::size_t bytes) {
  double times = -1;
  done([&]() -> Result<void> {
    const Result<std::uint64_t> counted = filter->ref().count(text_in_buffer(bytes));
    if (!counted.has_value()) return counted.error();
    times = static_cast<double>(*counted);
    return {};
  });
  return times;
}

std::size_t facts(const AnyFilter* filter) {
  const Facts& stored = filter->facts();
  const Shape& shape = filter->shape();
  const KindInfo& kind = filter->ref().kind();
  const Capabilities& can = kind.can;
  const bool abilities[] = {can.add,  can.remove, can.count, can.unite, can.intersect,
                            can.grow, can.range,  can.find,  can.exact, can.advance};
  unsigned bits = 0;
  for (std::size_t i = 0; i < std::size(abilities); ++i) bits |= static_cast<unsigned>(abilities[i]) << i;
  const double numbers[] = {static_cast<double>(stored.capacity),
                            stored.fp_rate,
                            static_cast<double>(stored.keys),
                            static_cast<double>(shape.units),
                            static_cast<double>(shape.k),
                            static_cast<double>(shape.param),
                            static_cast<double>(filter->payload().size()),
                            static_cast<double>(bits),
                            static_cast<double>(shape.seed >> 32),
                            static_cast<double>(shape.seed & UINT32_MAX)};
  if (grow_buffer(sizeof numbers + kind.name.size()) == 0) return 0;
  std::memcpy(buffer_bytes(), numbers, sizeof numbers);
  std::memcpy(buffer_bytes() + sizeof numbers, kind.name.data(), kind.name.size());
  return kind.name.size();
}

std::size_t write(const AnyFilter* filter, bool with_sums) {
  const Codec codec = with_sums ? Codec::kRawSums : Codec::kRaw;
  const std::size_t payload = filter->payload().size();
  const auto bytes = payload + static_cast<std::size_t>(blob_frame_bytes(codec, payload));
  if (grow_buffer(bytes) == 0) return 0;
  const bool written = done([&]() -> Result<void> {
    const auto result =
        write_raw_blob(filter->ref(), codec, [at = buffer_bytes()](std::span<const std::byte> part) mutable {
          at = std::copy(part.begin(), part.end(), at);
          return true;
        });
    return result.has_value() ? Result<void>() : result.error();
  });
  return written ? bytes : 0;
}

double find_shard(std::size_t manifest_bytes, std::size_t key_bytes) {
  double number = -1;
  done([&]() -> Result<void> {
    const Result<Manifest> manifest = Manifest::parse({buffer_bytes(), manifest_bytes});
    if (!manifest) return manifest.error();
    const char* const key = reinterpret_cast<const char*>(buffer_bytes()) + manifest_bytes;
    const std::uint32_t shard = manifest->shard_of({key, key_bytes});
    const std::string name = manifest->file_name(shard);
    std::ranges::copy(std::as_bytes(std::span(name)), buffer_bytes());  // fits: a manifest is longer
    number = shard;
    return {};
  });
  return number;
}

double sketch_symbols(double difference) {
  return static_cast<double>(crivo::sketch_symbols(static_cast<std::uint64_t>(difference)));
}

Sketch* sketch_open(std::size_t bytes, double max_bytes) {
  return made<Sketch>([&] { return Sketch::parse({buffer_bytes(), bytes}, {static_cast<std::uint64_t>(max_bytes)}); });
}

Sketch* sketch_create(std::size_t keys_bytes, double symbols, double first, double seed_high, double seed_low,
                      double max_bytes) {
  return made<Sketch>([&]() -> Result<Sketch> {
    SketchSpec spec{.symbols = static_cast<std::uint64_t>(symbols),
                    .first = static_cast<std::uint64_t>(first),
                    .seed = seed_of(seed_high, seed_low)};
    if (auto chosen = choose_sketch_keys(spec, text_in_buffer(keys_bytes)); !chosen) return chosen.error();
    return Sketch::create(spec, max_bytes == 0 ? UINT64_MAX : static_cast<std::uint64_t>(max_bytes));
  });
}

void sketch_close(Sketch* sketch) { delete sketch; }

bool sketch_change(Sketch* sketch, std::size_t count, bool add) {
  return done([&]() -> Result<void> {
    const Batch batch(count);
    for (const std::string_view key : batch.keys()) {
      Result<void> changed;
      if (sketch->spec().keys == SketchKeys::kIntegers) {
        const auto number = load_le<std::uint64_t>(reinterpret_cast<const std::byte*>(key.data()));
        changed = add ? sketch->add_numbers({&number, 1}) : sketch->remove_numbers({&number, 1});
      } else {
        changed = add ? sketch->add(key) : sketch->remove(key);
      }
      if (!changed) return changed;
    }
    return {};
  });
}

bool sketch_append(Sketch* sketch, const Sketch* next) {
  return done([&] { return sketch->append(*next); });
}
bool sketch_combine(Sketch* sketch, const Sketch* other) {
  return done([&] { return sketch->combine(*other); });
}

double sketch_difference(const Sketch* first, const Sketch* second) {
  double bytes = 0;
  const bool fine = done([&]() -> Result<void> {
    Sketch left = *first;
    if (auto subtracted = left.subtract(*second); !subtracted) return subtracted;
    const auto found = left.decode();
    if (!found.has_value()) return found.error();
    if (!found->has_value()) return {};
    const std::string_view of_first = (*found)->only_first.bytes();
    const std::string_view of_second = (*found)->only_second.bytes();
    const std::size_t size = sizeof(std::uint64_t) + of_first.size() + of_second.size();
    if (grow_buffer(size) == 0) throw std::bad_alloc();
    store_le(buffer_bytes(), std::uint64_t{(*found)->only_first.size()});
    std::memcpy(buffer_bytes() + sizeof(std::uint64_t), of_first.data(), of_first.size());
    std::memcpy(buffer_bytes() + sizeof(std::uint64_t) + of_first.size(), of_second.data(), of_second.size());
    bytes = static_cast<double>(size);
    return {};
  });
  return fine ? bytes : -1;
}

bool sketch_facts(const Sketch* sketch) {
  const SketchSpec& spec = sketch->spec();
  const double numbers[] = {static_cast<double>(spec.keys),
                            static_cast<double>(spec.key_bytes),
                            static_cast<double>(spec.symbols),
                            static_cast<double>(spec.first),
                            static_cast<double>(sketch->keys()),
                            static_cast<double>(spec.seed >> 32),
                            static_cast<double>(spec.seed & UINT32_MAX)};
  if (grow_buffer(sizeof numbers) == 0) return false;
  std::memcpy(buffer_bytes(), numbers, sizeof numbers);
  return true;
}

std::size_t sketch_write(const Sketch* sketch) {
  std::size_t bytes = 0;
  done([&]() -> Result<void> {
    const std::vector<std::byte> blob = sketch->to_blob();
    if (grow_buffer(blob.size()) == 0) throw std::bad_alloc();
    std::ranges::copy(blob, buffer_bytes());
    bytes = blob.size();
    return {};
  });
  return bytes;
}

}  // namespace crivo::js
