// Filters in files.
#include "arguments.h"
#include "boundary.h"
#include "crivo/blob_file.h"
#include "form.h"
#include "handle.h"

namespace crivo::c {
namespace {

Result<std::string> checked_path(const char* path) {
  if (auto given = check_given("path", path); !given) return given.error();
  if (*path == '\0') return Error{ErrorCode::kBadArgument, "path must be the name of a file, got an empty one"};
  return std::string(path);
}

}  // namespace
}  // namespace crivo::c

using namespace crivo;
using namespace crivo::c;

crivo_status crivo_save(const crivo_filter* filter, const char* path, int32_t form, int32_t level, crivo_error* error) {
  return guarded(error, [&]() -> Result<void> {
    const Result<std::string> checked = checked_path(path);
    if (!checked) return checked.error();
    if (auto given = check_given("filter", filter); !given) return given;
    const Result<Form> how = checked_form(form, level, BlobForm::kFile);
    if (!how) return how.error();
    const auto written = filter->ref != nullptr ? write_blob_file(*filter->ref, *checked, how->form, how->level)
                                                : write_blob_file(filter->file(), *checked, how->form, how->level);
    return written ? Result<void>() : written.error();
  });
}

crivo_status crivo_open(const char* path, const crivo_limits* limits, crivo_filter** filter, crivo_error* error) {
  return hand_out("filter", filter, error, [&]() -> Result<MappedFilter> {
    const Result<std::string> checked = checked_path(path);
    if (!checked) return checked.error();
    const Result<ReadLimits> allowed = read_limits(limits);
    if (!allowed) return allowed.error();
    return MappedFilter::open(*checked, {.limits = *allowed});
  });
}

crivo_status crivo_verify(const crivo_filter* filter, crivo_error* error) {
  return guarded(error, [&]() -> Result<void> {
    if (auto given = check_given("filter", filter); !given) return given;
    return filter->ref != nullptr ? Result<void>() : filter->file().verify();
  });
}

crivo_status crivo_guard_files(crivo_error* error) {
  return guarded(error, [] { return guard_mapped_files(); });
}
