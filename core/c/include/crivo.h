// Crivo's C interface: approximate membership filters (Bloom filters and their family) for C and for every language
// that can call C. The pages docs/c.md and docs/format.md tell more.
//
// A filter answers whether a key is in a set: "certainly not", or "maybe", which is wrong with a small probability that
// was chosen. A key that was added, and not removed, is always found.
//
// Results. A function that can fail returns a crivo_status, CRIVO_OK or what went wrong, and takes a crivo_error as
// its last argument, in which it leaves the message; the argument may be NULL. No function throws, prints or aborts,
// and none keeps a pointer that it was given, unless it says so. Where a function fails, what it would have changed is
// unchanged, unless it says otherwise, and what it would have returned through a pointer is not written. Any of them
// can fail with CRIVO_BAD_ARGUMENT for an argument that it refuses, with CRIVO_NO_MEMORY, and with CRIVO_CORRUPT for a
// filter from crivo_open; "Errors" lists the others.
//
// Strings of the interface are UTF-8 and end in a NUL. Keys are bytes and a length: they may hold anything, and NULL
// stands for the empty key if the length is 0. Arrays may be NULL if their length is 0.
//
// Threads. Any number of threads may ask one filter at the same time: those functions take it as const. While one
// thread changes or frees a filter, no other may use it. The same holds for sketches and differences. A builder is used
// by one thread at a time.
//
// Structures with the field `size` may get more fields in later versions, behind those of today. A caller sets `size`
// to what sizeof says, and the others that it does not care about to 0: `crivo_options options = {.size = sizeof
// options};`. A program that was compiled with fewer fields gets only those. One that was compiled with more finds 0 in
// the fields that this library does not know.
//
// Wrong arguments are refused as far as a function can see them: NULL, an address that is not aligned, a length that no
// object has, a field out of range. It cannot see whether an address leads to what it should: a pointer to freed
// memory, a length beyond the caller's array, or an argument that another thread changes during the call, be it bytes
// of a blob or offsets of keys, is undefined behaviour, as everywhere in C.
#ifndef CRIVO_H
#define CRIVO_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define CRIVO_API __attribute__((visibility("default")))
/// A failure that nobody looks at would become a key that is missing later.
#define CRIVO_CHECKED __attribute__((visibility("default"), warn_unused_result))
#else
#define CRIVO_API
#define CRIVO_CHECKED
#endif

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------------------- errors

/// What a function returns: CRIVO_OK, or why it failed.
typedef int32_t crivo_status;
enum {
  CRIVO_OK = 0,
  CRIVO_BAD_ARGUMENT = 1,  ///< a value is outside what is allowed
  CRIVO_CORRUPT = 2,       ///< bytes that are not a well-formed filter
  CRIVO_INCOMPATIBLE = 3,  ///< two filters of different shapes
  CRIVO_UNSUPPORTED = 4,   ///< an operation that this kind of filter, or a read-only filter, does not have
  CRIVO_FULL = 5,          ///< no room for another key
  CRIVO_NOT_FOUND = 6,     ///< a key to remove that is certainly not there
  CRIVO_TOO_LARGE = 7,     ///< more bytes than a limit or a buffer has room for
  CRIVO_CANCELLED = 8,     ///< the progress callback asked to stop
  CRIVO_NO_MEMORY = 9,     ///< the system has no more memory
  CRIVO_SYSTEM = 10        ///< the system refused a file; errno says why, or is 0
};

#define CRIVO_ERROR_MESSAGE_BYTES 508

/// Where a function that fails leaves why: the status that it returns, and a message such as "fp_rate must lie in
/// (0, 1), got 1.5", cut to the room there is. A function that succeeds does not touch it.
typedef struct crivo_error {
  crivo_status status;
  char message[CRIVO_ERROR_MESSAGE_BYTES];
} crivo_error;

/// The name of a status, "bad argument"; never NULL. It lives for ever.
CRIVO_API const char* crivo_status_name(crivo_status status);

// ------------------------------------------------------------------------------------------------- versions, kinds

#define CRIVO_VERSION_MAJOR 0
#define CRIVO_VERSION_MINOR 2
#define CRIVO_VERSION_PATCH 0

/// The version of the library that runs, "0.2.0". It lives for ever.
CRIVO_API const char* crivo_version(void);
/// The instruction set that the library uses on this machine: "scalar", or "avx2" or "avx512" on x86-64, or "neon" on
/// AArch64. The environment variable CRIVO_ISA forces one; one that the machine lacks becomes the best lower one. While
/// CRIVO_ISA names none of this kind of machine, every function that makes, reads or opens a filter, but not one that
/// copies it, fails with CRIVO_BAD_ARGUMENT. The name lives for ever.
CRIVO_API const char* crivo_isa(void);

