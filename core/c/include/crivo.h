// Crivo's C interface: Bloom filters and related filters for C, and for every language that can call C. See docs/c.md
// and docs/format.md.
//
// A filter answers whether a key is in a set: "certainly not" or "maybe". "Maybe" is wrong with a small probability
// that you choose. A key that was added, and not removed, is always found.
//
// Results. A function that can fail returns a crivo_status, and writes a message to its last argument, a crivo_error,
// which may be NULL. Every such function can fail with CRIVO_BAD_ARGUMENT and CRIVO_NO_MEMORY and, for a filter from
// crivo_open, with CRIVO_CORRUPT; "Errors" in a function's comment adds to these. On failure, a function changes no
// object and writes no output argument, unless its comment says otherwise. No function throws, prints or aborts. A
// function stores a pointer to an argument only if its comment says so.
//
// Strings are UTF-8 and NUL-terminated. A key is a pointer and a length, and may contain any bytes. NULL is allowed for
// a key or an array of length 0.
//
// Threads. Any number of threads may call functions that take a filter as const at the same time. While a thread
// changes or frees a filter, no other thread may use it. The same holds for sketches and differences. A builder may be
// used by one thread at a time.
//
// Structures with a field `size` may get more fields at the end in later versions. Set `size` to sizeof the structure,
// and fields that you do not need to 0: `crivo_options options = {.size = sizeof options};`. Programs compiled with an
// older or newer header work: the library writes only `size` bytes, sets result fields that it does not know to 0, and
// rejects options that it does not know unless they are 0.
//
// Invalid arguments. Functions reject what they can detect: NULL, a misaligned address, an impossible length, a field
// out of range. As everywhere in C, the behaviour is undefined for a pointer to freed memory, a length beyond the
// caller's array, and an argument (such as a blob or key offsets) that another thread changes during the call.
#ifndef CRIVO_H
#define CRIVO_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define CRIVO_API __attribute__((visibility("default")))
/// The compiler warns if the status is ignored: a key that could not be added would later be reported as absent.
#define CRIVO_CHECKED __attribute__((visibility("default"), warn_unused_result))
#else
#define CRIVO_API
#define CRIVO_CHECKED
#endif

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------------------- errors

/// The result of a function: CRIVO_OK, or why it failed.
typedef int32_t crivo_status;
enum {
  CRIVO_OK = 0,
  CRIVO_BAD_ARGUMENT = 1,  ///< an argument is outside its range
  CRIVO_CORRUPT = 2,       ///< the bytes are not well-formed, or their file has changed
  CRIVO_INCOMPATIBLE = 3,  ///< two filters or sketches differ in a parameter
  CRIVO_UNSUPPORTED = 4,   ///< the kind lacks the operation, or the filter is read-only or sharded
  CRIVO_FULL = 5,          ///< the filter has no slot for a key
  CRIVO_NOT_FOUND = 6,     ///< the key to remove is certainly absent
  CRIVO_TOO_LARGE = 7,     ///< more bytes than the limit or the buffer
  CRIVO_CANCELLED = 8,     ///< the progress callback stopped the operation
  CRIVO_NO_MEMORY = 9,     ///< the system is out of memory
  CRIVO_SYSTEM = 10        ///< a system call failed, usually on a file; errno says why, or is 0
};

#define CRIVO_ERROR_MESSAGE_BYTES 508

/// Why a function failed: its status, and a message such as "fp_rate must be in (0, 1), got 1.5", truncated if
/// necessary. Not written on success.
typedef struct crivo_error {
  crivo_status status;
  char message[CRIVO_ERROR_MESSAGE_BYTES];
} crivo_error;

/// The name of a status, such as "bad argument". A static string, never NULL.
CRIVO_API const char* crivo_status_name(crivo_status status);

// ------------------------------------------------------------------------------------------------- versions, kinds

#define CRIVO_VERSION_MAJOR 0
#define CRIVO_VERSION_MINOR 2
#define CRIVO_VERSION_PATCH 0

/// The version of the loaded library, such as "0.2.0". A static string.
CRIVO_API const char* crivo_version(void);
/// The instruction set in use: "scalar"; on x86-64 also "avx2" or "avx512"; on AArch64 also "neon". A static string.
/// The environment variable CRIVO_ISA selects a set; if the CPU lacks that set, the best supported set is used. If
/// CRIVO_ISA is set to an unknown name, functions that make, read or open a filter (but not crivo_copy and
/// crivo_drop_counts), and crivo_sketch_read, fail with CRIVO_BAD_ARGUMENT.
CRIVO_API const char* crivo_isa(void);

