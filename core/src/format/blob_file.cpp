#include "crivo/blob_file.h"

#include <functional>
#include <optional>

#include "crivo/host/replace_file.h"

namespace crivo {
namespace {

/// Replaces the file with the bytes that `write` passes to its sink. `write` returns the number of bytes.
Result<std::uint64_t> replace_by(const std::string& path,
                                 const std::function<Result<std::uint64_t>(const BlobSink&)>& write) {
  std::optional<Result<std::uint64_t>> written;
  auto replaced = replace_file(path, [&](const ByteSink& sink) {
    written = write(sink);
    return written->has_value();
  });
  // The error kCancelled of `write` means that the sink refused bytes. replace_file then returned the reason.
  if (written && !written->has_value() && written->error().code != ErrorCode::kCancelled) return written->error();
  if (!replaced) return replaced.error();
  return *written;
}

}  // namespace

Result<std::uint64_t> write_blob_file(const FilterRef& filter, const std::string& path, BlobForm form, int level) {
  return replace_by(path, [&](const BlobSink& sink) { return write_blob(filter, form, sink, level); });
}

Result<std::uint64_t> write_blob_file(const MappedFilter& filter, const std::string& path, BlobForm form, int level) {
  return replace_by(path, [&](const BlobSink& sink) -> Result<std::uint64_t> {
    Result<std::uint64_t> written = std::uint64_t{0};
    auto copied = filter.look_at_whole([&](const FilterRef& ref) { written = write_blob(ref, form, sink, level); });
    if (!copied) return copied.error();
    return written;
  });
}

Result<AnyFilter> read_blob_file(const std::string& path, const ReadLimits& limits) {
  const Result<MappedFilter> file = MappedFilter::open(path, {.limits = limits});
  return file ? file->to_filter(limits) : file.error();
}

}  // namespace crivo
