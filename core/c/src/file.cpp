// Filters in files.
#include "arguments.h"
#include "boundary.h"
#include "crivo/blob_file.h"
#include "form.h"
#include "handle.h"

namespace crivo::c {
namespace {

std::string checked_path(const char* path) {
  check_given("path", path);
  if (*path == '\0') throw Refused("path must be the name of a file, got an empty one");
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

crivo_status crivo_verify(const crivo_filter* filter, crivo_error* error) {
  return guarded(error, [&]() -> Result<void> {
    check_given("filter", filter);
    return filter->ref != nullptr ? Result<void>() : filter->ask_file([](const auto& file) { return file.verify(); });
  });
}

crivo_status crivo_guard_files(crivo_error* error) {
  return guarded(error, [] { return guard_mapped_files(); });
}