/// What a kind of filter can do: bits of crivo_facts.can and of crivo_kind_can.
enum {
  CRIVO_CAN_ADD = 1,  ///< takes keys after it was made; a kind that cannot is built once from all its keys
  CRIVO_CAN_REMOVE = 2,
  CRIVO_CAN_COUNT = 4,  ///< tells how often a key was added
  CRIVO_CAN_UNITE = 8,
  CRIVO_CAN_INTERSECT = 16,
  CRIVO_CAN_GROW = 32,     ///< takes keys beyond its capacity and keeps its promised rate
  CRIVO_CAN_RANGE = 64,    ///< tells whether there may be a key in a range; its keys are ordered numbers
  CRIVO_CAN_FIND = 128,    ///< has a value for each key, with which it is built once: a map
  CRIVO_CAN_EXACT = 256,   ///< is certain of all keys that it is built from, once: the members and the others
  CRIVO_CAN_ADVANCE = 512  ///< forgets keys some time after they came: crivo_advance sets its clock
};

/// The name of the kind with this index, counted from 0: "classic", "blocked" and so on; NULL beyond the last. It lives
/// for ever.
CRIVO_API const char* crivo_kind_name(size_t index);
/// What that kind can do, as CRIVO_CAN_ bits; 0 beyond the last.
CRIVO_API uint32_t crivo_kind_can(size_t index);

// ------------------------------------------------------------------------------------------------------ keys, hashes

/// Many keys at once, which lie one after the other in `bytes`. With offsets, key i has the bytes from offsets[i] up to
/// offsets[i + 1]: there are count + 1 offsets, which never fall, the last being at most bytes_size (Apache Arrow's
/// layout). Without offsets (NULL), each key has `width` bytes, at least 1, and count * width is at most bytes_size.
typedef struct crivo_keys {
  const void* bytes;
  uint64_t bytes_size;
  const uint64_t* offsets;
  uint64_t width;
  uint64_t count;
} crivo_keys;

/// The 64-bit hash by which filters of this seed know the key: XXH3-64 (xxHash specification 0.8). It never changes
/// from version to version. There is no error to return, so a key of NULL, or of more bytes than an object can have,
/// counts as the empty key.
CRIVO_API uint64_t crivo_hash_key(const void* key, size_t key_bytes, uint64_t seed);
/// The hashes of many keys; `hashes` has room for keys->count.
CRIVO_CHECKED crivo_status crivo_hash_keys(const crivo_keys* keys, uint64_t seed, uint64_t* hashes, crivo_error* error);

/// The most bytes of a number that was turned into a key.
#define CRIVO_NUMBER_KEY_BYTES 32
/// The key of an integer, as every part of Crivo makes it: its decimal digits. Returns the number of bytes written: at
/// least 1, and 0 only for a `key` of NULL.
CRIVO_API size_t crivo_integer_key(int64_t value, char key[CRIVO_NUMBER_KEY_BYTES]);
CRIVO_API size_t crivo_unsigned_key(uint64_t value, char key[CRIVO_NUMBER_KEY_BYTES]);
/// The key of a real: that of the signed or unsigned 64-bit integer which it equals (so 1.0 is "1" and -0.0 is "0"),
/// "nan" for every NaN, or the shortest text that reads back as the same double ("0.1", "1e+20", "-inf"). Returns the
/// number of bytes written, as above.
CRIVO_API size_t crivo_real_key(double value, char key[CRIVO_NUMBER_KEY_BYTES]);

/// Keys as ordered numbers: a filter of kind "range" knows a key by one, and takes it wherever a function takes a hash.
/// That of an integer is value + 2^63. That of bytes, which are compared as by memcmp, is their first eight,
/// big-endian, with zeros behind a shorter key; it is also what such a filter makes of a key of bytes. So integers must
/// not come as digits (crivo_integer_key), which have another order. Invalid bytes count as the empty key, as in
/// crivo_hash_key.
CRIVO_API uint64_t crivo_ordered_integer(int64_t value);
CRIVO_API uint64_t crivo_ordered_bytes(const void* key, size_t key_bytes);
/// The highest number of the keys that start with this prefix; their lowest is crivo_ordered_bytes of it.
CRIVO_API uint64_t crivo_last_ordered_bytes(const void* prefix, size_t prefix_bytes);

// -------------------------------------------------------------------------------------------------- making a filter

/// A filter.
typedef struct crivo_filter crivo_filter;

/// Called now and then while a filter is built, by the thread that called the function, with the share that is done: it
/// never falls, and ends at 1. Returns 0 to go on; any other value ends the build with CRIVO_CANCELLED. It must return:
/// a longjmp or an exception out of it is undefined behaviour.
typedef int (*crivo_progress)(double done, void* data);

/// For crivo_options.threads: as many as the machine has.
#define CRIVO_ALL_THREADS UINT32_MAX

