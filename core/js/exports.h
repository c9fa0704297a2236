// The functions that filter.js and sketch.js call, in WebAssembly (core/wasm) as in Node's own code
// (core/node). What goes in and out lies in the room: one piece of memory, to which filter.js writes before a call, and
// from which it reads after it. Keys lie there one after the other; many of them come behind 512 numbers of 32 bits,
// their sizes. A function that fails returns 0, a null pointer or false, and leaves an error.
#pragma once

#include <cstddef>

#include "crivo/builder.h"
#include "crivo/filter.h"
#include "crivo/sketch.h"
#include "room.h"

namespace crivo::js {

struct Plan;

EXPORT(code) int code();
/// Puts the message of the last error into the room, and returns its bytes: 0 where the code says all.
EXPORT(message) std::size_t message();

EXPORT(open) AnyFilter* open(std::size_t bytes, double max_bytes);
EXPORT(close) void close(AnyFilter* filter);

/// The name of the kind is in the room. A number of 0 stands for the default.
EXPORT(plan)
Plan* plan(std::size_t kind_bytes, double capacity, double fp_rate, double bits_per_key, double seed_high,
           double seed_low, double max_bytes);
EXPORT(drop) void drop(Plan* plan);
EXPORT(create) AnyFilter* create(const Plan* plan);

EXPORT(builder) FilterBuilder* builder(const Plan* plan);
EXPORT(collect) bool collect(FilterBuilder* builder, const Plan* plan, std::size_t count);
/// The values of the keys lie behind the last key, as numbers of 32 bits.
EXPORT(collect_values) bool collect_values(FilterBuilder* builder, const Plan* plan, std::size_t count);
EXPORT(finish) AnyFilter* finish(FilterBuilder* builder);
EXPORT(drop_builder) void drop_builder(FilterBuilder* builder);

/// Puts an integer as a key at this place in the room, and returns its bytes.
EXPORT(put_integer) std::size_t put_integer(std::size_t at, double integer);

EXPORT(has) bool has(const AnyFilter* filter, std::size_t bytes);
/// The answers are bytes in the room.
EXPORT(has_many) void has_many(const AnyFilter* filter, std::size_t count);
/// Both ends are keys in the room.
EXPORT(has_range) bool has_range(const AnyFilter* filter, std::size_t low_bytes, std::size_t high_bytes);
/// The value of a key in a map; -1 for an absent one, and -2 on an error.
EXPORT(find) double find(const AnyFilter* map, std::size_t bytes);
/// The values are numbers of 64 bits in the room, -1 for an absent key. The room has at least 4096 bytes.
EXPORT(find_many) bool find_many(const AnyFilter* map, std::size_t count);
/// -1 on an error.
EXPORT(count) double count(const AnyFilter* filter, std::size_t bytes);

EXPORT(add) bool add(AnyFilter* filter, std::size_t count);
/// A time in milliseconds since 1970.
EXPORT(advance) bool advance(AnyFilter* filter, double time);
EXPORT(remove_key) bool remove_key(AnyFilter* filter, std::size_t bytes);

/// Puts numbers into the room, and then the name of the kind, whose bytes it returns.
EXPORT(facts) std::size_t facts(const AnyFilter* filter);
/// Puts a blob into the room, and returns its bytes.
EXPORT(write) std::size_t write(const AnyFilter* filter, bool with_sums);

/// The number of the one shard that can have a key, whose file's name it puts into the room. A manifest and the key
/// behind it are in the room. -1 on an error.
EXPORT(find_shard) double find_shard(std::size_t manifest_bytes, std::size_t key_bytes);

EXPORT(sketch_symbols) double sketch_symbols(double difference);
EXPORT(sketch_open) Sketch* sketch_open(std::size_t bytes, double max_bytes);
/// What the keys are is in the room, as "bytes:16".
EXPORT(sketch_create)
Sketch* sketch_create(std::size_t keys_bytes, double symbols, double first, double seed_high, double seed_low,
                      double max_bytes);
EXPORT(sketch_close) void sketch_close(Sketch* sketch);
/// Adds the keys in the room, or removes them. Integers are of 8 bytes, little-endian.
EXPORT(sketch_change) bool sketch_change(Sketch* sketch, std::size_t count, bool add);
EXPORT(sketch_append) bool sketch_append(Sketch* sketch, const Sketch* next);
EXPORT(sketch_combine) bool sketch_combine(Sketch* sketch, const Sketch* other);
/// Puts the number of the first side's keys (8 bytes, little-endian), its keys and those of the second side into the
/// room, and returns how many bytes these are: 0 for "not yet", and -1 on an error.
EXPORT(sketch_difference) double sketch_difference(const Sketch* first, const Sketch* second);
/// Puts numbers into the room.
EXPORT(sketch_facts) bool sketch_facts(const Sketch* sketch);
/// Puts a blob into the room, and returns its bytes.
EXPORT(sketch_write) std::size_t sketch_write(const Sketch* sketch);

}  // namespace crivo::js