/// Capabilities of a kind: bits of crivo_facts.can and of crivo_kind_can.
enum {
  CRIVO_CAN_ADD = 1,  ///< accepts keys after creation; other kinds are built once from all their keys
  CRIVO_CAN_REMOVE = 2,
  CRIVO_CAN_COUNT = 4,  ///< counts how often each key was added
  CRIVO_CAN_UNITE = 8,
  CRIVO_CAN_INTERSECT = 16,
  CRIVO_CAN_GROW = 32,     ///< grows as keys are added; beyond the capacity, only scalable keeps the promised rate
  CRIVO_CAN_RANGE = 64,    ///< answers range queries; the keys are ordered numbers
  CRIVO_CAN_FIND = 128,    ///< stores a value for each key (a map); built once
  CRIVO_CAN_EXACT = 256,   ///< answers exactly for every key that the filter is built from; built once
  CRIVO_CAN_ADVANCE = 512  ///< keys expire: crivo_advance sets the filter's clock
};

/// The name of a kind, by index from 0: "classic", "blocked" and so on. A static string; NULL beyond the last kind.
/// Indexes can change with each version.
CRIVO_API const char* crivo_kind_name(size_t index);
/// The CRIVO_CAN_ bits of the kind with this index; 0 beyond the last kind.
CRIVO_API uint32_t crivo_kind_can(size_t index);

// ------------------------------------------------------------------------------------------------------ keys, hashes

/// An array of keys, concatenated in `bytes`. If `offsets` is not NULL, key i has the bytes from offsets[i] to
/// offsets[i + 1] - 1, as in Apache Arrow. The count + 1 offsets must never decrease; the last is at most bytes_size.
/// If `offsets` is NULL, every key has `width` bytes, at least 1, and count * width is at most bytes_size.
typedef struct crivo_keys {
  const void* bytes;
  uint64_t bytes_size;
  const uint64_t* offsets;
  uint64_t width;
  uint64_t count;
} crivo_keys;

/// The 64-bit hash of a key in filters with this seed: XXH3-64 (xxHash specification 0.8). The hash never changes
/// between versions. An invalid key (NULL, or longer than any object) is hashed as the empty key.
CRIVO_API uint64_t crivo_hash_key(const void* key, size_t key_bytes, uint64_t seed);
/// The hashes of many keys. `hashes` must have keys->count elements.
CRIVO_CHECKED crivo_status crivo_hash_keys(const crivo_keys* keys, uint64_t seed, uint64_t* hashes, crivo_error* error);

/// The maximum length of a number as a key.
#define CRIVO_NUMBER_KEY_BYTES 32
/// The key of an integer in all of Crivo's interfaces: its decimal digits, with a leading '-' if negative. Returns the
/// number of bytes written, without a NUL; 0 if `key` is NULL.
CRIVO_API size_t crivo_integer_key(int64_t value, char key[CRIVO_NUMBER_KEY_BYTES]);
CRIVO_API size_t crivo_unsigned_key(uint64_t value, char key[CRIVO_NUMBER_KEY_BYTES]);
/// The key of a real. A value that equals a signed or unsigned 64-bit integer has that integer's key: 1.0 is "1", -0.0
/// is "0". Every NaN is "nan". Any other value has the shortest text that reads back as the same double ("0.1",
/// "1e+20", "-inf"). Returns the number of bytes written, as crivo_integer_key does.
CRIVO_API size_t crivo_real_key(double value, char key[CRIVO_NUMBER_KEY_BYTES]);

/// The ordered number of a key, for filters of the kind "range". Pass the number wherever a function takes a hash. The
/// number of an integer is value + 2^63. The number of a byte string is its first eight bytes, read as big-endian and
/// padded with zeros, so that numbers have the order of memcmp. In a range filter, functions that take a key use the
/// number of the key's bytes. Do not pass an integer's digits (crivo_integer_key) as a key, because digits sort
/// differently. An invalid key counts as the empty key, as in crivo_hash_key.
CRIVO_API uint64_t crivo_ordered_integer(int64_t value);
CRIVO_API uint64_t crivo_ordered_bytes(const void* key, size_t key_bytes);
/// The highest number of a key that starts with this prefix. crivo_ordered_bytes(prefix) is the lowest.
CRIVO_API uint64_t crivo_last_ordered_bytes(const void* prefix, size_t prefix_bytes);

// -------------------------------------------------------------------------------------------------- making a filter

typedef struct crivo_filter crivo_filter;

/// Called from time to time during a build, by the calling thread. `done` is the completed fraction: from 0 to 1, never
/// decreasing, 1 at the end. Returns 0 to continue; any other value ends the build with CRIVO_CANCELLED. Leaving the
/// callback by longjmp or an exception is undefined behaviour.
typedef int (*crivo_progress)(double done, void* data);

/// For crivo_options.threads: one thread per CPU.
#define CRIVO_ALL_THREADS UINT32_MAX