/// What a new filter is to be. A field of 0 stands for its default.
typedef struct crivo_options {
  size_t size;              ///< sizeof(crivo_options)
  const char* kind;         ///< NULL is "blocked". "classic", "ribbon", "spectral:16" and so on: docs/c.md
  uint64_t capacity;        ///< keys, 1 to 2^40; 0: as many distinct keys as there are (in each
                            ///< pane of a window), and 2^32 for growing
  double fp_rate;           ///< the false-positive rate at capacity: above capacity * 2^-64, at which keys share
                            ///< their 64-bit hash, and below 1, or 1 for a map or exact; 0 is 0.01, or 1 for exact.
                            ///< ribbon and map have none below 2^-32, exact has none below 2^-33
  double bits_per_key;      ///< above 0 and at most 1000: sizes the filter instead of fp_rate, which must then be 0
  uint64_t seed;            ///< of the hash
  uint64_t max_bytes;       ///< the most bytes that the filter may have, also when it grows; 0: no limit
  uint32_t threads;         ///< to sort hashes and to build with, or CRIVO_ALL_THREADS; 0: one
  uint32_t reserved;        ///< 0
  crivo_progress progress;  ///< NULL: none. crivo_create does not call it
  void* progress_data;      ///< what `progress` gets
  uint64_t max_memory;      ///< the most bytes to build with, the filter included: what does not fit lies in temporary
                            ///< files. At least 16 MiB, of which 8 are left to the caller; 0: no limit
  const char* temp_folder;  ///< where they lie; NULL: what TMPDIR names, or else /var/tmp, or /tmp
} crivo_options;

/// Makes an empty filter, for a kind that can add. `options` must have a capacity, but for growing, and so may not be
/// NULL. Ignores threads, progress, max_memory and temp_folder. Errors: CRIVO_BAD_ARGUMENT naming the field;
/// CRIVO_TOO_LARGE if the filter needs more than max_bytes; CRIVO_UNSUPPORTED for a kind that is built once.
CRIVO_CHECKED crivo_status crivo_create(const crivo_options* options, crivo_filter** filter, crivo_error* error);

/// Makes a filter of these keys, of any kind but map and exact, which have functions of their own. `options` may be
/// NULL: a blocked filter of 1%. Takes 8 bytes for each key while it builds, 16 for range and spectral. Ignores
/// temp_folder without max_memory. Errors: CRIVO_BAD_ARGUMENT naming the field, also max_memory where it is too little;
/// CRIVO_TOO_LARGE if the filter needs more than max_bytes; CRIVO_FULL if more keys came than the kind has room for;
/// CRIVO_CANCELLED; CRIVO_SYSTEM for a temporary file.
CRIVO_CHECKED crivo_status crivo_build(const crivo_options* options, const crivo_keys* keys, crivo_filter** filter,
                                       crivo_error* error);
/// The same from the keys' hashes, which were made with options->seed, or, for the kind "range", from ordered numbers.
CRIVO_CHECKED crivo_status crivo_build_from_hashes(const crivo_options* options, const uint64_t* hashes, uint64_t count,
                                                   crivo_filter** filter, crivo_error* error);

/// Makes a map: a filter that has a value for each key, at most 2^32 - 1, which crivo_find gives; it stores no keys.
/// values[i] is that of key i. A `kind` of NULL is here "map", with as many bits for a value as the largest needs;
/// "map:8" has 8. An fp_rate of 1 spends no bits on telling that a key is absent. Takes 16 bytes for each key while it
/// builds. Errors: as crivo_build; CRIVO_BAD_ARGUMENT also for a value that is too large, and for a key with two
/// values, naming them and the key's hash; CRIVO_UNSUPPORTED for a kind without values.
CRIVO_CHECKED crivo_status crivo_build_map(const crivo_options* options, const crivo_keys* keys, const uint64_t* values,
                                           crivo_filter** map, crivo_error* error);

/// Makes an exact filter of all keys of a universe: of the members, which it finds, and of the others, which it does
/// not find. Both are certain. Of keys outside of the universe it finds some, at no more than fp_rate; an fp_rate of 1
/// makes it as small as it can be. A `kind` of NULL is here "exact". capacity counts members and others. Takes 16 bytes
/// for each key while it builds, and as much again for the members and the few others that a ribbon of them finds.
/// Errors: as crivo_build; CRIVO_BAD_ARGUMENT also for a key on both sides, and for two keys with the same 64-bit hash,
/// which another seed parts, naming the hash; CRIVO_UNSUPPORTED for a kind without CRIVO_CAN_EXACT.
CRIVO_CHECKED crivo_status crivo_build_exact(const crivo_options* options, const crivo_keys* members,
                                             const crivo_keys* others, crivo_filter** filter, crivo_error* error);

/// A copy that can be changed, also of a read-only filter. It may grow as far as the filter may; the copy of a borrowed
/// blob as far as the limits it was borrowed with; the copy of an opened file without a limit.
CRIVO_CHECKED crivo_status crivo_copy(const crivo_filter* filter, crivo_filter** copy, crivo_error* error);
/// The blocked filter of the keys that a counting filter holds now, in a quarter of its bytes. Errors:
/// CRIVO_UNSUPPORTED for another kind.
CRIVO_CHECKED crivo_status crivo_drop_counts(const crivo_filter* filter, crivo_filter** blocked, crivo_error* error);

