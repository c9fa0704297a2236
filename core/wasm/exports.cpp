// The functions of crivo.wasm, which filter.js calls. What goes in and out lies in the room: one piece of memory, to
// which filter.js writes before a call, and from which it reads after it. Keys lie there one after the other; many of
// them come behind kBatch numbers of 32 bits, their sizes. A function that fails returns 0, a null pointer or false,
// and leaves an error.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "crivo/blob.h"
#include "crivo/blob_writer.h"
#include "crivo/builder.h"
#include "crivo/filter.h"
#include "crivo/key.h"
#include "crivo/kinds.h"

#define EXPORT(name) [[clang::export_name(#name)]]

namespace {

using namespace crivo;

constexpr std::size_t kBatch = 512;

std::vector<std::uint64_t> room_words;
int error_code = 0;
std::string error_message;

std::byte* room_bytes() { return reinterpret_cast<std::byte*>(room_words.data()); }
std::string_view text_in_room(std::size_t bytes) { return {reinterpret_cast<const char*>(room_bytes()), bytes}; }

bool fail(int code, std::string message) {
  error_code = code;
  error_message = std::move(message);
  return false;
}

/// Runs a `Result<void> work()`.
template <class Work>
bool done(Work&& work) noexcept {
  try {
    const Result<void> result = work();
    return result || fail(static_cast<int>(result.error().code), result.error().message);
  } catch (const std::exception&) {
    constexpr int kNoMemory = 9;
    return fail(kNoMemory, {});  // a message would need memory
  }
}

/// Runs a `Result<T> work()`, and returns a T that it made on the heap, or null.
template <class T, class Work>
T* made(Work&& work) noexcept {
  T* on_heap = nullptr;
  done([&]() -> Result<void> {
    Result<T> result = work();
    if (!result) return result.error();
    on_heap = std::make_unique<T>(*std::move(result)).release();
    return {};
  });
  return on_heap;
}

/// The keys in the room, for as long as it stays as it is.
class Batch {
 public:
  explicit Batch(std::size_t count) : count_(count) {
    const auto* bytes = reinterpret_cast<const char*>(room_bytes()) + kBatch * sizeof(std::uint32_t);
    for (std::size_t i = 0; i < count; ++i) {
      std::uint32_t size = 0;
      std::memcpy(&size, room_bytes() + i * sizeof size, sizeof size);
      keys_[i] = {bytes, size};
      bytes += size;
    }
  }
  [[nodiscard]] std::span<const std::string_view> keys() const { return std::span(keys_).first(count_); }
  [[nodiscard]] std::span<const std::uint64_t> hashes(HashId id, std::uint64_t seed) {
    hash_keys(id, keys(), seed, hashes_);
    return std::span(hashes_).first(count_);
  }

 private:
  std::size_t count_;
  std::array<std::string_view, kBatch> keys_;
  std::array<std::uint64_t, kBatch> hashes_;
};

}  // namespace