/// What to build. A field of 0 stands for its default.
typedef struct crivo_options {
  size_t size;              ///< sizeof(crivo_options)
  const char* kind;         ///< "blocked" if NULL; "classic", "ribbon", "spectral:16" and so on (docs/c.md)
  uint64_t capacity;        ///< number of keys, 1 to 2^40. 0 means: for growing, 2^32; for counting and cuckoo, the
                            ///< number of additions; for window, the number of distinct keys times the number of
                            ///< panes; for other kinds, the number of distinct keys
  double fp_rate;           ///< the false-positive rate at capacity, in (capacity * 2^-64, 1); ribbon and map: at least
                            ///< 2^-32; exact: at least 2^-33; range: above capacity * range length * 2^-63;
                            ///< scalable: above 4 * capacity * 2^-64; window: above (1 + 1 / panes) * capacity *
                            ///< 2^-64. map and exact also allow 1. 0: 0.01, or 1 for exact
  double bits_per_key;      ///< above 0 and at most 1000: sizes the filter; fp_rate must then be 0
  uint64_t seed;            ///< the seed of the hash
  uint64_t max_bytes;       ///< the maximum size of the filter, also when it grows; 0: no limit
  uint32_t threads;         ///< threads of the build, or CRIVO_ALL_THREADS; 0: one
  uint32_t reserved;        ///< must be 0
  crivo_progress progress;  ///< called during a build, but not by crivo_create; NULL: none
  void* progress_data;      ///< passed to `progress`
  uint64_t max_memory;      ///< memory limit of a build, filter included; hashes beyond it go to temporary files. At
                            ///< least 16 MiB, of which 8 MiB are left to the caller; 0: no limit
  const char* temp_folder;  ///< the folder of the temporary files; NULL: $TMPDIR, or else /var/tmp, or /tmp
} crivo_options;

/// Makes an empty filter of a kind that can add. `options` must not be NULL, and needs a capacity, except for growing.
/// Ignores threads, progress, max_memory and temp_folder. Errors: CRIVO_BAD_ARGUMENT naming the field; CRIVO_TOO_LARGE
/// if the filter needs more than max_bytes; CRIVO_UNSUPPORTED for a kind that is built once.
CRIVO_CHECKED crivo_status crivo_create(const crivo_options* options, crivo_filter** filter, crivo_error* error);

/// Builds a filter from keys, of any kind except map and exact. `options` may be NULL: a blocked filter with an fp_rate
/// of 1%. Needs 8 bytes per key during the build, or 16 for range and spectral. Ignores temp_folder without max_memory.
/// Errors: CRIVO_BAD_ARGUMENT naming the field, also if max_memory is too small; CRIVO_UNSUPPORTED for keys of map and
/// exact; CRIVO_TOO_LARGE if the filter needs more than max_bytes; CRIVO_FULL if some keys do not fit; CRIVO_CANCELLED;
/// CRIVO_SYSTEM for a temporary file.
CRIVO_CHECKED crivo_status crivo_build(const crivo_options* options, const crivo_keys* keys, crivo_filter** filter,
                                       crivo_error* error);
/// The same from hashes made with options->seed, or from ordered numbers for the kind "range".
CRIVO_CHECKED crivo_status crivo_build_from_hashes(const crivo_options* options, const uint64_t* hashes, uint64_t count,
                                                   crivo_filter** filter, crivo_error* error);

/// Builds a map: a filter that returns a value, at most 2^32 - 1, for each key (crivo_find), without storing keys.
/// values[i] belongs to key i. `kind` is "map" (also if NULL), with as many bits per value as the largest value needs,
/// or "map:8" with 8 bits. An fp_rate of 1 stores no bits for detecting absent keys. Needs 16 bytes per key during the
/// build. Errors: as crivo_build; CRIVO_BAD_ARGUMENT also for a value that is too large, and for a key with two values
/// (the message has the values and the hash); CRIVO_UNSUPPORTED for a kind other than map.
CRIVO_CHECKED crivo_status crivo_build_map(const crivo_options* options, const crivo_keys* keys, const uint64_t* values,
                                           crivo_filter** map, crivo_error* error);

/// Builds an exact filter from all keys of a universe. The filter finds every member and no other key of the universe.
/// For keys outside the universe, the false-positive rate is at most fp_rate; 1 gives the smallest filter. `kind` NULL
/// stands for "exact". capacity counts members and others. Needs 16 bytes per key during the build, and 16 more for
/// each key that passes the filter's first stage, a filter of the members. Errors: as crivo_build; CRIVO_BAD_ARGUMENT
/// also for a key in both `members` and `others`, and for two keys with the same 64-bit hash (the message has the
/// hash): choose another seed; CRIVO_UNSUPPORTED for a kind without CRIVO_CAN_EXACT.
CRIVO_CHECKED crivo_status crivo_build_exact(const crivo_options* options, const crivo_keys* members,
                                             const crivo_keys* others, crivo_filter** filter, crivo_error* error);

/// A copy that is not read-only, even if the filter is. The copy has the filter's size limit; for a borrowed blob, the
/// limit given to crivo_borrow; for an opened file, no limit. Errors: CRIVO_UNSUPPORTED for a sharded filter.
CRIVO_CHECKED crivo_status crivo_copy(const crivo_filter* filter, crivo_filter** copy, crivo_error* error);
/// Converts a counting filter to the blocked filter of its present keys, with a quarter of the bytes. Errors:
/// CRIVO_UNSUPPORTED for any other kind.
CRIVO_CHECKED crivo_status crivo_drop_counts(const crivo_filter* filter, crivo_filter** blocked, crivo_error* error);