/// Frees a filter; NULL is allowed.
CRIVO_API void crivo_free(crivo_filter* filter);

/// Builds a filter of keys that come in pieces.
typedef struct crivo_builder crivo_builder;

/// Starts to build. With a capacity and a kind that can add, keys go straight into the filter, with max_memory as a
/// limit on its size, and threads and temp_folder ignored; otherwise 8 bytes are kept for each, and 16 for map and
/// exact. crivo_builder_finish calls `progress`. `options` may be NULL. Errors: CRIVO_TOO_LARGE.
CRIVO_CHECKED crivo_status crivo_builder_create(const crivo_options* options, crivo_builder** builder,
                                                crivo_error* error);
/// Adds a key. Errors: CRIVO_BAD_ARGUMENT, also for a builder that was finished, and for max_memory where the filter
/// would outgrow it; CRIVO_FULL and CRIVO_TOO_LARGE where keys go straight into the filter; CRIVO_SYSTEM for a
/// temporary file, after which the builder can only be freed. The key was not added.
CRIVO_CHECKED crivo_status crivo_builder_add(crivo_builder* builder, const void* key, size_t key_bytes,
                                             crivo_error* error);
/// Adds keys in their order. On an error, those before the failing one were added; crivo_builder_keys counts them.
/// Errors: as crivo_builder_add.
CRIVO_CHECKED crivo_status crivo_builder_add_keys(crivo_builder* builder, const crivo_keys* keys, crivo_error* error);
CRIVO_CHECKED crivo_status crivo_builder_add_hashes(crivo_builder* builder, const uint64_t* hashes, uint64_t count,
                                                    crivo_error* error);
/// The same for a map, whose keys come with values, and for an exact filter, whose members come with 1 and whose other
/// keys come with 0. Errors: also those of crivo_build_map and crivo_build_exact, which may come only from
/// crivo_builder_finish.
CRIVO_CHECKED crivo_status crivo_builder_add_value(crivo_builder* builder, const void* key, size_t key_bytes,
                                                   uint64_t value, crivo_error* error);
CRIVO_CHECKED crivo_status crivo_builder_add_values(crivo_builder* builder, const crivo_keys* keys,
                                                    const uint64_t* values, crivo_error* error);
CRIVO_CHECKED crivo_status crivo_builder_add_hash_values(crivo_builder* builder, const uint64_t* hashes,
                                                         const uint64_t* values, uint64_t count, crivo_error* error);
/// The keys that were added so far, duplicates included; 0 for NULL.
CRIVO_API uint64_t crivo_builder_keys(const crivo_builder* builder);
/// Makes the filter. Whether it succeeds or not, the builder can then only be freed. Errors: as crivo_build.
CRIVO_CHECKED crivo_status crivo_builder_finish(crivo_builder* builder, crivo_filter** filter, crivo_error* error);
/// Frees a builder; NULL is allowed.
CRIVO_API void crivo_builder_free(crivo_builder* builder);

// -------------------------------------------------------------------------------------------------- asking a filter

/// Whether the filter may have the key: 0 means certainly not, 1 means that it has, or that this is a false hit. A
/// negative result is an error, the negated status; for a filter from crivo_open it can be CRIVO_CORRUPT. As a
/// truth value an error is thus "maybe".
CRIVO_API int32_t crivo_contains(const crivo_filter* filter, const void* key, size_t key_bytes, crivo_error* error);
CRIVO_API int32_t crivo_contains_hash(const crivo_filter* filter, uint64_t key_hash, crivo_error* error);
/// The same for many keys, which is faster than a call for each: hits[i] becomes 1 or 0. `hits` has room for
/// keys->count bytes. Errors: as crivo_contains; what stands in `hits` is then unspecified.
CRIVO_CHECKED crivo_status crivo_contains_keys(const crivo_filter* filter, const crivo_keys* keys, uint8_t* hits,
                                               crivo_error* error);
CRIVO_CHECKED crivo_status crivo_contains_hashes(const crivo_filter* filter, const uint64_t* hashes, uint64_t count,
                                                 uint8_t* hits, crivo_error* error);
/// Whether a key may lie in the range from `low` to `high`, both included, as ordered numbers; 0 for low > high. The
/// result is as of crivo_contains, and -CRIVO_UNSUPPORTED for a kind without CRIVO_CAN_RANGE.
CRIVO_API int32_t crivo_contains_range(const crivo_filter* filter, uint64_t low, uint64_t high, crivo_error* error);
/// How often a key was added, less how often it was removed: never less than the true number, sometimes more. Errors:
/// CRIVO_UNSUPPORTED for a kind that cannot count.
CRIVO_CHECKED crivo_status crivo_count(const crivo_filter* filter, const void* key, size_t key_bytes, uint64_t* count,
                                       crivo_error* error);

