/* A minimal C program that creates, queries, writes and reads a filter. */
#include <crivo.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  crivo_options options = {.size = sizeof options};
  crivo_filter* filter = NULL;
  crivo_filter* again = NULL;
  crivo_error error;
  uint64_t bytes;
  void* blob;
  options.capacity = 1000;
  if (crivo_create(&options, &filter, &error) || crivo_add(filter, "key", 3, &error)) {
    fprintf(stderr, "%s\n", error.message);
    return 1;
  }
  bytes = crivo_blob_bound(filter);
  blob = malloc((size_t)bytes);
  if (crivo_write(filter, CRIVO_FORM_SMALLEST, 0, blob, bytes, &bytes, &error) ||
      crivo_read(blob, bytes, NULL, &again, &error)) {
    fprintf(stderr, "%s\n", error.message);
    return 1;
  }
  if (crivo_contains(again, "key", 3, NULL) != 1 || crivo_contains(again, "other", 5, NULL) != 0) return 2;
  printf("libcrivo %s\n", crivo_version());
  crivo_free(again);
  crivo_free(filter);
  free(blob);
  return 0;
}