/// Frees a filter; NULL is allowed.
CRIVO_API void crivo_free(crivo_filter* filter);

/// Builds a filter from keys that arrive one by one or in batches.
typedef struct crivo_builder crivo_builder;

/// Starts a build. `options` may be NULL. With a capacity and a kind that can add, keys are added immediately;
/// max_memory then limits the filter, and threads and temp_folder are ignored. Otherwise the builder stores 8 bytes per
/// key, or 16 for map and exact. crivo_builder_finish calls `progress`. Errors: CRIVO_TOO_LARGE.
CRIVO_CHECKED crivo_status crivo_builder_create(const crivo_options* options, crivo_builder** builder,
                                                crivo_error* error);
/// Adds a key. On an error, the key was not added. Errors: CRIVO_BAD_ARGUMENT, also after crivo_builder_finish, and if
/// max_memory is too small; CRIVO_UNSUPPORTED for map and exact; CRIVO_FULL and CRIVO_TOO_LARGE if keys are added
/// immediately; CRIVO_SYSTEM for a temporary file, after which the builder can only be freed.
CRIVO_CHECKED crivo_status crivo_builder_add(crivo_builder* builder, const void* key, size_t key_bytes,
                                             crivo_error* error);
/// Adds keys in order. On an error, the keys before the failing one were added; crivo_builder_keys counts them. Errors:
/// as crivo_builder_add.
CRIVO_CHECKED crivo_status crivo_builder_add_keys(crivo_builder* builder, const crivo_keys* keys, crivo_error* error);
CRIVO_CHECKED crivo_status crivo_builder_add_hashes(crivo_builder* builder, const uint64_t* hashes, uint64_t count,
                                                    crivo_error* error);
/// The same with values: for a map, or for an exact filter, where the value is 1 for members and 0 for other keys.
/// Errors: also those of crivo_build_map and crivo_build_exact, reported by crivo_builder_finish at the latest.
CRIVO_CHECKED crivo_status crivo_builder_add_value(crivo_builder* builder, const void* key, size_t key_bytes,
                                                   uint64_t value, crivo_error* error);
CRIVO_CHECKED crivo_status crivo_builder_add_values(crivo_builder* builder, const crivo_keys* keys,
                                                    const uint64_t* values, crivo_error* error);
CRIVO_CHECKED crivo_status crivo_builder_add_hash_values(crivo_builder* builder, const uint64_t* hashes,
                                                         const uint64_t* values, uint64_t count, crivo_error* error);
/// The keys added so far, with duplicates; 0 for NULL.
CRIVO_API uint64_t crivo_builder_keys(const crivo_builder* builder);
/// Returns the filter. Afterwards the builder can only be freed, also on failure. Errors: as crivo_build.
CRIVO_CHECKED crivo_status crivo_builder_finish(crivo_builder* builder, crivo_filter** filter, crivo_error* error);
/// Frees a builder; NULL is allowed.
CRIVO_API void crivo_builder_free(crivo_builder* builder);

// --------------------------------------------------------------------------------------------------- querying a filter

/// Queries a key: 0 means certainly absent, 1 means present or a false positive. A negative result is the negated
/// status of an error, such as -CRIVO_CORRUPT for a damaged file. In a condition, an error therefore counts as "maybe".
CRIVO_API int32_t crivo_contains(const crivo_filter* filter, const void* key, size_t key_bytes, crivo_error* error);
CRIVO_API int32_t crivo_contains_hash(const crivo_filter* filter, uint64_t key_hash, crivo_error* error);
/// The same for many keys, which is faster: sets hits[i] to 1 or 0. `hits` must have one element per key. Errors: as
/// crivo_contains; `hits` is then unspecified.
CRIVO_CHECKED crivo_status crivo_contains_keys(const crivo_filter* filter, const crivo_keys* keys, uint8_t* hits,
                                               crivo_error* error);
CRIVO_CHECKED crivo_status crivo_contains_hashes(const crivo_filter* filter, const uint64_t* hashes, uint64_t count,
                                                 uint8_t* hits, crivo_error* error);
/// Whether any key may be in the range [low, high] of ordered numbers; 0 if low > high. Returns 1, 0 or a negated
/// status as crivo_contains does, such as -CRIVO_UNSUPPORTED for a kind without CRIVO_CAN_RANGE.
CRIVO_API int32_t crivo_contains_range(const crivo_filter* filter, uint64_t low, uint64_t high, crivo_error* error);
/// The number of additions of a key minus its removals: exact or too high, unless the count is saturated. Errors:
/// CRIVO_UNSUPPORTED for a kind that cannot count.
CRIVO_CHECKED crivo_status crivo_count(const crivo_filter* filter, const void* key, size_t key_bytes, uint64_t* count,
                                       crivo_error* error);