/// The value of a key in a map. 1: the key has *value, or it was never added and this is a false hit. 0: it is
/// certainly absent, and *value is not written. A negative result is an error, the negated status: CRIVO_UNSUPPORTED
/// for a kind without CRIVO_CAN_FIND; for a filter from crivo_open also CRIVO_CORRUPT.
CRIVO_API int32_t crivo_find(const crivo_filter* map, const void* key, size_t key_bytes, uint64_t* value,
                             crivo_error* error);
CRIVO_API int32_t crivo_find_hash(const crivo_filter* map, uint64_t key_hash, uint64_t* value, crivo_error* error);
/// The same for many keys, which is faster: found[i] becomes 1 or 0, and values[i] the value, or any number. Both have
/// room for all keys. Errors: as crivo_find; what stands in them is then unspecified.
CRIVO_CHECKED crivo_status crivo_find_keys(const crivo_filter* map, const crivo_keys* keys, uint64_t* values,
                                           uint8_t* found, crivo_error* error);
CRIVO_CHECKED crivo_status crivo_find_hashes(const crivo_filter* map, const uint64_t* hashes, uint64_t count,
                                             uint64_t* values, uint8_t* found, crivo_error* error);

// ------------------------------------------------------------------------------------------------ changing a filter
// A filter from crivo_borrow or crivo_open is read-only: these functions return CRIVO_UNSUPPORTED for it, and
// crivo_copy makes one that can be changed.

/// Adds a key. Errors: CRIVO_UNSUPPORTED for a kind that is built once; CRIVO_FULL; CRIVO_TOO_LARGE.
CRIVO_CHECKED crivo_status crivo_add(crivo_filter* filter, const void* key, size_t key_bytes, crivo_error* error);
/// Adds keys in their order. Errors: as crivo_add; those before the failing one were added, and are counted in
/// crivo_facts.keys.
CRIVO_CHECKED crivo_status crivo_add_keys(crivo_filter* filter, const crivo_keys* keys, crivo_error* error);
CRIVO_CHECKED crivo_status crivo_add_hashes(crivo_filter* filter, const uint64_t* hashes, uint64_t count,
                                            crivo_error* error);
/// Adds a key so many times. Errors: CRIVO_UNSUPPORTED for a kind that cannot count; CRIVO_FULL.
CRIVO_CHECKED crivo_status crivo_add_times(crivo_filter* filter, const void* key, size_t key_bytes, uint64_t times,
                                           crivo_error* error);
/// Takes back one addition of a key. Only keys that were added may be removed: removing a false hit can make the filter
/// lose another key. Errors: CRIVO_UNSUPPORTED; CRIVO_NOT_FOUND if the key is certainly not there.
CRIVO_CHECKED crivo_status crivo_remove(crivo_filter* filter, const void* key, size_t key_bytes, crivo_error* error);
/// Sets the clock of a window to a time, in milliseconds since 1970-01-01 00:00 UTC, up to the year 9999, which keys
/// have that are added from now on. A key is found for at least a window after it was last added, and for at most one
/// pane longer. The clock never goes back: an earlier time changes nothing. Keys from before the first call have its
/// time. Takes constant time until the next pane begins. Errors: CRIVO_BAD_ARGUMENT; CRIVO_UNSUPPORTED for a kind
/// without CRIVO_CAN_ADVANCE.
CRIVO_CHECKED crivo_status crivo_advance(crivo_filter* filter, int64_t time, crivo_error* error);
/// Forgets every key, and the time; capacity and rate stay. Errors: CRIVO_UNSUPPORTED for a kind that is built once.
CRIVO_CHECKED crivo_status crivo_clear(crivo_filter* filter, crivo_error* error);

/// Adds every key of `other`, which may be any filter of the same kind, size and seed. Errors: CRIVO_INCOMPATIBLE
/// naming the field that differs; CRIVO_UNSUPPORTED for a kind that cannot.
CRIVO_CHECKED crivo_status crivo_unite(crivo_filter* filter, const crivo_filter* other, crivo_error* error);
/// Keeps what both filters have: the keys of both sets, and some that are in one of them. Errors: as crivo_unite.
CRIVO_CHECKED crivo_status crivo_intersect(crivo_filter* filter, const crivo_filter* other, crivo_error* error);

// --------------------------------------------------------------------------------------------- what a filter tells

