// Saves, opens and verifies filters in files, and finds the shard of a key.
#include "arguments.h"
#include "boundary.h"
#include "crivo/blob_file.h"
#include "crivo/manifest.h"
#include "handle.h"

namespace crivo::c {
namespace {

std::string checked_path(const char* path) {
  check_given("path", path);
  if (*path == '\0') throw Refused("path must name a file, got an empty path");
  return path;
}

}  // namespace
}  // namespace crivo::c

using namespace crivo;
using namespace crivo::c;

crivo_status crivo_save(const crivo_filter* filter, const char* path, int32_t form, int32_t level, crivo_error* error) {
  return guarded(error, [&]() -> Result<void> {
    const std::string checked = checked_path(path);
    check_given("filter", filter);
    const Form how = checked_form(form, level, BlobForm::kFile);
    unwrap(filter->ref != nullptr ? write_blob_file(*filter->ref, checked, how.form, how.level)
                                  : write_blob_file(filter->mapped(), checked, how.form, how.level));
    return {};
  });
}

crivo_status crivo_open(const char* path, const crivo_limits* limits, crivo_filter** filter, crivo_error* error) {
  return hand_out("filter", filter, error, [&] {
    const std::string checked = checked_path(path);
    return open_filter_file(checked, {.map = {.limits = read_limits(limits)}});
  });
}

crivo_status crivo_find_shard(const void* manifest, uint64_t manifest_bytes, const void* key, size_t key_bytes,
                              uint64_t* number, char name[CRIVO_SHARD_NAME_BYTES], crivo_error* error) {
  return guarded(error, [&]() -> Result<void> {
    check_array("manifest", manifest, manifest_bytes, 1, 1);
    check_given("number", number);
    check_given("name", name);
    const std::string_view checked = checked_key(key, key_bytes);
    const Manifest parsed =
        unwrap(Manifest::parse({static_cast<const std::byte*>(manifest), static_cast<std::size_t>(manifest_bytes)}));
    *number = parsed.shard_of(checked);
    const std::string file = parsed.file_name(static_cast<std::uint32_t>(*number));
    name[file.copy(name, CRIVO_SHARD_NAME_BYTES - 1)] = '\0';
    return {};
  });
}

crivo_status crivo_verify(const crivo_filter* filter, crivo_error* error) {
  return guarded(error, [&]() -> Result<void> {
    check_given("filter", filter);
    return filter->ref != nullptr ? Result<void>() : filter->query_file([](const auto& file) { return file.verify(); });
  });
}

crivo_status crivo_guard_files(crivo_error* error) {
  return guarded(error, [] { return guard_mapped_files(); });
}