/// Finds the value of a key in a map. Returns 1 and the key's value, or an arbitrary value if the key was never added
/// (a false positive). Returns 0, without writing *value, if the key is certainly absent. A negative result is the
/// negated status of an error: CRIVO_UNSUPPORTED for a kind without CRIVO_CAN_FIND; CRIVO_CORRUPT for a damaged file.
CRIVO_API int32_t crivo_find(const crivo_filter* map, const void* key, size_t key_bytes, uint64_t* value,
                             crivo_error* error);
CRIVO_API int32_t crivo_find_hash(const crivo_filter* map, uint64_t key_hash, uint64_t* value, crivo_error* error);
/// The same for many keys, which is faster: sets found[i] to 1 or 0, and values[i] to the value (arbitrary if not
/// found). Both arrays must have one element per key. Errors: as crivo_find; both arrays are then unspecified.
CRIVO_CHECKED crivo_status crivo_find_keys(const crivo_filter* map, const crivo_keys* keys, uint64_t* values,
                                           uint8_t* found, crivo_error* error);
CRIVO_CHECKED crivo_status crivo_find_hashes(const crivo_filter* map, const uint64_t* hashes, uint64_t count,
                                             uint64_t* values, uint8_t* found, crivo_error* error);

// ------------------------------------------------------------------------------------------------ changing a filter
// A filter from crivo_borrow or crivo_open is read-only: the functions below return CRIVO_UNSUPPORTED for a read-only
// filter. Change a crivo_copy of the filter instead.

/// Adds a key. Errors: CRIVO_UNSUPPORTED for a kind that is built once; CRIVO_FULL; CRIVO_TOO_LARGE.
CRIVO_CHECKED crivo_status crivo_add(crivo_filter* filter, const void* key, size_t key_bytes, crivo_error* error);
/// Adds keys in order. Errors: as crivo_add; the keys before the failing one were added, and are counted in
/// crivo_facts.keys.
CRIVO_CHECKED crivo_status crivo_add_keys(crivo_filter* filter, const crivo_keys* keys, crivo_error* error);
CRIVO_CHECKED crivo_status crivo_add_hashes(crivo_filter* filter, const uint64_t* hashes, uint64_t count,
                                            crivo_error* error);
/// Adds a key `times` times. Errors: CRIVO_UNSUPPORTED for a kind that cannot count; CRIVO_TOO_LARGE; CRIVO_FULL, after
/// which a cuckoo filter contains and counts the additions before the failing one.
CRIVO_CHECKED crivo_status crivo_add_times(crivo_filter* filter, const void* key, size_t key_bytes, uint64_t times,
                                           crivo_error* error);
/// Undoes one addition of a key. Remove only keys that were added: removing a false positive can lose another key.
/// Errors: CRIVO_UNSUPPORTED; CRIVO_NOT_FOUND if the key is certainly absent.
CRIVO_CHECKED crivo_status crivo_remove(crivo_filter* filter, const void* key, size_t key_bytes, crivo_error* error);
/// Sets the clock of a window, in milliseconds since 1970-01-01 00:00 UTC, up to the year 9999. Keys that are added
/// afterwards have this time. A key is found for at least one window after its last addition, and for at most one pane
/// more. The clock never goes back: an earlier time is ignored. Keys that were added before the first call get the time
/// of that call. Constant time, except when a new pane begins. Errors: CRIVO_BAD_ARGUMENT; CRIVO_UNSUPPORTED for a kind
/// without CRIVO_CAN_ADVANCE.
CRIVO_CHECKED crivo_status crivo_advance(crivo_filter* filter, int64_t time, crivo_error* error);
/// Removes every key and resets the clock. Capacity and rate stay. Errors: CRIVO_UNSUPPORTED unless the kind can add.
CRIVO_CHECKED crivo_status crivo_clear(crivo_filter* filter, crivo_error* error);

/// Adds every key of `other`, a filter of the same kind, size and seed. Errors: CRIVO_INCOMPATIBLE naming the field
/// that differs; CRIVO_UNSUPPORTED.
CRIVO_CHECKED crivo_status crivo_unite(crivo_filter* filter, const crivo_filter* other, crivo_error* error);
/// Intersects with `other`: every key that both filters contain is found. A key that only one of them contains may be
/// found, too. Errors: as crivo_unite.
CRIVO_CHECKED crivo_status crivo_intersect(crivo_filter* filter, const crivo_filter* other, crivo_error* error);

// ------------------------------------------------------------------------------------------------ facts about a filter

/// What a filter was built for, and its shape.
typedef struct crivo_facts {
  size_t size;             ///< sizeof(crivo_facts), set by the caller; only as many bytes are written
  const char* kind;        ///< such as "blocked"; a static string
  uint64_t capacity;       ///< the number of keys that the filter was sized for
  double fp_rate;          ///< the rate promised at capacity
  uint64_t keys;           ///< successful additions, with duplicates, minus removals
  uint64_t units;          ///< bits, blocks, counters, ..., depending on the kind (docs/format.md)
  uint32_t k;              ///< bits tested per key; some kinds store another number here (docs/format.md)
  uint32_t param;          ///< the kind's parameter (docs/format.md)
  uint64_t seed;           ///< the seed of the hash
  uint64_t payload_bytes;  ///< the filter's size in memory; a raw blob has 64 bytes more
  uint32_t can;            ///< CRIVO_CAN_ bits; for a read-only filter, what a copy can do
  uint32_t read_only;      ///< 1 for a filter from crivo_borrow or crivo_open, else 0
} crivo_facts;