/// What a filter was asked to be, and its shape.
typedef struct crivo_facts {
  size_t size;             ///< sizeof(crivo_facts), set by the caller; only as many bytes are written
  const char* kind;        ///< "blocked"; it lives for ever
  uint64_t capacity;       ///< keys that it was sized for
  double fp_rate;          ///< promised at capacity
  uint64_t keys;           ///< successful additions, duplicates included
  uint64_t units;          ///< bits, blocks, counters, ..., by kind: docs/format.md
  uint32_t k;              ///< the bits that are tested for a key
  uint32_t param;          ///< the kind's parameter: docs/format.md
  uint64_t seed;           ///< of the hash
  uint64_t payload_bytes;  ///< its size in memory, and in a raw blob without the header of 64 bytes
  uint32_t can;            ///< CRIVO_CAN_ bits; of a read-only filter, what a copy of it can
  uint32_t read_only;      ///< 1 for a filter from crivo_borrow or crivo_open, else 0
} crivo_facts;

/// Takes constant time.
CRIVO_CHECKED crivo_status crivo_get_facts(const crivo_filter* filter, crivo_facts* facts, crivo_error* error);

/// How full a filter is, and what follows from it.
typedef struct crivo_stats {
  size_t size;             ///< sizeof(crivo_stats), set by the caller; only as many bytes are written
  uint64_t bits;           ///< in use, or all of a kind that is built once; counters, for a kind that has them
  uint64_t bits_set;       ///< the bits that are set; the counters above 0
  double current_fp_rate;  ///< the probability that an absent key is found now; 1 when saturated
  double cardinality;      ///< the estimated number of distinct keys; infinite when saturated
} crivo_stats;

/// Takes a pass over the filter.
CRIVO_CHECKED crivo_status crivo_get_stats(const crivo_filter* filter, crivo_stats* stats, crivo_error* error);

/// Estimated numbers of distinct keys of two filters, infinite where one is saturated.
typedef struct crivo_similarity {
  size_t size;     ///< sizeof(crivo_similarity), set by the caller; only as many bytes are written
  double first;    ///< keys of the first filter
  double second;   ///< keys of the second filter
  double united;   ///< keys of either
  double common;   ///< keys of both: first + second - united, at least 0
  double jaccard;  ///< common / united, in [0, 1]; NaN where one is saturated
} crivo_similarity;

/// Compares two filters that could be united. Takes a copy of the first. Errors: as crivo_unite.
CRIVO_CHECKED crivo_status crivo_compare(const crivo_filter* first, const crivo_filter* second,
                                         crivo_similarity* similarity, crivo_error* error);

// ----------------------------------------------------------------------------------------------------- blobs, files

/// Which form a blob gets; all are read by everything that reads blobs.
enum {
  CRIVO_FORM_AUTO = 0,      ///< compressed where that gains much, else raw; as a file, mappable beyond 64 KiB
  CRIVO_FORM_RAW = 1,       ///< as it lies in memory: of fixed size, read without a copy, the same bytes everywhere
  CRIVO_FORM_SMALLEST = 2,  ///< in the codec that gives the fewest bytes
  CRIVO_FORM_MAPPABLE = 3   ///< raw with a checksum for each part: as a file, it is opened in constant time
};

/// The most bytes that a blob of this filter can have, in any form; 0 for NULL.
CRIVO_API uint64_t crivo_blob_bound(const crivo_filter* filter);
/// Writes the filter as a blob (docs/format.md) into a buffer, and sets *written to its size. `level` is zstd's, 1 to
/// 22, and 0 stands for 3. Errors: CRIVO_TOO_LARGE if the buffer has too little room, with *written set to what is
/// needed.
CRIVO_CHECKED crivo_status crivo_write(const crivo_filter* filter, int32_t form, int32_t level, void* buffer,
                                       uint64_t buffer_bytes, uint64_t* written, crivo_error* error);

/// The most bytes that the filter in a blob may take unless the reader sets another limit: 1 GiB. A sound blob of a few
/// bytes can be an empty filter of any size.
#define CRIVO_DEFAULT_MAX_BYTES (UINT64_C(1) << 30)

/// What a reader allows. A field of 0 stands for its default.
typedef struct crivo_limits {
  size_t size;         ///< sizeof(crivo_limits)
  uint64_t max_bytes;  ///< the most bytes that the filter may take in memory; 0 is CRIVO_DEFAULT_MAX_BYTES
} crivo_limits;

/// Reads a blob of any form. The filter owns its bytes and may grow to limits->max_bytes. `limits` may be NULL. Errors:
/// CRIVO_CORRUPT naming what is wrong; CRIVO_TOO_LARGE, before memory is taken.
CRIVO_CHECKED crivo_status crivo_read(const void* blob, uint64_t blob_bytes, const crivo_limits* limits,
                                      crivo_filter** filter, crivo_error* error);
/// The same without a copy: the filter is read-only, and a raw payload stays where it is. The blob may be neither
/// changed nor freed while the filter lives.
CRIVO_CHECKED crivo_status crivo_borrow(const void* blob, uint64_t blob_bytes, const crivo_limits* limits,
                                        crivo_filter** filter, crivo_error* error);

