// The functions that the JavaScript classes call, in WebAssembly (core/wasm) and in Node's native module (core/node).
// Everything except numbers is passed in the shared buffer: JavaScript writes to it before a call, and reads from it
// afterwards. Keys are stored one after the other. A batch of keys begins with 512 numbers of 32 bits, the sizes of the
// keys. A function that fails sets the last error, and returns 0, null or false, unless its comment says otherwise.
#pragma once

#include <cstddef>

#include "buffer.h"
#include "crivo/builder.h"
#include "crivo/filter.h"
#include "crivo/sketch.h"

namespace crivo::js {

struct Plan;

EXPORT(code) int code();
/// Writes the last error's message to the shared buffer, and returns its size: 0 if there is only a code.
EXPORT(message) std::size_t message();

EXPORT(open) AnyFilter* open(std::size_t bytes, double max_bytes);
EXPORT(close) void close(AnyFilter* filter);

/// The shared buffer must contain the name of the kind. For each number, 0 means the default.
EXPORT(plan)
Plan* plan(std::size_t kind_bytes, double capacity, double fp_rate, double bits_per_key, double seed_high,
           double seed_low, double max_bytes);
EXPORT(free_plan) void free_plan(Plan* plan);
EXPORT(create) AnyFilter* create(const Plan* plan);

EXPORT(builder) FilterBuilder* builder(const Plan* plan);
EXPORT(collect) bool collect(FilterBuilder* builder, const Plan* plan, std::size_t count);
/// The values of all keys follow the last key, as numbers of 32 bits.
EXPORT(collect_values) bool collect_values(FilterBuilder* builder, const Plan* plan, std::size_t count);
EXPORT(finish) AnyFilter* finish(FilterBuilder* builder);
EXPORT(free_builder) void free_builder(FilterBuilder* builder);

/// Writes an integer as a key at this offset of the shared buffer, and returns its size.
EXPORT(put_integer) std::size_t put_integer(std::size_t at, double integer);

EXPORT(has) bool has(const AnyFilter* filter, std::size_t bytes);
/// Writes the answers to the shared buffer, one byte per key.
EXPORT(has_many) void has_many(const AnyFilter* filter, std::size_t count);
/// Both ends are keys in the shared buffer.
EXPORT(has_range) bool has_range(const AnyFilter* filter, std::size_t low_bytes, std::size_t high_bytes);
/// Returns the value of a key in a map, -1 for an absent key, or -2 on an error.
EXPORT(find) double find(const AnyFilter* map, std::size_t bytes);
/// Writes the values to the shared buffer as doubles, -1 for an absent key. The buffer must have at least 4096 bytes.
EXPORT(find_many) bool find_many(const AnyFilter* map, std::size_t count);
/// Returns -1 on an error.
EXPORT(count) double count(const AnyFilter* filter, std::size_t bytes);

EXPORT(add) bool add(AnyFilter* filter, std::size_t count);
/// `time` is in milliseconds since 1970.
EXPORT(advance) bool advance(AnyFilter* filter, double time);
EXPORT(remove_key) bool remove_key(AnyFilter* filter, std::size_t bytes);

/// Writes the numbers of infoOf in buffer.js, as doubles, and the name of the kind. Returns the name's size.
EXPORT(facts) std::size_t facts(const AnyFilter* filter);
/// Writes a blob to the shared buffer, and returns its size.
EXPORT(write) std::size_t write(const AnyFilter* filter, bool with_sums);

/// Returns the number of the only shard that can have a key, and writes its file's name to the shared buffer. The
/// shared buffer must contain a manifest, followed by the key. Returns -1 on an error.
EXPORT(find_shard) double find_shard(std::size_t manifest_bytes, std::size_t key_bytes);

EXPORT(sketch_symbols) double sketch_symbols(double difference);
EXPORT(sketch_open) Sketch* sketch_open(std::size_t bytes, double max_bytes);
/// The shared buffer must contain the type of the keys, for example "bytes:16".
EXPORT(sketch_create)
Sketch* sketch_create(std::size_t keys_bytes, double symbols, double first, double seed_high, double seed_low,
                      double max_bytes);
EXPORT(sketch_close) void sketch_close(Sketch* sketch);
/// Adds or removes the keys in the shared buffer. Integers have 8 bytes, little-endian.
EXPORT(sketch_change) bool sketch_change(Sketch* sketch, std::size_t count, bool add);
EXPORT(sketch_append) bool sketch_append(Sketch* sketch, const Sketch* next);
EXPORT(sketch_combine) bool sketch_combine(Sketch* sketch, const Sketch* other);
/// Writes to the shared buffer: the number of keys that only `first` has (8 bytes, little-endian), these keys, and the
/// keys that only `second` has. Returns the total size in bytes: 0 if the sketches are too short, -1 on an error.
EXPORT(sketch_difference) double sketch_difference(const Sketch* first, const Sketch* second);
/// Writes the numbers of `info` in sketch.js to the shared buffer, as doubles.
EXPORT(sketch_facts) bool sketch_facts(const Sketch* sketch);
/// Writes a blob to the shared buffer, and returns its size.
EXPORT(sketch_write) std::size_t sketch_write(const Sketch* sketch);

}  // namespace crivo::js