/// Takes constant time.
CRIVO_CHECKED crivo_status crivo_get_facts(const crivo_filter* filter, crivo_facts* facts, crivo_error* error);

/// How full a filter is.
typedef struct crivo_stats {
  size_t size;             ///< sizeof(crivo_stats), set by the caller; only as many bytes are written
  uint64_t bits;           ///< bits of the array or slots, or the number of counters; if built once: all bits
  uint64_t bits_set;       ///< bits that are set, or counters above 0
  double current_fp_rate;  ///< the probability of a false positive now; 1 if saturated
  double cardinality;      ///< the estimated number of distinct keys; infinite if saturated
} crivo_stats;

/// Reads the whole filter.
CRIVO_CHECKED crivo_status crivo_get_stats(const crivo_filter* filter, crivo_stats* stats, crivo_error* error);

/// Estimated numbers of distinct keys. For a saturated filter, the number is infinite. `united` and `common` are
/// infinite and `jaccard` is NaN if either filter or the union is saturated.
typedef struct crivo_similarity {
  size_t size;     ///< sizeof(crivo_similarity), set by the caller; only as many bytes are written
  double first;    ///< keys of the first filter
  double second;   ///< keys of the second filter
  double united;   ///< keys of either filter
  double common;   ///< keys of both filters: first + second - united, at least 0
  double jaccard;  ///< common / united, in [0, 1]
} crivo_similarity;

/// Compares two filters that can be united. Copies the first filter. Errors: as crivo_unite.
CRIVO_CHECKED crivo_status crivo_compare(const crivo_filter* first, const crivo_filter* second,
                                         crivo_similarity* similarity, crivo_error* error);

// ----------------------------------------------------------------------------------------------------- blobs, files

/// How a blob is encoded. Every reader accepts every form.
enum {
  CRIVO_FORM_AUTO = 0,      ///< compressed if that saves much, else raw (crivo_save: mappable above 64 KiB)
  CRIVO_FORM_RAW = 1,       ///< the bytes in memory: fixed size, read without a copy
  CRIVO_FORM_SMALLEST = 2,  ///< the codec that gives the fewest bytes
  CRIVO_FORM_MAPPABLE = 3   ///< raw with a checksum per segment: a file opens in constant time
};

/// The maximum size of a blob of this filter, in any form; 0 for NULL.
CRIVO_API uint64_t crivo_blob_bound(const crivo_filter* filter);
/// Writes the filter as a blob (docs/format.md) to a buffer, and sets *written to the blob's size. `level` is zstd's
/// compression level, 1 to 22; 0 stands for 3. Errors: CRIVO_TOO_LARGE if the buffer is too small; *written is then the
/// required size.
CRIVO_CHECKED crivo_status crivo_write(const crivo_filter* filter, int32_t form, int32_t level, void* buffer,
                                       uint64_t buffer_bytes, uint64_t* written, crivo_error* error);

/// The default limit of a decoded filter: 1 GiB. A valid blob of about 100 bytes can be an empty filter of any size.
#define CRIVO_DEFAULT_MAX_BYTES (UINT64_C(1) << 30)

/// Limits of a reader. A field of 0 stands for its default.
typedef struct crivo_limits {
  size_t size;         ///< sizeof(crivo_limits)
  uint64_t max_bytes;  ///< the maximum size of the filter in memory; 0: CRIVO_DEFAULT_MAX_BYTES
} crivo_limits;

/// Reads a blob of any form. The filter owns its bytes, and may grow to limits->max_bytes. `limits` may be NULL.
/// Errors: CRIVO_CORRUPT naming the field; CRIVO_TOO_LARGE, before memory is allocated.
CRIVO_CHECKED crivo_status crivo_read(const void* blob, uint64_t blob_bytes, const crivo_limits* limits,
                                      crivo_filter** filter, crivo_error* error);
/// The same, but without copying a raw payload: the filter is read-only, and uses the payload in place. The blob must
/// not be changed or freed before the filter is freed.
CRIVO_CHECKED crivo_status crivo_borrow(const void* blob, uint64_t blob_bytes, const crivo_limits* limits,
                                        crivo_filter** filter, crivo_error* error);

/// Writes the filter to a file, which is replaced atomically: a reader, even after a crash, finds the old or the new
/// content. CRIVO_FORM_AUTO uses CRIVO_FORM_MAPPABLE instead of raw above 64 KiB. Errors, with the old content
/// unchanged: CRIVO_SYSTEM with the path and the system's reason; CRIVO_CORRUPT for a filter from crivo_open whose file
/// is damaged or changes.
CRIVO_CHECKED crivo_status crivo_save(const crivo_filter* filter, const char* path, int32_t form, int32_t level,
                                      crivo_error* error);