namespace crivo::wasm {

/// A filter to be made.
struct Plan {
  FilterSpec spec;
  std::uint64_t max_bytes;
};

/// Makes the room at least this large, and keeps what is in it. Null if there is no memory.
EXPORT(room) std::byte* room(std::size_t bytes) {
  const bool fits = done([&]() -> Result<void> {
    if (const std::size_t words = bytes / 8 + 1; words > room_words.size()) room_words.resize(words);
    return {};
  });
  return fits ? room_bytes() : nullptr;
}

/// Frees the room. The next call must be room().
EXPORT(leave) void leave() { std::vector<std::uint64_t>().swap(room_words); }

/// Puts the message of the last error into the room, and returns its bytes: 0 where the code says all.
EXPORT(message) std::size_t message() {
  if (room(error_message.size()) == nullptr) return 0;
  std::memcpy(room_bytes(), error_message.data(), error_message.size());
  return error_message.size();
}
EXPORT(code) int code() { return error_code; }

EXPORT(open) AnyFilter* open(std::size_t bytes, double max_bytes) {
  return made<AnyFilter>([&]() -> Result<AnyFilter> {
    Result<OpenedBlob> blob = parse_blob({room_bytes(), bytes}, {static_cast<std::uint64_t>(max_bytes)});
    if (!blob) return blob.error();
    return (*std::move(blob)).into_filter();
  });
}

/// The name of the kind is in the room. A number of 0 stands for the default.
EXPORT(plan)
Plan* plan(std::size_t kind_bytes, double capacity, double fp_rate, double bits_per_key, std::uint64_t seed,
           double max_bytes) {
  return made<Plan>([&]() -> Result<Plan> {
    FilterSpec spec{.capacity = static_cast<std::uint64_t>(capacity), .seed = seed};
    if (fp_rate != 0) spec.fp_rate = fp_rate;
    if (bits_per_key != 0) spec.bits_per_key = bits_per_key;
    if (auto chosen = choose_kind(spec, text_in_room(kind_bytes)); !chosen) return chosen.error();
    return Plan{spec, max_bytes == 0 ? UINT64_MAX : static_cast<std::uint64_t>(max_bytes)};
  });
}
EXPORT(drop) void drop(Plan* plan) { delete plan; }

EXPORT(create) AnyFilter* create(const Plan* plan) {
  return made<AnyFilter>([&]() -> Result<AnyFilter> {
    const auto info = std::ranges::find(kinds(), plan->spec.kind, &KindInfo::kind);
    if (info->can.add) return AnyFilter::create(plan->spec, plan->max_bytes);
    return Error{ErrorCode::kUnsupported, "kind must be one that takes keys later, got " + std::string(info->name) +
                                              "; it is built once, from all its keys"};
  });
}

EXPORT(builder) FilterBuilder* builder(const Plan* plan) {
  return made<FilterBuilder>(
      [&] { return FilterBuilder::create(plan->spec, {.threads = 1, .max_bytes = plan->max_bytes}); });
}
EXPORT(drop_builder) void drop_builder(FilterBuilder* builder) { delete builder; }

EXPORT(collect) bool collect(FilterBuilder* builder, const Plan* plan, std::size_t count) {
  return done([&] { return builder->add_hashes(Batch(count).hashes(hash_id_of(plan->spec.kind), plan->spec.seed)); });
}

EXPORT(finish) AnyFilter* finish(FilterBuilder* builder) {
  return made<AnyFilter>([&] { return builder->finish(); });
}

/// Puts an integer as a key at this place in the room, and returns its bytes.
EXPORT(put_integer) std::size_t put_integer(std::size_t at, double integer) {
  const NumberKey key(static_cast<std::int64_t>(integer));
  std::memcpy(room_bytes() + at, key.view().data(), key.view().size());
  return key.view().size();
}

EXPORT(close) void close(AnyFilter* filter) { delete filter; }

EXPORT(has) bool has(const AnyFilter* filter, std::size_t bytes) { return filter->may_contain(text_in_room(bytes)); }

/// The answers are bytes in the room.
EXPORT(has_many) void has_many(const AnyFilter* filter, std::size_t count) {
  const Batch batch(count);
  filter->ref().may_contain_keys(batch.keys(), {reinterpret_cast<bool*>(room_bytes()), count});
}

/// Both ends are keys in the room.
EXPORT(has_range) bool has_range(const AnyFilter* filter, std::size_t low_bytes, std::size_t high_bytes) {
  const std::string_view ends = text_in_room(low_bytes + high_bytes);
  const FilterRef& ref = filter->ref();
  return ref.may_contain_range(ref.hash(ends.substr(0, low_bytes)), ref.hash(ends.substr(low_bytes)));
}

EXPORT(add) bool add(AnyFilter* filter, std::size_t count) {
  return done([&] { return filter->add_hashes(Batch(count).hashes(filter->shape().hash_id, filter->shape().seed)); });
}

EXPORT(remove_key) bool remove_key(AnyFilter* filter, std::size_t bytes) {
  return done([&] { return filter->remove(text_in_room(bytes)); });
}

/// -1 on an error.
EXPORT(count) double count(const AnyFilter* filter, std::size_t bytes) {
  double times = -1;
  done([&]() -> Result<void> {
    const Result<std::uint64_t> counted = filter->ref().count(text_in_room(bytes));
    if (!counted) return counted.error();
    times = static_cast<double>(*counted);
    return {};
  });
  return times;
}

/// Puts numbers into the room, and then the name of the kind, whose bytes it returns.
EXPORT(facts) std::size_t facts(const AnyFilter* filter) {
  const Capabilities can = filter->ref().kind().can;
  const Facts& stored = filter->facts();
  const Shape& shape = filter->shape();
  const std::string_view name = filter->ref().kind().name;
  const bool abilities[] = {can.add, can.remove, can.count, can.unite, can.intersect, can.grow, can.range};
  unsigned bits = 0;
  for (std::size_t i = 0; i < std::size(abilities); ++i) bits |= static_cast<unsigned>(abilities[i]) << i;
  const double numbers[] = {static_cast<double>(stored.capacity),
                            stored.fp_rate,
                            static_cast<double>(stored.keys),
                            static_cast<double>(shape.units),
                            static_cast<double>(shape.probes),
                            static_cast<double>(shape.param),
                            static_cast<double>(filter->payload().size()),
                            static_cast<double>(bits)};
  if (room(sizeof numbers + name.size()) == nullptr) return 0;
  std::memcpy(room_bytes(), numbers, sizeof numbers);
  std::memcpy(room_bytes() + sizeof numbers, name.data(), name.size());
  return name.size();
}
EXPORT(seed) std::uint64_t seed(const AnyFilter* filter) { return filter->shape().seed; }

/// Puts a blob into the room, and returns its bytes.
EXPORT(write) std::size_t write(const AnyFilter* filter, bool with_sums) {
  const Codec codec = with_sums ? Codec::kRawSums : Codec::kRaw;
  const std::size_t payload = filter->payload().size();
  const auto bytes = payload + static_cast<std::size_t>(blob_frame_bytes(codec, payload));
  if (room(bytes) == nullptr) return 0;
  const bool written = done([&]() -> Result<void> {
    const auto result =
        write_raw_blob(filter->ref(), codec, [at = room_bytes()](std::span<const std::byte> part) mutable {
          at = std::copy(part.begin(), part.end(), at);
          return true;
        });
    return result ? Result<void>() : result.error();
  });
  return written ? bytes : 0;
}

}  // namespace crivo::wasm
