/* Writes the blobs of all cases (same_bytes.py) through the C interface:  ask FOLDER */
#include <crivo.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fail(const char* what) {
  fprintf(stderr, "%s\n", what);
  exit(1);
}

static void* take(size_t bytes) {
  void* memory = calloc(bytes + 1, 1);
  if (memory == NULL) fail("no memory");
  return memory;
}

static unsigned char* read_file(const char* name, size_t* size) {
  FILE* file = fopen(name, "rb");
  if (file == NULL || fseek(file, 0, SEEK_END) != 0) fail(name);
  *size = (size_t)ftell(file);
  rewind(file);
  unsigned char* bytes = take(*size);
  if (fread(bytes, 1, *size, file) != *size) fail(name);
  fclose(file);
  return bytes;
}

static size_t write_key(char type, const unsigned char* value, size_t length, char* key) {
  char digits[CRIVO_NUMBER_KEY_BYTES + 1] = {0};
  double real = 0;
  memcpy(type == 'i' ? digits : type == 'r' ? (char*)&real : key, value, length);
  if (type == 'r') return crivo_real_key(real, key);
  if (type != 'i') return length;
  return *digits == '-' ? crivo_integer_key(strtoll(digits, NULL, 10), key)
                        : crivo_unsigned_key(strtoull(digits, NULL, 10), key);
}

/* The keys of a file, one behind the other. */
static crivo_keys read_keys(const char* name) {
  size_t size = 0;
  unsigned char* file = read_file(name, &size);
  char* bytes = take(size * 4 + CRIVO_NUMBER_KEY_BYTES); /* a key takes at most twice what its record does */
  uint64_t* offsets = take((size + 1) * sizeof *offsets);
  crivo_keys keys = {bytes, 0, offsets, 0, 0};
  for (const unsigned char* at = file; at < file + size;) {
    const size_t length = at[1] | (size_t)at[2] << 8 | (size_t)at[3] << 16 | (size_t)at[4] << 24;
    keys.bytes_size += write_key((char)*at, at + 5, length, bytes + keys.bytes_size);
    offsets[++keys.count] = keys.bytes_size;
    at += 5 + length;
  }
  free(file);
  return keys;
}

/* The keys whose values have this lowest bit. */
static crivo_keys side_of(const crivo_keys* keys, const uint64_t* values, uint64_t bit) {
  char* bytes = take(keys->bytes_size);
  uint64_t* offsets = take((keys->count + 1) * sizeof *offsets);
  crivo_keys side = {bytes, 0, offsets, 0, 0};
  for (uint64_t i = 0; i < keys->count; ++i) {
    if (values[i] % 2 != bit) continue;
    const uint64_t length = keys->offsets[i + 1] - keys->offsets[i];
    memcpy(bytes + side.bytes_size, (const char*)keys->bytes + keys->offsets[i], length);
    side.bytes_size += length;
    offsets[++side.count] = side.bytes_size;
  }
  return side;
}

static void free_keys(const crivo_keys* keys) {
  free((void*)keys->bytes);
  free((void*)keys->offsets);
}

static crivo_filter* build(const crivo_options* options, const crivo_keys* keys, const char* keys_file) {
  char name[128];
  snprintf(name, sizeof name, "%s.values", keys_file);
  size_t size = 0;
  unsigned char* file = read_file(name, &size);
  uint64_t* values = take(size * sizeof *values);
  for (size_t i = 0; i < size; ++i) values[i] = file[i];
  crivo_error error;
  crivo_filter* filter = NULL;
  crivo_status status;
  if (strcmp(options->kind, "map") == 0) {
    status = crivo_build_map(options, keys, values, &filter, &error);
  } else if (strcmp(options->kind, "exact") == 0) {
    const crivo_keys members = side_of(keys, values, 1), others = side_of(keys, values, 0);
    status = crivo_build_exact(options, &members, &others, &filter, &error);
    free_keys(&members);
    free_keys(&others);
  } else {
    status = crivo_build(options, keys, &filter, &error);
  }
  if (status != CRIVO_OK) fail(error.message);
  free(values);
  free(file);
  return filter;
}

static void* filter_blob(const crivo_options* options, const crivo_keys* keys, const char* keys_file, uint64_t* bytes) {
  crivo_error error;
  crivo_filter* filter = build(options, keys, keys_file);
  const uint64_t room = crivo_blob_bound(filter);
  void* blob = take(room);
  if (crivo_write(filter, CRIVO_FORM_RAW, 0, blob, room, bytes, &error) != CRIVO_OK) fail(error.message);
  crivo_free(filter);
  return blob;
}

static void* sketch_blob(const crivo_options* options, const crivo_keys* keys, uint64_t* bytes) {
  const crivo_sketch_options wanted = {.size = sizeof wanted, .symbols = options->capacity, .seed = options->seed};
  crivo_error error;
  crivo_sketch* sketch = NULL;
  if (crivo_sketch_create(&wanted, &sketch, &error) != CRIVO_OK) fail(error.message);
  if (crivo_sketch_add_keys(sketch, keys, &error) != CRIVO_OK) fail(error.message);
  *bytes = crivo_sketch_bytes(sketch);
  void* blob = take(*bytes);
  if (crivo_sketch_write(sketch, blob, *bytes, &error) != CRIVO_OK) fail(error.message);
  crivo_sketch_free(sketch);
  return blob;
}

static void write_blob(const crivo_options* options, const char* keys_file, const char* folder, const char* name) {
  const crivo_keys keys = read_keys(keys_file);
  uint64_t written = 0;
  void* blob = strcmp(options->kind, "sketch") == 0 ? sketch_blob(options, &keys, &written)
                                                    : filter_blob(options, &keys, keys_file, &written);
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE* file = fopen(path, "wb");
  if (file == NULL || fwrite(blob, 1, written, file) != written || fclose(file) != 0) fail(path);
  free_keys(&keys);
  free(blob);
}

int main(int count, char** arguments) {
  FILE* cases = fopen("cases", "r");
  if (count != 2 || cases == NULL) fail("usage: ask FOLDER, where the cases are");
  char kind[64], keys[64], blob[64];
  crivo_options options = {.size = sizeof options, .kind = kind};
  while (fscanf(cases, "%63s %lf %" SCNu64 " %" SCNu64 " %63s %63s", kind, &options.fp_rate, &options.seed,
                &options.capacity, keys, blob) == 6) {
    write_blob(&options, keys, arguments[1], blob);
  }
  return 0;
}