/// Opens a file of any form, read-only. CRIVO_FORM_MAPPABLE is mapped in constant time; each segment is verified when a
/// query first reads it, and not again if the system reloads it from disk. CRIVO_FORM_RAW is mapped after one pass over
/// the file. A compressed file is read into memory, within limits->max_bytes. Queries return CRIVO_CORRUPT if the file
/// is damaged, or if a program has written to the file since (some changes are not detected, such as writes through
/// another mapping). Replacing the file with a new one is safe. crivo_get_facts and crivo_blob_bound do not read the
/// file. Other functions, except queries, first verify the whole file, and return CRIVO_CORRUPT if the file changes
/// meanwhile. If `path` names a manifest, opens a sharded filter. It supports queries, crivo_get_facts and
/// crivo_verify; other functions return CRIVO_UNSUPPORTED. Its queries and crivo_verify can also fail with CRIVO_SYSTEM
/// and CRIVO_TOO_LARGE. Errors: CRIVO_SYSTEM or CRIVO_BAD_ARGUMENT with the path; CRIVO_CORRUPT; CRIVO_TOO_LARGE.
CRIVO_CHECKED crivo_status crivo_open(const char* path, const crivo_limits* limits, crivo_filter** filter,
                                      crivo_error* error);
/// The buffer size for the name of a shard's file, including the NUL.
#define CRIVO_SHARD_NAME_BYTES 32
/// Finds the only shard of a sharded filter that can contain a key, given the bytes of the manifest: the shard's
/// number, and the name of its file in the folder "<manifest>.shards". Open that file, or read its bytes, like any
/// filter. Errors: CRIVO_CORRUPT if the bytes are not a manifest.
CRIVO_CHECKED crivo_status crivo_find_shard(const void* manifest, uint64_t manifest_bytes, const void* key,
                                            size_t key_bytes, uint64_t* number, char name[CRIVO_SHARD_NAME_BYTES],
                                            crivo_error* error);
/// Verifies the whole file of a filter from crivo_open, so that later queries verify nothing. (A shard is verified
/// again if it was closed and reopened.) Does nothing for other filters.
CRIVO_CHECKED crivo_status crivo_verify(const crivo_filter* filter, crivo_error* error);
/// Makes calls return CRIVO_CORRUPT, instead of ending the process by SIGBUS, if a file shrinks or cannot be read.
/// Installs a SIGBUS handler for the whole process, which forwards unrelated signals to the previous handler: call this
/// function once, after other code has installed its SIGBUS handler. Errors: CRIVO_SYSTEM.
CRIVO_CHECKED crivo_status crivo_guard_files(crivo_error* error);

// --------------------------------------------------------------------------------------------- differences of two sets

/// A sketch of a set: a sequence of coded symbols. Two sketches yield the difference of their sets, and need bytes in
/// proportion to the difference, not to the sets. A sketch is not a filter. A set must not contain a key twice: if one
/// side has a key once more than the other side, the key is reported as missing on the other side.
typedef struct crivo_sketch crivo_sketch;
/// The difference of two sets.
typedef struct crivo_difference crivo_difference;

/// The specification of a sketch. Two sketches are comparable if keys, first and seed are equal. Only `size` and
/// `symbols` must be set.
typedef struct crivo_sketch_options {
  size_t size;         ///< sizeof(crivo_sketch_options)
  const char* keys;    ///< the stored form of keys: "hashes" (also NULL), the 64-bit hashes of keys of any length;
                       ///< "integers" of 64 bits; "bytes:16", byte strings of 16 bytes (1 to 32)
  uint64_t symbols;    ///< 1 to 2^32 - first; see crivo_sketch_symbols
  uint64_t first;      ///< the number of the first symbol, to continue another sketch
  uint64_t seed;       ///< the seed of all hashes; for untrusted keys, draw a new seed after the keys are fixed
  uint64_t max_bytes;  ///< the maximum size of the new sketch in memory; 0: no limit. crivo_sketch_append has none
} crivo_sketch_options;

/// The number of symbols that suffices to decode a difference of this many keys, up to 3 * 10^9, in at least 997 of
/// 1,000 cases.
CRIVO_API uint64_t crivo_sketch_symbols(uint64_t difference);
/// Makes the sketch of an empty set. `options` must not be NULL. Errors: CRIVO_BAD_ARGUMENT; CRIVO_TOO_LARGE.
CRIVO_CHECKED crivo_status crivo_sketch_create(const crivo_sketch_options* options, crivo_sketch** sketch,
                                               crivo_error* error);
/// Adds a key, or keys, that are not in the set. Errors: CRIVO_BAD_ARGUMENT for a sketch of integers, and for a key of
/// the wrong length; the keys before the failing one were added.
CRIVO_CHECKED crivo_status crivo_sketch_add(crivo_sketch* sketch, const void* key, size_t key_bytes,
                                            crivo_error* error);