/// Writes the filter to a file, which is replaced in one step: a reader, even after a crash, finds the old content or
/// the new one. CRIVO_FORM_AUTO stores a filter of more than 64 KiB as CRIVO_FORM_MAPPABLE where a blob of it would be
/// raw. Errors: CRIVO_SYSTEM with the path and the system's reason; CRIVO_CORRUPT for a filter from crivo_open whose
/// own file is damaged or changes meanwhile, and the old content then stays.
CRIVO_CHECKED crivo_status crivo_save(const crivo_filter* filter, const char* path, int32_t form, int32_t level,
                                      crivo_error* error);
/// Opens a file of any form, read-only. One in CRIVO_FORM_MAPPABLE is mapped in constant time, whatever its size, and a
/// part of it is verified before a question first reads it, and not again where the system reads it a second time from
/// a disk that fails; one in CRIVO_FORM_RAW is mapped after a pass over it; a compressed one is read into memory,
/// within limits->max_bytes. Questions to a file that is damaged, or that a program has written to since (other than
/// through a mapping of its own), return CRIVO_CORRUPT; a file that was replaced by a new one does not matter. All
/// other functions verify the whole file first, and return CRIVO_CORRUPT, too, if it changes before they end; only
/// crivo_get_facts and crivo_blob_bound read nothing of it. Errors: CRIVO_SYSTEM or CRIVO_BAD_ARGUMENT with the path;
/// CRIVO_CORRUPT; CRIVO_TOO_LARGE.
CRIVO_CHECKED crivo_status crivo_open(const char* path, const crivo_limits* limits, crivo_filter** filter,
                                      crivo_error* error);
/// The bytes of the name of a shard's file, with the NUL behind it, or more.
#define CRIVO_SHARD_NAME_BYTES 32
/// Finds the one shard of a sharded filter that can have a key, from the bytes of the manifest alone: its number, and
/// the name of its file in the folder that has the manifest's name and ".shards". Open that file, or read its bytes, as
/// any filter. Errors: CRIVO_CORRUPT for what is no manifest.
CRIVO_CHECKED crivo_status crivo_find_shard(const void* manifest, uint64_t manifest_bytes, const void* key,
                                            size_t key_bytes, uint64_t* number, char name[CRIVO_SHARD_NAME_BYTES],
                                            crivo_error* error);
/// Verifies all of an opened file, so that later questions verify nothing; does nothing for other filters.
CRIVO_CHECKED crivo_status crivo_verify(const crivo_filter* filter, crivo_error* error);
/// Lets calls that read files which shrink or cannot be read return CRIVO_CORRUPT. Without it the system ends the
/// process with SIGBUS. Sets a handler of that signal for the whole process, which hands on what does not concern it;
/// so call it once, after others have set theirs. Errors: CRIVO_SYSTEM.
CRIVO_CHECKED crivo_status crivo_guard_files(crivo_error* error);

// ------------------------------------------------------------------------------------------- what two sets differ in

/// A sketch of a set: a row of coded symbols, from which, with those of another set, the difference of the two is
/// found. It grows with the difference, and not with the sets. A sketch is no filter. No key may be in a set twice: one
/// that a side has once more than the other is found as if the other set lacked it.
typedef struct crivo_sketch crivo_sketch;
/// What two sets differ in.
typedef struct crivo_difference crivo_difference;

/// What a new sketch is to be. Two sketches are compared if keys, first and seed are the same. All fields but size and
/// symbols may be 0, for their defaults.
typedef struct crivo_sketch_options {
  size_t size;         ///< sizeof(crivo_sketch_options)
  const char* keys;    ///< what is known of keys, and given back: NULL is "hashes", the 64-bit hash of keys of any
                       ///< length; "integers", of 64 bits; "bytes:16", strings of 16 bytes, at most 32
  uint64_t symbols;    ///< how long it is: 1 to 2^32 - first; crivo_sketch_symbols says what a difference needs
  uint64_t first;      ///< the number of the first symbol, to continue another sketch
  uint64_t seed;       ///< of all hashes: where keys come from strangers, a new one that is drawn after them
  uint64_t max_bytes;  ///< the most bytes that the new sketch may have; 0: no limit
} crivo_sketch_options;

/// So many symbols decode a difference of so many keys, up to 3 * 10^9, in at least 997 of 1,000 cases.
CRIVO_API uint64_t crivo_sketch_symbols(uint64_t difference);
/// Makes the sketch of a set without keys. `options` may not be NULL. Errors: CRIVO_BAD_ARGUMENT naming the field;
/// CRIVO_TOO_LARGE.
CRIVO_CHECKED crivo_status crivo_sketch_create(const crivo_sketch_options* options, crivo_sketch** sketch,
                                               crivo_error* error);
/// Adds keys that are not in the set. Errors: CRIVO_BAD_ARGUMENT for a sketch of integers, and for a key of another
/// length than the sketch's, before which the others were added.
CRIVO_CHECKED crivo_status crivo_sketch_add(crivo_sketch* sketch, const void* key, size_t key_bytes,
                                            crivo_error* error);