CRIVO_CHECKED crivo_status crivo_sketch_add_keys(crivo_sketch* sketch, const crivo_keys* keys, crivo_error* error);
/// The same for integers, or for hashes made with the sketch's seed. Errors: CRIVO_BAD_ARGUMENT for a sketch of bytes.
CRIVO_CHECKED crivo_status crivo_sketch_add_numbers(crivo_sketch* sketch, const uint64_t* numbers, uint64_t count,
                                                    crivo_error* error);
/// Removes keys that are in the set. Errors: as for additions.
CRIVO_CHECKED crivo_status crivo_sketch_remove(crivo_sketch* sketch, const void* key, size_t key_bytes,
                                               crivo_error* error);
CRIVO_CHECKED crivo_status crivo_sketch_remove_keys(crivo_sketch* sketch, const crivo_keys* keys, crivo_error* error);
CRIVO_CHECKED crivo_status crivo_sketch_remove_numbers(crivo_sketch* sketch, const uint64_t* numbers, uint64_t count,
                                                       crivo_error* error);
/// Adds all keys of a disjoint set. keys, symbols, first and seed must be equal in both sketches. Errors:
/// CRIVO_INCOMPATIBLE naming the field that differs.
CRIVO_CHECKED crivo_status crivo_sketch_combine(crivo_sketch* sketch, const crivo_sketch* other, crivo_error* error);
/// Appends the next symbols of the same set: `first` of `next` must equal first + symbols of `sketch`. Both sketches
/// must have the same number of keys. Errors: CRIVO_INCOMPATIBLE naming the field that differs.
CRIVO_CHECKED crivo_status crivo_sketch_append(crivo_sketch* sketch, const crivo_sketch* next, crivo_error* error);
typedef struct crivo_sketch_facts {
  size_t size;         ///< sizeof(crivo_sketch_facts), set by the caller; only as many bytes are written
  uint64_t symbols;    ///< the number of symbols
  uint64_t first;      ///< the number of the first symbol
  uint64_t seed;       ///< the seed of all hashes
  uint64_t keys;       ///< additions minus removals, at least 0
  uint32_t key_type;   ///< the stored form of keys: 0, hashes; 1, strings of key_bytes bytes; 2, 64-bit integers
  uint32_t key_bytes;  ///< 1 to 32
} crivo_sketch_facts;
CRIVO_CHECKED crivo_status crivo_sketch_get_facts(const crivo_sketch* sketch, crivo_sketch_facts* facts,
                                                  crivo_error* error);
/// The size of the sketch's blob (docs/format.md); 0 for NULL.
CRIVO_API uint64_t crivo_sketch_bytes(const crivo_sketch* sketch);
/// Writes the sketch's blob to a buffer. Errors: CRIVO_TOO_LARGE if the buffer is too small.
CRIVO_CHECKED crivo_status crivo_sketch_write(const crivo_sketch* sketch, void* buffer, uint64_t buffer_bytes,
                                              crivo_error* error);
/// Reads a blob from crivo_sketch_write. `limits` may be NULL. Errors: CRIVO_CORRUPT naming the field; CRIVO_TOO_LARGE,
/// before memory is allocated.
CRIVO_CHECKED crivo_status crivo_sketch_read(const void* blob, uint64_t blob_bytes, const crivo_limits* limits,
                                             crivo_sketch** sketch, crivo_error* error);
/// Frees a sketch; NULL is allowed.
CRIVO_API void crivo_sketch_free(crivo_sketch* sketch);

/// Finds the keys that are in only one of two sets, from the symbols of the shorter sketch. If these are too few,
/// *difference becomes NULL, without an error: append more symbols to both sketches. *difference also becomes NULL if a
/// key's counts differ by more than one. Errors: CRIVO_INCOMPATIBLE naming the field that differs; CRIVO_BAD_ARGUMENT
/// if the sketches' `first` is not 0; CRIVO_CORRUPT for symbols that no two sets can produce.
CRIVO_CHECKED crivo_status crivo_find_difference(const crivo_sketch* first, const crivo_sketch* second,
                                                 crivo_difference** difference, crivo_error* error);
/// The keys that only the first set has (side 0), or only the second set (side 1), in ascending order (integers as
/// signed). All keys have the same width. Valid until the difference is freed. Hashes and integers are 8 little-endian
/// bytes. Errors: CRIVO_BAD_ARGUMENT.
CRIVO_CHECKED crivo_status crivo_difference_keys(const crivo_difference* difference, int32_t side, crivo_keys* keys,
                                                 crivo_error* error);
/// The same as numbers, for sketches of hashes or integers. Errors: also CRIVO_UNSUPPORTED for other sketches.
CRIVO_CHECKED crivo_status crivo_difference_numbers(const crivo_difference* difference, int32_t side,
                                                    const uint64_t** numbers, uint64_t* count, crivo_error* error);
/// Frees a difference; NULL is allowed.
CRIVO_API void crivo_difference_free(crivo_difference* difference);

#ifdef __cplusplus
}
#endif

#endif