CRIVO_CHECKED crivo_status crivo_sketch_add_keys(crivo_sketch* sketch, const crivo_keys* keys, crivo_error* error);
/// The same by 64-bit hashes of keys, which were made with the sketch's seed, or for integers. Errors:
/// CRIVO_BAD_ARGUMENT for a sketch of byte strings.
CRIVO_CHECKED crivo_status crivo_sketch_add_numbers(crivo_sketch* sketch, const uint64_t* numbers, uint64_t count,
                                                    crivo_error* error);
/// Removes keys that are in the set. Errors: as those that add.
CRIVO_CHECKED crivo_status crivo_sketch_remove(crivo_sketch* sketch, const void* key, size_t key_bytes,
                                               crivo_error* error);
CRIVO_CHECKED crivo_status crivo_sketch_remove_keys(crivo_sketch* sketch, const crivo_keys* keys, crivo_error* error);
CRIVO_CHECKED crivo_status crivo_sketch_remove_numbers(crivo_sketch* sketch, const uint64_t* numbers, uint64_t count,
                                                       crivo_error* error);
/// Adds all keys of a set that has none of these; `other` has the same options. Errors: CRIVO_INCOMPATIBLE naming the
/// field that differs.
CRIVO_CHECKED crivo_status crivo_sketch_combine(crivo_sketch* sketch, const crivo_sketch* other, crivo_error* error);
/// Puts the next symbols of the same set behind these: `next` was made with first = this sketch's first + symbols.
/// Errors: CRIVO_INCOMPATIBLE naming the field.
CRIVO_CHECKED crivo_status crivo_sketch_append(crivo_sketch* sketch, const crivo_sketch* next, crivo_error* error);
/// What a sketch was asked to be.
typedef struct crivo_sketch_facts {
  size_t size;         ///< sizeof(crivo_sketch_facts), set by the caller; only as many bytes are written
  uint64_t symbols;    ///< how many it has
  uint64_t first;      ///< the number of the first one
  uint64_t seed;       ///< of all hashes
  uint64_t keys;       ///< those that were added, less those that were removed
  uint32_t what;       ///< 0: it knows hashes of keys; 1: strings of key_bytes bytes; 2: integers
  uint32_t key_bytes;  ///< of what it knows: 1 to 32
} crivo_sketch_facts;
CRIVO_CHECKED crivo_status crivo_sketch_get_facts(const crivo_sketch* sketch, crivo_sketch_facts* facts,
                                                  crivo_error* error);
/// The bytes of the sketch as a blob (docs/format.md); 0 for NULL.
CRIVO_API uint64_t crivo_sketch_bytes(const crivo_sketch* sketch);
/// Writes them into a buffer. Errors: CRIVO_TOO_LARGE if that has less room.
CRIVO_CHECKED crivo_status crivo_sketch_write(const crivo_sketch* sketch, void* buffer, uint64_t buffer_bytes,
                                              crivo_error* error);
/// Reads a blob that crivo_sketch_write wrote. `limits` may be NULL. Errors: CRIVO_CORRUPT naming what is wrong;
/// CRIVO_TOO_LARGE, before memory is taken.
CRIVO_CHECKED crivo_status crivo_sketch_read(const void* blob, uint64_t blob_bytes, const crivo_limits* limits,
                                             crivo_sketch** sketch, crivo_error* error);
/// Frees a sketch; NULL is allowed.
CRIVO_API void crivo_sketch_free(crivo_sketch* sketch);

/// Finds the keys that only one of two sets has, from as many symbols as the shorter of their sketches has. *difference
/// becomes NULL, without an error, if these are too few: append more to both. So it does where one set has a key more
/// often than the other, by more than one. Errors: CRIVO_INCOMPATIBLE naming the field that differs; CRIVO_BAD_ARGUMENT
/// if first is not 0; CRIVO_CORRUPT for symbols that no two sets have.
CRIVO_CHECKED crivo_status crivo_find_difference(const crivo_sketch* first, const crivo_sketch* second,
                                                 crivo_difference** difference, crivo_error* error);
/// The keys that only the first set has (side 0), or only the second (side 1), in ascending order, in which integers
/// are signed; all of one width. They are valid until the difference is freed. Hashes and integers are given as 8
/// bytes, little-endian. Errors: CRIVO_BAD_ARGUMENT.
CRIVO_CHECKED crivo_status crivo_difference_keys(const crivo_difference* difference, int32_t side, crivo_keys* keys,
                                                 crivo_error* error);
/// The same as numbers, of sketches of hashes or integers. Errors: also CRIVO_UNSUPPORTED for other sketches.
CRIVO_CHECKED crivo_status crivo_difference_numbers(const crivo_difference* difference, int32_t side,
                                                    const uint64_t** numbers, uint64_t* count, crivo_error* error);
/// Frees a difference; NULL is allowed.
CRIVO_API void crivo_difference_free(crivo_difference* difference);

#ifdef __cplusplus
}
#endif

#endif
